// Soft labels of bubbles.
#include "analysis/anomalies/evidence/labels.h"

#include <array>

namespace lockstep::analysis::anomalies {
namespace {

bool covers(Time part, double share, Time whole) { return part >= limit_of(0, share, whole); }

// The device had its next kernel already, so that the host did not keep it waiting.
bool was_fed(const LaunchSplit& launch, Time length, const Thresholds& thresholds) {
  return launch.queued_part > limit_of(0, 1 - thresholds.host_part_share, length);
}

// One thread did all that the host did, and most of that was Python.
bool is_python(const HostCoverage& host, const Thresholds& thresholds) {
  return host.host_parallelism < thresholds.label_parallelism &&
         covers(host.python_covered, thresholds.label_python, host.host_covered);
}

// What is left to say of a gap without a label: one thing only.
SoftLabel label_of_the_host(const HostCoverage& host, Time length, const Thresholds& thresholds,
                            AnomalyRules rules) {
  if (rules == AnomalyRules::kRulebook && is_python(host, thresholds)) {
    return SoftLabel::kPythonSerializationOrLock;
  }
  if (covers(host.host_covered, thresholds.label_launch_lag, length)) {
    return SoftLabel::kHostLaunchLag;
  }
  if (host.host_parallelism < thresholds.label_parallelism) {
    return SoftLabel::kPythonSerializationOrLock;
  }
  return SoftLabel::kInsufficientEvidence;
}

}  // namespace

SoftLabels soft_labels(const Gap& gap, const HostCoverage& host, const LaunchSplit& launch,
                       const Thresholds& thresholds, AnomalyRules rules) {
  const Time length = gap.length();
  const bool may_be_host = rules == AnomalyRules::kScript || !was_fed(launch, length, thresholds);
  SoftLabels labels;
  if (covers(host.sync_covered, thresholds.label_sync, length)) {
    labels.add(SoftLabel::kSyncOrH2d);
  }
  if (covers(host.comm_covered, thresholds.label_comm, length)) {
    labels.add(SoftLabel::kCommWait);
  }
  if (may_be_host && !covers(host.host_covered, thresholds.label_untraced, length)) {
    labels.add(SoftLabel::kUntracedHostBlocking);
  }
  if (labels.empty()) {
    labels.add(may_be_host ? label_of_the_host(host, length, thresholds, rules)
                           : SoftLabel::kInsufficientEvidence);
  }
  return labels;
}

std::vector<SoftLabels> label_gaps(bool has_host_events, std::span<const Gap> gaps,
                                   std::span<const HostCoverage> hosts,
                                   std::span<const LaunchSplit> launches,
                                   const Thresholds& thresholds, AnomalyRules rules) {
  std::vector<SoftLabels> labels;
  labels.reserve(gaps.size());
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    labels.push_back(has_host_events && !gaps[i].touches_edge
                         ? soft_labels(gaps[i], hosts[i], launches[i], thresholds, rules)
                         : SoftLabels{SoftLabel::kInsufficientEvidence});
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
