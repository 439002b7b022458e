// Names stand once in a recording and wherever they are used in what is made of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace lockstep::formats::kernel_profile {

// Cuts names so that `uses` of them, all of the longest, fill no more than 16 times the recording's
// `bytes` and a megabyte: one long name on millions of records of 8 bytes would fill the disk.
// Names of up to 128 bytes are never cut by that.
void limit_names(std::vector<std::string>& names, std::uint64_t uses, std::uint64_t bytes,
                 Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile
