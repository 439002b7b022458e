// Sums over small kernels, and a sentence.
#include "analysis/anomalies/timeline/small_ops.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algo/intervals/covering_index.h"
#include "algo/intervals/intervals.h"
#include "base/text.h"

namespace lockstep::analysis::anomalies {
namespace {

Time narrowed(WideTime sum) { return Time{static_cast<std::int64_t>(sum)}; }

Time span_of(const DeviceTimeline& timeline) {
  if (timeline.busy.empty()) return {};
  return Time{timeline.busy.back().end - timeline.busy.front().begin};
}

std::string judgement_of(const SmallOps& small, Time span, double limit_us) {
  if (small.count == 0) return fmt::format("No kernel is shorter than {:g} us.", limit_us);
  const WideTime cost = small.duration + small.gaps;
  const double share = static_cast<double>(cost) / static_cast<double>(std::max(span.ps, 1L));
  const bool is_one = small.count == 1;
  const std::string apart = small.apart == 0 ? ""
                                             : fmt::format(" (without {} of long gaps)",
                                                           human_time(narrowed(small.apart)));
  const std::string figures = fmt::format(
      "{} of {} {} shorter than {:g} us: {} of work and {} of gaps before {}{}, {:.1f} % of the "
      "span",
      grouped(small.count), counted(small.all, "kernel"), is_one ? "is" : "are", limit_us,
      human_time(narrowed(small.duration)), human_time(narrowed(small.gaps)),
      is_one ? "it" : "them", apart, share * 100);
  if (!small.matters) return figures + (is_one ? ". It does not matter." : ". They do not matter.");
  return fmt::format("{}. {}, {}.", figures, is_one ? "It matters" : "They matter",
                     small.gaps > small.duration ? "for the launch gaps, not for the work"
                                                 : "for the work itself, not for the launch gaps");
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
  const Time span = span_of(timeline);
  small.matters = small.count > 0 && static_cast<double>(small.duration + small.gaps) >=
                                         thresholds.small_ops_matter * static_cast<double>(span.ps);
  small.judgement = judgement_of(small, span, thresholds.small_op_us);
  return small;
}

}  // namespace lockstep::analysis::anomalies
