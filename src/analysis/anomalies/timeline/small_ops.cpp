// Sums over small kernels.
#include "analysis/anomalies/timeline/small_ops.h"

#include "algo/intervals/covering_index.h"
#include "algo/intervals/intervals.h"

namespace lockstep::analysis::anomalies {
namespace {

Time span_of(const DeviceTimeline& timeline) {
  if (timeline.busy.empty()) return {};
  return Time{timeline.busy.back().end - timeline.busy.front().begin};
}

}  // namespace

SmallOps judge_small_ops(const DeviceTimeline& timeline, std::span<const KernelGaps> gaps,
                         std::vector<algo::Interval> apart, const Thresholds& thresholds) {
  algo::reduce_to_covering(apart);
  const algo::CoveringIndex set_apart(apart);
  const Time limit = limit_of(thresholds.small_op_us, 0, Time{});
  SmallOps small;
  for (std::size_t i = 0; i < timeline.kernels.size(); ++i) {
    const DeviceWork& kernel = timeline.kernels[i];
    if (kernel.kind == trace::Kind::kCommunication) continue;
    ++small.all;
    if (kernel.duration() >= limit) continue;
    ++small.count;
    small.duration += kernel.duration().ps;
    const algo::Interval waited{(kernel.start - gaps[i].to_device).ps, kernel.start.ps};
    const auto long_wait = static_cast<WideTime>(set_apart.length_in(waited));
    small.gaps += gaps[i].to_device.ps - long_wait;
    small.apart += long_wait;
  }
  small.limit_us = thresholds.small_op_us;
  small.span = span_of(timeline);
  small.matters =
      small.count > 0 && static_cast<double>(small.duration + small.gaps) >=
                             thresholds.small_ops_matter * static_cast<double>(small.span.ps);
  return small;
}

}  // namespace lockstep::analysis::anomalies
