// The cost of a marker, as --overhead gives it.
#pragma once

#include <string>

#include "base/result.h"
#include "trace/kernel_profile.h"

namespace lockstep::cli {

// `words` are a number of cycles, or the name of a file of `kernel overhead --json`: of that the
// default marker at the number of warps nearest to the profile's blocks.
[[nodiscard]] Result<double> marker_cycles(const std::string& words,
                                           const trace::KernelProfile& profile);

}  // namespace lockstep::cli
