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

void sum_up_bubbles(std::span<const Bubble> bubbles, const Thresholds& thresholds,
                    std::vector<AnomalyStep>& steps) {
  std::vector<std::vector<const Bubble*>> by_step(steps.size());
  for (const Bubble& bubble : bubbles) {
    if (!bubble.is_artefact()) by_step[bubble.step].push_back(&bubble);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    AnomalyStep& step = steps[i];
    step.facts.bubbles = {};
    for (const Bubble* bubble : by_step[i]) add_bubble(*bubble, step.facts.bubbles);
    step.labels = labels_of_step(
        by_step[i],
        limit_of(thresholds.heavy_gap_us, thresholds.heavy_gap_share, step.facts.gaps.service));
  }
}

void sum_up_communication(const DeviceIndex& index, const DeviceTimeline& timeline,
                          std::vector<AnomalyStep>& steps) {
  if (timeline.communicating.empty()) return;
  const algo::CoveringIndex waiting(index.notify_waits(timeline));
  for (AnomalyStep& step : steps) {
    CommEvidence& comm = step.facts.comm;
    for (const std::uint32_t k : step.kernels) {
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
}

}  // namespace lockstep::analysis::anomalies
