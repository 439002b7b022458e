// Reads .lkp files. Records stay where they lie; everything else is checked and taken over.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/lkp_writer.h"
#include "trace/kernel_profile.h"

namespace lockstep {

// `owner`, when given, keeps the bytes; else they must outlive the profile.
[[nodiscard]] Result<KernelProfile> read_lkp(std::span<const std::byte> bytes,
                                             std::span<const std::string> names,
                                             std::shared_ptr<const void> owner,
                                             Diagnostics& findings);

// What META says; what is not there stays empty.
[[nodiscard]] LkpMeta parse_lkp_meta(std::span<const std::byte> json, Diagnostics& findings);

}  // namespace lockstep
