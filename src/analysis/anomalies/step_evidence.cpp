// Sums over the bubbles and collectives of steps.
#include "analysis/anomalies/step_evidence.h"

#include <algorithm>
#include <unordered_map>

#include "algo/covering_index.h"
#include "analysis/anomalies/labels.h"

namespace lockstep {
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

constexpr std::string_view kNotifyWait = "Notify_Wait";
constexpr std::string_view kNotifyWaitInTables = "Notify Wait";

// When planes of the device's communication waited for a peer.
std::vector<Interval> notify_waits(const Trace& trace, const DeviceTimeline& timeline) {
  std::vector<Interval> waits;
  std::vector<std::int8_t> is_wait(trace.strings.size(), -1);  // by StringId; -1: not looked at
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events.kind[i] != Kind::kEventWait) continue;
    const Track& track = trace.track_of(i);
    if (track.device != timeline.device || trace.rank_of(track) != timeline.rank) continue;
    std::int8_t& known = is_wait[static_cast<std::size_t>(trace.events.name[i])];
    const std::string_view name = trace.text(trace.events.name[i]);
    if (known < 0) known = name == kNotifyWait || name == kNotifyWaitInTables ? 1 : 0;
    if (known == 1) waits.push_back({trace.events.start[i].ps, trace.events.end(i).ps});
  }
  reduce_to_covering(waits);
  return waits;
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

void sum_up_communication(const Trace& trace, const DeviceTimeline& timeline,
                          std::vector<AnomalyStep>& steps) {
  if (timeline.communicating.empty()) return;
  std::unordered_map<std::uint32_t, const Collective*> known;
  for (const Collective& one : trace.collectives)
    known.try_emplace(static_cast<std::uint32_t>(one.event), &one);
  const std::vector<Interval> waits = notify_waits(trace, timeline);
  const CoveringIndex waiting(waits);
  for (AnomalyStep& step : steps) {
    CommEvidence& comm = step.facts.comm;
    for (const std::uint32_t k : step.kernels) {
      const DeviceWork& work = timeline.kernels[k];
      if (work.kind != Kind::kCommunication) continue;
      comm.elapsed += work.duration();
      comm.notify_wait +=
          Time{static_cast<std::int64_t>(waiting.length_in({work.start.ps, work.end.ps}))};
      const auto found = known.find(static_cast<std::uint32_t>(work.event));
      if (found == known.end() || !found->second->transit) {
        comm.unmeasured += work.duration();
        continue;
      }
      comm.transit = comm.transit.value_or(Time{}) + *found->second->transit;
    }
  }
}

}  // namespace lockstep
