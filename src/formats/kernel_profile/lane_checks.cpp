// Looks at lanes after decoding.
#include "formats/kernel_profile/lane_checks.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/on_threads.h"
#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep {
namespace {

// Below this many records a second thread takes longer to start than to help.
constexpr std::uint64_t kRecordsPerThread = 1'000'000;
constexpr std::size_t kLanesPerBatch = 64;  // that a thread takes at once

std::vector<LaneCheck> check_all(const KernelProfile& profile, const LkpRecords& records) {
  std::vector<LaneCheck> checks(profile.lanes.size());
  std::uint64_t total = 0;
  for (const KernelLane& lane : profile.lanes) total += lane.written;
  const auto check_batch = [&](std::size_t, std::size_t batch) {
    const std::size_t end = std::min((batch + 1) * kLanesPerBatch, checks.size());
    for (std::size_t i = batch * kLanesPerBatch; i < end; ++i) {
      const KernelLane& lane = profile.lanes[i];
      checks[i] = records.check(lane, profile.anchors_of(lane), profile.event_names.size());
    }
  };
  const std::size_t threads =
      std::min<std::uint64_t>(total / kRecordsPerThread + 1, thread_count(0));
  run_on_threads(threads, (checks.size() + kLanesPerBatch - 1) / kLanesPerBatch, check_batch);
  return checks;
}

}  // namespace

std::string name_of(const KernelProfile& profile, const KernelLane& lane) {
  return fmt::format("launch {}, block {}, group {}", profile.launches[lane.launch].id, lane.block,
                     lane.group);
}

void report_lanes(const KernelProfile& profile, bool has_ends, Diagnostics& findings) {
  for (std::size_t i = 0; i < profile.lanes.size(); ++i) {
    const KernelLane& lane = profile.lanes[i];
    if (lane.sm >= 0 && lane.sm_end >= 0 && lane.sm != lane.sm_end) {
      findings.add(
          kMigrated, Place::row(i),
          fmt::format("{}, from SM {} to SM {}", name_of(profile, lane), lane.sm, lane.sm_end));
    }
    if (has_ends && !lane.is_finalized) {
      findings.add(kNotFinalized, Place::row(i), name_of(profile, lane));
    }
    if (i == 0) continue;
    const KernelLane& before = profile.lanes[i - 1];
    if (before.launch == lane.launch && before.block == lane.block && before.group == lane.group) {
      findings.add(kDuplicateLane, Place::row(i), name_of(profile, lane));
    }
  }
}

void report_drops(const KernelProfile& profile, Diagnostics& findings) {
  for (std::size_t i = 0; i < profile.lanes.size(); ++i) {
    const KernelLane& lane = profile.lanes[i];
    if (lane.seen <= lane.written) continue;
    findings.add(kDropped, Place::row(i), name_of(profile, lane), lane.seen - lane.written);
  }
}

void report_records(const KernelProfile& profile, const LkpRecords& records,
                    Diagnostics& findings) {
  const std::vector<LaneCheck> checks = check_all(profile, records);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const LaneCheck& check = checks[i];
    const auto add = [&](const DiagnosticKind& kind, std::uint64_t count) {
      if (count == 0) return;
      findings.add(kind, Place::row(i), name_of(profile, profile.lanes[i]), count);
    };
    add(kWrapped, check.wraps);
    add(kWrapAmbiguous, check.is_ambiguous ? 1 : 0);
    add(kClockDisorder, check.is_disordered ? 1 : 0);
    add(kClockOutsideAnchors, check.outside_anchors);
    if (check.unnamed_events > 0) {
      findings.add(kEventWithoutName, Place::row(i), fmt::format("event {}", check.first_unnamed),
                   check.unnamed_events);
    }
  }
}

}  // namespace lockstep
