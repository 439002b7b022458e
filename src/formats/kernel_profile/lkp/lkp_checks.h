// Findings that the records of a .lkp file give rise to.
#pragma once

#include "base/diagnostics.h"
#include "formats/kernel_profile/lkp/lkp_records.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// Looks at all records of a .lkp file.
void check_records(const trace::KernelProfile& profile, const LkpRecords& records);
// Wraps and unnamed events of the lanes that were looked at.
void report_records(const trace::KernelProfile& profile, const LkpRecords& records,
                    Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile
