// Compares what lies at the ends of a stream with the loops of passes in it, by their layers.
#include "analysis/cycles/spans/cut_passes.h"

#include <algorithm>
#include <set>

namespace lockstep::analysis::cycles {
namespace {

bool is_inside(const Nest& nest, std::int32_t loop, std::int32_t outer) {
  while (loop != kNoLoop && loop != outer) loop = nest.loops[static_cast<std::size_t>(loop)].parent;
  return loop == outer;
}

// Whether iterations of the loop run layers with one of these bodies.
bool runs_any(const StreamCycles& cycles, std::int32_t loop, const std::set<std::uint32_t>& ids) {
  for (std::size_t i = 0; i < cycles.nest.loops.size(); ++i) {
    const bool is_layer = cycles.loops[i].role == LoopRole::kLayer;
    if (is_layer && ids.contains(cycles.nest.loops[i].id) &&
        is_inside(cycles.nest, static_cast<std::int32_t>(i), loop))
      return true;
  }
  return false;
}

bool is_cut(const StreamCycles& cycles, const std::vector<WorkSpan>& spans, const WorkSpan& end) {
  std::set<std::uint32_t> ids;
  for (const std::size_t loop : end.layer_loops) ids.insert(cycles.nest.loops[loop].id);
  return std::ranges::any_of(spans, [&](const WorkSpan& other) {
    return other.span.loop != kNoLoop && other.span.layers > end.span.layers &&
           runs_any(cycles, other.span.loop, ids);
  });
}

}  // namespace

void forget_cut_passes(const StreamCycles& cycles, std::vector<WorkSpan>& spans) {
  for (WorkSpan& span : spans) {
    const bool is_at_an_end = span.span.start == 0 || span.span.end == cycles.stream.size();
    if (!is_at_an_end || span.span.loop != kNoLoop || span.span.layers == 0) continue;
    if (!is_cut(cycles, spans, span)) continue;
    span.span.layers = 0;
    span.span.passes = 0;
  }
}

}  // namespace lockstep::analysis::cycles
