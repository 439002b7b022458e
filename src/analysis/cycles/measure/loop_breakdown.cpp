// Iterations and phases as windows.
#include "analysis/cycles/measure/loop_breakdown.h"

#include <algorithm>
#include <vector>

namespace lockstep::analysis::cycles {
namespace {

breakdown::Window window_of(const KernelStream& stream, Iteration kernels) {
  if (kernels.start >= kernels.end || kernels.end > stream.size()) return {};
  const Time last =
      *std::max_element(stream.ends.begin() + kernels.start, stream.ends.begin() + kernels.end);
  return {stream.starts[kernels.start], last};
}

// A pass lasts until the next one of its class begins, where nothing lies between them.
std::vector<breakdown::Window> windows_of(const KernelStream& stream,
                                          const std::vector<Iteration>& passes) {
  std::vector<breakdown::Window> windows;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    windows.push_back(window_of(stream, passes[i]));
    if (i + 1 < passes.size() && passes[i + 1].start == passes[i].end)
      windows.back().end = stream.starts[passes[i].end];
  }
  return windows;
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
    windows.assign(1, window_of(cycles.stream, {span.start, span.end}));
    span.breakdown = occupancy.over(windows);
  }
  for (PassFamily& family : cycles.families) {
    for (PassClass& one : family.classes)
      one.breakdown = occupancy.over(windows_of(cycles.stream, one.passes));
  }
}

}  // namespace lockstep::analysis::cycles
