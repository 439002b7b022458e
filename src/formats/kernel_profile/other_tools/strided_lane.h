// One lane of a strided buffer (TVM, FlashInfer): its words in the order of the program, and what
// becomes of them.
//
// word = timer[63:32] tag[31:0], tag = lane[31:12] event[11:2] type[1:0]; type 0 begin, 1 end,
// 2 instant, 3 finalize (TVM only).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile::strided {

inline std::uint32_t time_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
inline std::uint32_t tag_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
inline std::uint32_t lane_field(std::uint64_t word) { return tag_of(word) >> 12; }
inline std::uint32_t event_of(std::uint64_t word) { return tag_of(word) >> 2 & 0x3FF; }
inline std::uint32_t type_of(std::uint64_t word) { return tag_of(word) & 3; }

inline constexpr std::uint32_t kFinalizeType = 3;
inline constexpr std::uint64_t kLaneNumbers = 1U << 20;  // of lane[31:12]

// A word and the slot of the buffer that it lies in.
struct Slot {
  std::uint64_t word = 0;
  std::uint64_t at = 0;
};

struct StridedLane {
  std::vector<trace::KernelRecord> records;  // ticks in ns, wraps within the lane undone
  bool is_finalized = false;
  std::int64_t end = 0;  // time of its finalize
  std::uint64_t stale = 0;
  std::uint64_t wraps = 0;
  std::uint64_t zero_records = 0;  // put back
  std::uint64_t holes = 0;
  std::uint64_t misplaced = 0;
  std::uint64_t bad_type = 0;
};

struct LaneRules {
  bool has_finalize = true;
  std::uint64_t stride = 0;  // 0: not known
  // Whether an empty word is a record of this lane: a begin of event 0 at time 0 by lane 0.
  bool can_be_zero = false;
};

// `slots` ascend. `lane` is the number that its first slot follows from.
[[nodiscard]] StridedLane decode_lane(std::span<const Slot> slots, std::uint64_t lane,
                                      const LaneRules& rules);

// The distance between the slots of lanes, as most neighbouring records have it; 0: no two are
// neighbours. `distances` holds those of all neighbours and is sorted.
[[nodiscard]] std::uint64_t likely_stride(std::vector<std::uint64_t>& distances);

// Times of lanes are 32 bits of one timer. Where lanes begin on both sides of a wrap, gives the
// time from which on begins are before it: all below lie behind. Lanes of a launch begin within
// 2 s of each other.
[[nodiscard]] std::optional<std::uint32_t> split_by_wrap(std::vector<std::uint32_t> begins);

}  // namespace lockstep::formats::kernel_profile::strided
