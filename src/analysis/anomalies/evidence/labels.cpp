// Soft labels of bubbles.
#include "analysis/anomalies/evidence/labels.h"

#include <array>

namespace lockstep::analysis::anomalies {
namespace {

bool covers(Time part, double share, Time whole) { return part >= limit_of(0, share, whole); }

// The device had its next kernel already, so that the host did not keep it waiting.
bool was_fed(const Bubble& bubble, const Thresholds& thresholds) {
  return bubble.queued_part > limit_of(0, 1 - thresholds.host_part_share, bubble.length());
}

// One thread did all that the host did, and most of that was Python.
bool is_python(const Bubble& bubble, const Thresholds& thresholds) {
  return bubble.host_parallelism < thresholds.label_parallelism &&
         covers(bubble.python_covered, thresholds.label_python, bubble.host_covered);
}

// What is left to say of a bubble without a label: one thing only.
SoftLabel label_of_the_host(const Bubble& bubble, const Thresholds& thresholds,
                            AnomalyRules rules) {
  if (rules == AnomalyRules::kRulebook && is_python(bubble, thresholds)) {
    return SoftLabel::kPythonSerializationOrLock;
  }
  if (covers(bubble.host_covered, thresholds.label_launch_lag, bubble.length())) {
    return SoftLabel::kHostLaunchLag;
  }
  if (bubble.host_parallelism < thresholds.label_parallelism) {
    return SoftLabel::kPythonSerializationOrLock;
  }
  return SoftLabel::kInsufficientEvidence;
}

}  // namespace

SoftLabels soft_labels(const Bubble& bubble, const Thresholds& thresholds, AnomalyRules rules) {
  const Time length = bubble.length();
  const bool may_be_host = rules == AnomalyRules::kScript || !was_fed(bubble, thresholds);
  SoftLabels labels;
  if (covers(bubble.sync_covered, thresholds.label_sync, length)) {
    labels.add(SoftLabel::kSyncOrH2d);
  }
  if (covers(bubble.comm_covered, thresholds.label_comm, length)) {
    labels.add(SoftLabel::kCommWait);
  }
  if (may_be_host && !covers(bubble.host_covered, thresholds.label_untraced, length)) {
    labels.add(SoftLabel::kUntracedHostBlocking);
  }
  if (labels.empty()) {
    labels.add(may_be_host ? label_of_the_host(bubble, thresholds, rules)
                           : SoftLabel::kInsufficientEvidence);
  }
  return labels;
}

SoftLabels labels_of_most(std::span<const Bubble* const> bubbles) {
  WideTime total = 0;
  std::array<WideTime, kSoftLabelCount> times{};
  for (const Bubble* const bubble : bubbles) {
    total += bubble->length().ps;
    for (std::size_t i = 0; i < kSoftLabelCount; ++i) {
      if (bubble->labels.has(static_cast<SoftLabel>(i))) times[i] += bubble->length().ps;
    }
  }
  SoftLabels most;
  for (std::size_t i = 0; i < kSoftLabelCount; ++i) {
    if (times[i] > 0 && 2 * times[i] >= total) most.add(static_cast<SoftLabel>(i));
  }
  return most;
}

}  // namespace lockstep::analysis::anomalies
