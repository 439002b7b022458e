// Sums over small kernels, and a sentence.
#include "analysis/anomalies/small_ops.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep {
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
  const std::string figures = fmt::format(
      "{} of {} kernels are shorter than {:g} us: {} of work and {} of gaps before them, {:.1f} % "
      "of the span",
      grouped(small.count), grouped(small.all), limit_us, human_time(narrowed(small.duration)),
      human_time(narrowed(small.gaps)), share * 100);
  if (!small.matters) return figures + ". They do not matter.";
  return figures + (small.gaps > small.duration
                        ? ". They matter, for the launch gaps, not the kernels."
                        : ". They matter, for the kernels themselves, not the launch gaps.");
}

}  // namespace

SmallOps judge_small_ops(const DeviceTimeline& timeline, std::span<const KernelGaps> gaps,
                         const Thresholds& thresholds) {
  const Time limit = limit_of(thresholds.small_op_us, 0, Time{});
  SmallOps small;
  for (std::size_t i = 0; i < timeline.kernels.size(); ++i) {
    const DeviceWork& kernel = timeline.kernels[i];
    if (kernel.kind == Kind::kCommunication) continue;
    ++small.all;
    if (kernel.duration() >= limit) continue;
    ++small.count;
    small.duration += kernel.duration().ps;
    small.gaps += gaps[i].to_device.ps;
  }
  const Time span = span_of(timeline);
  small.matters = small.count > 0 && static_cast<double>(small.duration + small.gaps) >=
                                         kSmallOpsMatter * static_cast<double>(span.ps);
  small.judgement = judgement_of(small, span, thresholds.small_op_us);
  return small;
}

}  // namespace lockstep
