// Reads many files in one process, for tests that have thousands of small ones.
//
// Each line of standard input is "trace PATH" or "kernel PATH". Each is answered by a line: the
// code with which `info --strict` or `kernel decode --strict` would end, and how many records and
// arrows there are.
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "formats/input/load.h"
#include "formats/kernel_profile/kernel_profile_formats.h"

namespace {

using namespace lockstep;  // NOLINT: a program of one file

struct Found {
  bool is_whole = false;
  std::uint64_t records = 0;
  std::uint64_t arrows = 0;
};

Found read_trace(const std::string& path) {
  const auto loaded = formats::input::load({path}, {});
  if (!loaded.ok()) return {};
  const trace::Trace& trace = loaded.value().trace;
  return {!trace.diagnostics.has_loss(), trace.events.size(), trace.flows.size()};
}

Found read_kernel(const std::string& path) {
  Diagnostics findings;
  const auto profile = formats::kernel_profile::read_kernel_profile(path, {}, findings);
  if (!profile.ok()) return {};
  std::uint64_t records = 0;
  for (const trace::KernelLane& lane : profile.value().lanes) records += lane.seen;
  return {!findings.has_loss(), records, 0};
}

}  // namespace

int main() {
  for (std::string sort, path; std::cin >> sort && std::getline(std::cin >> std::ws, path);) {
    const Found found = sort == "kernel" ? read_kernel(path) : read_trace(path);
    std::cout << (found.is_whole ? 0 : 3) << ' ' << found.records << ' ' << found.arrows << "\n";
  }
}
