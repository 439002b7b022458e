// Takes the lanes and anchors of a .lkp file over.
#pragma once

#include "base/diagnostics.h"
#include "formats/kernel_profile/lkp/lkp_sections.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// Fills `profile.lanes` and `profile.anchors`; its launches are there already. After it every lane
// has a launch, its own records and its own anchors, in order of time; `first_record` counts as
// LkpRecords wants it. Lanes of the steady counter get their anchors' clocks in ns.
void take_lanes(const LkpSections& sections, double steady_step_ns, trace::KernelProfile& profile,
                Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile
