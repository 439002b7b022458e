// Writes collected channels as a .lkp file.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "formats/kernel_profile/lkp/lkp_writer.h"
#include "host/channel_reader.h"

namespace lockstep::device {

// The index of a kernel's name in META, added where it is new; 0xFFFFFFFF for an empty name.
[[nodiscard]] std::uint32_t kernel_index(formats::kernel_profile::LkpMeta& meta,
                                         const std::string& kernel);

[[nodiscard]] Status write_collected(const CollectedLanes& collected,
                                     formats::kernel_profile::LkpMeta meta,
                                     const std::string& path);

}  // namespace lockstep::device
