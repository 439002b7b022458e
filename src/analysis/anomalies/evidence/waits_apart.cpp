// Gaps that are not laid to the kernels behind them.
#include "analysis/anomalies/evidence/waits_apart.h"

#include <utility>

#include "algo/intervals/intervals.h"
#include "analysis/anomalies/evidence/bubbles.h"
#include "analysis/anomalies/timeline/small_ops.h"
#include "analysis/anomalies/timeline/wait_anchors.h"

namespace lockstep::analysis::anomalies {

OpTable set_waits_apart(OpTable ranked, const DeviceTimeline& timeline,
                        std::span<const KernelGaps> waits, std::span<const Bubble> bubbles,
                        std::span<const StepFrame> steps, const Thresholds& thresholds) {
  std::vector<algo::Interval> apart;
  std::vector<algo::Interval> artefacts;
  for (const Bubble& bubble : bubbles) {
    const algo::Interval gap{bubble.start.ps, bubble.end.ps};
    if (!bubble.is_judged() || is_heavy(bubble, steps[bubble.step].service(), thresholds))
      apart.push_back(gap);
    if (bubble.is_artefact()) artefacts.push_back(gap);
  }
  OpTable table = with_artefact_waits(std::move(ranked), timeline, waits, std::move(artefacts));
  table.small = judge_small_ops(timeline, waits, std::move(apart), thresholds);
  return table;
}

}  // namespace lockstep::analysis::anomalies
