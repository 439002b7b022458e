// Sums over the bubbles and collectives of steps.
#include "analysis/anomalies/evidence/step_evidence.h"

#include "algo/intervals/covering_index.h"
#include "analysis/anomalies/evidence/labels.h"

namespace lockstep::analysis::anomalies {
namespace {

void add_bubble(const Bubble& bubble, BubbleEvidence& sum) {
  const Time length = bubble.length();
  const bool is_untraced = bubble.labels.has(SoftLabel::kUntracedHostBlocking);
  if (length > sum.heaviest) {
    sum.heaviest = length;
    sum.heaviest_is_untraced = is_untraced;
    sum.heaviest_touches_edge = bubble.touches_edge;
  }
  if (bubble.touches_edge) return;  // nobody may be blamed for it
  sum.total += length;
  sum.host_part += bubble.host_part;
  sum.queued_part += bubble.queued_part;
  sum.host_covered += bubble.host_covered;
  sum.sync_covered += bubble.sync_covered;
  sum.comm_covered += bubble.comm_covered;
  sum.overhead_covered += bubble.overhead_covered;
  if (is_untraced) sum.untraced += length;
  if (bubble.labels.has(SoftLabel::kCommWait)) sum.comm_labelled += length;
}

// Of its heavy bubbles; of a step without any, of most of its bubble time.
SoftLabels labels_of_step(const std::vector<const Bubble*>& bubbles, Time heavy) {
  SoftLabels labels;
  for (const Bubble* bubble : bubbles) {
    if (bubble->length() >= heavy) labels.add(bubble->labels);
  }
  return labels.empty() ? labels_of_most(bubbles) : labels;
}

}  // namespace

std::vector<StepBubbles> sum_up_bubbles(std::span<const Bubble> bubbles,
                                        const Thresholds& thresholds,
                                        std::span<const StepFrame> steps) {
  std::vector<std::vector<const Bubble*>> by_step(steps.size());
  for (const Bubble& bubble : bubbles) {
    if (!bubble.is_artefact()) by_step[bubble.step].push_back(&bubble);
  }
  std::vector<StepBubbles> sums(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const Bubble* bubble : by_step[i]) add_bubble(*bubble, sums[i].evidence);
    sums[i].labels = labels_of_step(
        by_step[i],
        limit_of(thresholds.heavy_gap_us, thresholds.heavy_gap_share, steps[i].service()));
  }
  return sums;
}

std::vector<CommEvidence> sum_up_communication(const DeviceIndex& index,
                                               const DeviceTimeline& timeline,
                                               std::span<const StepFrame> steps) {
  std::vector<CommEvidence> sums(steps.size());
  if (timeline.communicating.empty()) return sums;
  const algo::CoveringIndex waiting(index.notify_waits(timeline));
  for (std::size_t s = 0; s < steps.size(); ++s) {
    CommEvidence& comm = sums[s];
    for (const std::uint32_t k : steps[s].kernels) {
      const DeviceWork& work = timeline.kernels[k];
      if (work.kind != trace::Kind::kCommunication) continue;
      comm.elapsed += work.duration();
      comm.notify_wait +=
          Time{static_cast<std::int64_t>(waiting.length_in({work.start.ps, work.end.ps}))};
      const trace::Collective* const known = index.collective_of(work.event);
      if (known == nullptr || !known->transit) {
        comm.unmeasured += work.duration();
        continue;
      }
      comm.transit = comm.transit.value_or(Time{}) + *known->transit;
    }
  }
  return sums;
}

}  // namespace lockstep::analysis::anomalies
