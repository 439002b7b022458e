// From what overlaps a bubble to what may be behind it.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/verdict/tags.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::analysis::anomalies {

// In this order; a label marked (only) is given where no earlier one was.
//   sync share >= label_sync            possible_sync_or_h2d
//   comm share >= label_comm            possible_comm_wait
//   host share < label_untraced         possible_untraced_host_blocking
//   parallelism < label_parallelism and at least label_python of the host's time in leaf Python
//   frames                              possible_python_serialization_or_lock (only)
//   host share >= label_launch_lag      possible_host_launch_lag (only)
//   parallelism < label_parallelism     possible_python_serialization_or_lock (only)
//   else                                insufficient_evidence (only)
// Shares are of the bubble's length. A bubble whose next kernel had been launched before it
// (queued_part > 1 - host_part_share of it) is not the host's: no untraced, lag or Python label.
// With kScript the fourth line and the last rule are left out, as the reference script has it.
[[nodiscard]] SoftLabels soft_labels(const Gap& gap, const HostCoverage& host,
                                     const LaunchSplit& launch, const Thresholds& thresholds,
                                     AnomalyRules rules);
// By gap. Where the host was not recorded at all, and at the edge of the capture, nobody can tell.
[[nodiscard]] std::vector<SoftLabels> label_gaps(bool has_host_events, std::span<const Gap> gaps,
                                                 std::span<const HostCoverage> hosts,
                                                 std::span<const LaunchSplit> launches,
                                                 const Thresholds& thresholds, AnomalyRules rules);

// The labels of most of the time: those that hold for at least half of what `bubbles` last.
[[nodiscard]] SoftLabels labels_of_most(std::span<const Bubble* const> bubbles);

}  // namespace lockstep::analysis::anomalies
