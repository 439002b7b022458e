// Event buffers of intra-kernel-profiler (IKP): 16 bytes an event, {u64 timer, u16 event, u16 type,
// u16 block, u16 multiprocessor << 6 | warp}, a ring per warp.
#pragma once

#include <cstddef>
#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "formats/kernel_profile/profile_meta.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

struct IkpEvent {
  std::uint64_t timer;
  std::uint16_t event;
  std::uint16_t type;  // 0 begin, 1 end, 2 instant
  std::uint16_t block;
  std::uint16_t place;  // multiprocessor[15:6] warp[5:0]
};
static_assert(sizeof(IkpEvent) == 16);

// With "lane_capacity" and "groups" in --meta the place of an event tells its block and warp, and
// "counters" how many events a warp passed; else both come from the events.
[[nodiscard]] Result<trace::KernelProfile> decode_ikp(std::span<const std::byte> bytes,
                                                      const KernelDecodeOptions& options,
                                                      const ProfileMeta& meta,
                                                      Diagnostics& findings);

}  // namespace lockstep::formats::kernel_profile
