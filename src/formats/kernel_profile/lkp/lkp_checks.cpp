// Looks at the records of lanes.
#include "formats/kernel_profile/lkp/lkp_checks.h"

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/lane_checks.h"

namespace lockstep::formats::kernel_profile {

void check_records(const trace::KernelProfile& profile, const LkpRecords& records) {
  trace::RecordScratch scratch;
  for (const trace::KernelLane& lane : profile.lanes) {
    records.check(lane, profile.anchors_of(lane), scratch);
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
