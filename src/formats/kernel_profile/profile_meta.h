// What --meta FILE says of a buffer that does not describe itself; docs/formats/in-kernel.md has
// the members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

struct ProfileMeta {
  std::string kernel{};
  std::string device{};
  std::string arch{};
  double timer_tick_ns = 0;
  double clock_ghz = 0;
  std::vector<std::string> names{};
  trace::Extent3 grid{};
  trace::Extent3 threads{};
  std::uint32_t groups = 0;               // of a block: warps, warp groups
  std::vector<std::uint32_t> selected{};  // Proton: warps that have records
  std::uint64_t block_bytes = 0;          // Proton: scratch of a block
  std::uint32_t header_words = 0;         // Proton
  std::uint32_t clock_bits = 0;           // Proton
  std::uint64_t lane_words = 0;           // Mosaic: entries_per_warpgroup
  std::uint64_t lane_capacity = 0;        // IKP: events of a warp
  std::vector<std::uint32_t> counters{};  // IKP: events that each warp passed
};

[[nodiscard]] Result<ProfileMeta> parse_profile_meta(std::span<const std::byte> json);
// Empty path: nothing is known.
[[nodiscard]] Result<ProfileMeta> read_profile_meta(const std::string& path);

// Names, rates and the one launch that such a buffer has.
void describe(trace::KernelProfile& profile, const ProfileMeta& meta,
              std::span<const std::string> names);

}  // namespace lockstep::formats::kernel_profile
