// What the user asks of one channel of in-kernel records, and what memory that takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "lockstep/profile_layout.h"

namespace lockstep::device {

// The sizes of the buffer of one channel. A launch with more blocks or groups than said here is
// recorded as far as the lanes go; its other leaders are counted (Control::lost_leaders).
struct ChannelConfig {
  std::uint64_t blocks = 0;         // of the largest launch; not needed with profile::kOnePerSm
  std::uint32_t groups = 1;         // of a block
  std::uint32_t records = 1022;     // a lane holds at least so many
  bool has_region_records = false;  // 16 bytes each (RegionPolicy), else 8
  std::uint32_t launch_slots = 1;   // launches that are kept; a power of two
  std::uint32_t anchor_capacity = 64;
  std::uint32_t anchor_interval_ns = 20'000;  // between interior anchors; 0: only those by hand
  profile::Selection selection = profile::kAllBlocks;
  std::uint32_t selection_step = 1;               // of profile::kEveryNth
  std::vector<std::uint64_t> listed_blocks = {};  // of profile::kListed; each below `blocks`
  std::uint32_t multiprocessors = 0;  // of profile::kOnePerSm; a session knows its device's
};

// What a buffer must be aligned to.
inline constexpr std::uint64_t kBufferAlignment = 16;

// Where the parts of a buffer lie, from its start. The records are aligned as addresses, so that
// this depends on where the buffer is.
struct BufferPlan {
  std::uint32_t lanes = 0;  // of one launch
  std::uint32_t lane_bytes = 0;
  std::uint32_t table_entries = 0;
  std::uint64_t selection_offset = 0;
  std::uint64_t heads_offset = 0;  // what lies before it is written by the host, once
  std::uint64_t anchors_offset = 0;
  std::uint64_t records_offset = 0;
  std::uint64_t total_bytes = 0;
};

// Bytes that are enough for a buffer at any address of kBufferAlignment.
[[nodiscard]] Result<std::uint64_t> required_bytes(const ChannelConfig& config);

[[nodiscard]] Result<BufferPlan> plan_buffer(const ChannelConfig& config, std::uint64_t address);

// What the host writes to the start of a buffer before its first launch: the Control and the table
// of the selection. `nonce` tells this use of the memory from what was there before.
[[nodiscard]] Result<std::vector<std::byte>> first_bytes(const ChannelConfig& config,
                                                         std::uint64_t address,
                                                         std::uint32_t nonce);

// A number that no earlier use of the memory had, as far as chance goes; never 0.
[[nodiscard]] std::uint32_t random_nonce();

}  // namespace lockstep::device
