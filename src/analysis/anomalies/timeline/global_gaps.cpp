// The device from its first to its last kernel.
#include "analysis/anomalies/timeline/global_gaps.h"

#include <algorithm>

#include "algo/intervals/covering_index.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::size_t kTopGlobalGaps = 5;

Time covered_of(const std::vector<algo::Interval>& pieces, Time start, Time end) {
  return {static_cast<std::int64_t>(algo::CoveringIndex(pieces).length_in({start.ps, end.ps}))};
}

}  // namespace

GlobalGaps global_gaps(const DeviceTimeline& timeline) {
  GlobalGaps gaps;
  const std::vector<algo::Interval>& busy = timeline.busy;
  if (busy.empty()) return gaps;
  const Time first{busy.front().begin};
  const Time last{busy.back().end};
  gaps.span = last - first;
  gaps.busy = covered_of(busy, first, last);
  gaps.any_busy = covered_of(timeline.any_busy, first, last);
  gaps.gap = gaps.span - gaps.busy;
  for (std::size_t i = 1; i < busy.size(); ++i)
    gaps.top.push_back({busy[i - 1].end, busy[i].begin});
  const auto longer = [](const algo::Interval& a, const algo::Interval& b) {
    if (a.end - a.begin != b.end - b.begin) return a.end - a.begin > b.end - b.begin;
    return a.begin < b.begin;
  };
  const std::size_t kept = std::min(kTopGlobalGaps, gaps.top.size());
  std::ranges::partial_sort(gaps.top, gaps.top.begin() + static_cast<std::ptrdiff_t>(kept), longer);
  gaps.top.resize(kept);
  if (kept > 0) gaps.largest = {gaps.top.front().end - gaps.top.front().begin};
  return gaps;
}

}  // namespace lockstep::analysis::anomalies
