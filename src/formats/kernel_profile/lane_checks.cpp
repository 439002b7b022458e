// Looks at lanes after decoding.
#include "formats/kernel_profile/lane_checks.h"

#include <fmt/format.h>

#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep::formats::kernel_profile {

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

}  // namespace lockstep::formats::kernel_profile
