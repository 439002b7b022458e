// Reads .lkp files. Records stay where they lie; everything else is checked and taken over.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/lkp/lkp_writer.h"
#include "io/file_bytes.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// The profile keeps the file. An error also where it became shorter meanwhile.
[[nodiscard]] Result<trace::KernelProfile> read_lkp(std::shared_ptr<const io::FileBytes> file,
                                                    std::span<const std::string> names,
                                                    RecordChecks checks, Diagnostics& findings);

// What META says; what is not there stays empty.
[[nodiscard]] LkpMeta parse_lkp_meta(std::span<const std::byte> json, Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile
