// Findings that lanes of every format can give rise to.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// "launch 0, block 3, group 1".
[[nodiscard]] std::string name_of(const trace::KernelProfile& profile,
                                  const trace::KernelLane& lane);

// Migrations, missing ends where the format has ends, lanes that are there twice. Lanes are sorted.
void report_lanes(const trace::KernelProfile& profile, bool has_ends, Diagnostics& findings);
// Events that were seen and not kept.
void report_drops(const trace::KernelProfile& profile, Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile
