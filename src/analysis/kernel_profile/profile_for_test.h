// Profiles written by hand: lanes of the device's timer, so that a tick is a nanosecond.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/time.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

constexpr Time ns(std::int64_t count) { return {count * kPicosecondsPerNanosecond}; }

inline trace::KernelRecord begin_of(std::uint32_t event, std::int64_t at) {
  return {.ticks = at, .event = event, .type = trace::RecordType::kBegin};
}
inline trace::KernelRecord end_of(std::uint32_t event, std::int64_t at) {
  return {.ticks = at, .event = event, .type = trace::RecordType::kEnd};
}
inline trace::KernelRecord instant_of(std::uint32_t event, std::int64_t at) {
  return {.ticks = at, .event = event, .type = trace::RecordType::kInstant};
}
inline trace::KernelRecord switch_of(std::uint32_t ended, std::uint32_t begun, std::int64_t at) {
  return {.ticks = at, .event = begun, .payload = ended, .type = trace::RecordType::kSwitch};
}
inline trace::KernelRecord region_of(std::uint32_t event, std::int64_t at, std::uint32_t length) {
  return {.ticks = at, .length = length, .event = event, .type = trace::RecordType::kRegion};
}
inline trace::KernelRecord async_of(trace::KernelRecord edge, std::uint32_t token) {
  edge.payload = token;
  edge.is_async = true;
  return edge;
}

struct TestLane {
  std::uint64_t block = 0;
  std::uint32_t group = 0;
  std::vector<trace::KernelRecord> records;
  std::int32_t sm = -1;
  std::uint32_t launch = 0;
  std::uint64_t dropped = 0;
  bool is_ring = false;
};

// Lanes are given by launch, block, group.
inline trace::KernelProfile profile_of(const std::vector<TestLane>& lanes) {
  trace::KernelProfile profile;
  profile.format = "test";
  profile.timer_tick_ns = 1;
  std::vector<trace::KernelRecord> records;
  for (const TestLane& from : lanes) {
    trace::KernelLane lane;
    lane.launch = from.launch;
    lane.block = from.block;
    lane.group = from.group;
    lane.sm = lane.sm_end = from.sm;
    lane.written = from.records.size();
    lane.seen = lane.written + from.dropped;
    lane.is_ring = from.is_ring;
    lane.is_finalized = true;
    lane.first_record = records.size();
    records.insert(records.end(), from.records.begin(), from.records.end());
    while (profile.launches.size() <= from.launch) {
      profile.launches.emplace_back().id = static_cast<std::uint32_t>(profile.launches.size());
    }
    profile.lanes.push_back(std::move(lane));
  }
  profile.records = std::make_shared<trace::DecodedRecords>(std::move(records));
  return profile;
}

}  // namespace lockstep::analysis::kernel_profile
