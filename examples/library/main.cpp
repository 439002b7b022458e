// Prints the loops of a trace.
#include <lockstep/analysis/cycles/cycles.h>
#include <lockstep/base/text.h>
#include <lockstep/formats/input/load.h>

#include <iostream>

int main(int count, char** arguments) {
  const auto loaded = lockstep::formats::input::load({arguments + 1, arguments + count}, {});
  if (!loaded.ok()) {
    std::cerr << loaded.error().text() << '\n';
    return 1;
  }
  const auto cycles = lockstep::analysis::cycles::find_cycles(loaded.value().trace);
  for (const auto& stream : cycles.streams)
    for (const auto& loop : stream.loops)
      std::cout << name_of(loop.phase) << ' ' << name_of(loop.role) << ": " << loop.complete
                << " iterations of " << loop.positions.size() << " kernels, "
                << lockstep::human_time(loop.wall.p50) << " each\n";
}
