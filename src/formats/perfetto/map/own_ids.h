// Numbers in files of our own that say more than that two things are the same: uuids name the track
// of the model and the lane on it, flow ids carry the kind and the direction of the arrow.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace lockstep::formats::perfetto {

// Below 2^32 stand the groups: ranks, processes and devices.
inline constexpr std::uint64_t kHeaderUuid = 0xFFFF'FFFF;
inline constexpr std::uint32_t kCounterBit = 0x8000'0000;

[[nodiscard]] constexpr std::uint64_t lane_uuid(std::size_t track, std::uint32_t lane) {
  return ((std::uint64_t{track} + 1) << 32) | lane;
}
[[nodiscard]] constexpr std::uint64_t counter_uuid(std::size_t track, std::uint32_t counter) {
  return lane_uuid(track, kCounterBit | counter);
}
[[nodiscard]] constexpr bool is_track_uuid(std::uint64_t uuid) { return uuid >> 32 != 0; }
[[nodiscard]] constexpr std::uint64_t track_of_uuid(std::uint64_t uuid) { return (uuid >> 32) - 1; }

struct FlowId {
  std::uint32_t number = 0;  // from 1
  trace::Flow::Kind kind = trace::Flow::Kind::kLaunch;
  bool is_reversed = false;  // the end that comes first in the file is where the arrow points
  std::uint32_t name = 0;    // index into the names of the header

  [[nodiscard]] constexpr std::uint64_t encoded() const {
    return std::uint64_t{number} | (kind == trace::Flow::Kind::kOther ? kOtherBit : 0) |
           (is_reversed ? kReversedBit : 0) | (std::uint64_t{name} << kNameShift);
  }
  [[nodiscard]] static constexpr FlowId decoded(std::uint64_t id) {
    return {static_cast<std::uint32_t>(id),
            (id & kOtherBit) != 0 ? trace::Flow::Kind::kOther : trace::Flow::Kind::kLaunch,
            (id & kReversedBit) != 0, static_cast<std::uint32_t>(id >> kNameShift)};
  }

  static constexpr std::uint64_t kOtherBit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kReversedBit = std::uint64_t{1} << 33;
  static constexpr unsigned kNameShift = 34;
};

}  // namespace lockstep::formats::perfetto
