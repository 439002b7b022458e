// Iterations and phases as windows.
#include "analysis/cycles/measure/loop_breakdown.h"

#include <algorithm>
#include <vector>

namespace lockstep::analysis::cycles {
namespace {

breakdown::Window window_of(const KernelStream& stream, const PhaseSpan& span) {
  if (span.start >= span.end || span.end > stream.size()) return {};
  const Time last =
      *std::max_element(stream.ends.begin() + span.start, stream.ends.begin() + span.end);
  return {stream.starts[span.start], last};
}

}  // namespace

void break_down(const breakdown::Occupancy& occupancy, StreamCycles& cycles) {
  std::vector<breakdown::Window> windows;
  for (Loop& loop : cycles.loops) {
    windows.clear();
    for (const IterationTime& one : loop.iterations)
      windows.push_back({one.start, one.start + one.wall});
    loop.breakdown = occupancy.over(windows);
  }
  for (PhaseSpan& span : cycles.phases) {
    windows.assign(1, window_of(cycles.stream, span));
    span.breakdown = occupancy.over(windows);
  }
}

}  // namespace lockstep::analysis::cycles
