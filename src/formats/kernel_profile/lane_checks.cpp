// Looks at lanes after decoding.
#include "formats/kernel_profile/lane_checks.h"

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep::formats::kernel_profile {

void check_records(const trace::KernelProfile& profile, const LkpRecords& records) {
  trace::RecordScratch scratch;
  for (const trace::KernelLane& lane : profile.lanes) {
    records.check(lane, profile.anchors_of(lane), scratch);
  }
}

std::string name_of(const trace::KernelProfile& profile, const trace::KernelLane& lane) {
  return fmt::format("launch {}, block {}, group {}", profile.launches[lane.launch].id, lane.block,
                     lane.group);
}

void report_lanes(const trace::KernelProfile& profile, bool has_ends, Diagnostics& findings) {
  for (std::size_t i = 0; i < profile.lanes.size(); ++i) {
    const trace::KernelLane& lane = profile.lanes[i];
    if (lane.sm >= 0 && lane.sm_end >= 0 && lane.sm != lane.sm_end) {
      findings.add(
          kMigrated, Place::row(i),
          fmt::format("{}, from SM {} to SM {}", name_of(profile, lane), lane.sm, lane.sm_end));
    }
    if (has_ends && !lane.is_finalized) {
      findings.add(kNotFinalized, Place::row(i), name_of(profile, lane));
    }
    if (i == 0) continue;
    const trace::KernelLane& before = profile.lanes[i - 1];
    if (before.launch == lane.launch && before.block == lane.block && before.group == lane.group) {
      findings.add(kDuplicateLane, Place::row(i), name_of(profile, lane));
    }
  }
}

void report_drops(const trace::KernelProfile& profile, Diagnostics& findings) {
  for (std::size_t i = 0; i < profile.lanes.size(); ++i) {
    const trace::KernelLane& lane = profile.lanes[i];
    if (lane.seen <= lane.written) continue;
    findings.add(kDropped, Place::row(i), name_of(profile, lane), lane.seen - lane.written);
  }
}

void report_records(const trace::KernelProfile& profile, const LkpRecords& records,
                    Diagnostics& findings) {
  for (std::size_t i = 0; i < profile.lanes.size(); ++i) {
    const LaneCheck check = records.found(profile.lanes[i]);
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

}  // namespace lockstep::formats::kernel_profile
