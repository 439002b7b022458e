// Event buffers of intra-kernel-profiler, by tag and by place.
#include "formats/kernel_profile/other_tools/ikp_buffer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"

namespace lockstep::formats::kernel_profile {
namespace {

Decoded decode(const std::vector<IkpEvent>& events, const ProfileMeta& meta = {}) {
  Decoded out;
  const std::string bytes = bytes_of_items(events);
  auto profile = decode_ikp(as_span(bytes), {}, meta, out.findings);
  if (profile.ok()) out.profile = std::move(profile).value();
  return out;
}

constexpr std::uint16_t place(std::uint32_t sm, std::uint32_t warp) {
  return static_cast<std::uint16_t>(sm << 6 | warp);
}

// Two warps with room for four events each.
const std::vector<IkpEvent> kTypical = {{64, 1, 0, 0, place(5, 0)},
                                        {96, 2, 2, 0, place(5, 0)},
                                        {128, 1, 1, 0, place(5, 0)},
                                        {},
                                        {64, 1, 0, 0, place(5, 1)},
                                        {160, 1, 1, 0, place(5, 1)},
                                        {},
                                        {}};

TEST(IkpBuffer, BlocksAndWarpsComeFromTheEvents) {
  const Decoded decoded = decode(kTypical);
  EXPECT_EQ(decoded.lanes(), "0/0: B1@64 I2@96 E1@128\n0/1: B1@64 E1@160\n");
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.lanes[0].sm, 5);
  EXPECT_EQ(decoded.profile.lanes[0].clock, trace::LaneClock::kGlobalTimer);
}

TEST(IkpBuffer, TheStepOfTheTimerIsThatOfTheTimesOrOfMeta) {
  std::vector<IkpEvent> events;
  for (std::uint64_t i = 1; i < 20; ++i) events.push_back({i * 1024, 0, 2, 0, 0});
  EXPECT_EQ(decode(events).profile.timer_tick_ns, 1024);
  EXPECT_EQ(decode(events, {.timer_tick_ns = 32}).profile.timer_tick_ns, 32);
}

TEST(IkpBuffer, ARingIsUnrolledAtItsStepBack) {
  const std::vector<IkpEvent> events = {
      {320, 1, 0, 0, 0}, {352, 1, 1, 0, 0}, {256, 1, 0, 0, 0}, {288, 1, 1, 0, 0}};
  const Decoded decoded = decode(events);
  EXPECT_EQ(decoded.lanes(), "0/0: B1@256 E1@288 B1@320 E1@352\n");
  EXPECT_EQ(decoded.found(), "ring_overwritten 1");
  const Decoded counted = decode(events, {.groups = 1, .lane_capacity = 4, .counters = {10}});
  EXPECT_EQ(counted.lanes(), "0/0: B1@256 E1@288 B1@320 E1@352\n");
  EXPECT_EQ(counted.found(), "dropped 6");
}

TEST(IkpBuffer, ThePlaceTellsBlocksBeyond16Bits) {
  std::vector<IkpEvent> events(70'000);
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i] = {32 * (i + 1), 0, 2, static_cast<std::uint16_t>(i), 0};
  }
  const Decoded decoded = decode(events, {.groups = 1, .lane_capacity = 1});
  ASSERT_EQ(decoded.profile.lanes.size(), 70'000U);
  EXPECT_EQ(decoded.profile.lanes[69'999].block, 69'999U);
}

TEST(IkpBuffer, ACapacityBeyondTheBufferIsOneWarp) {
  const Decoded decoded = decode(kTypical, {.groups = 1, .lane_capacity = UINT64_MAX});
  EXPECT_EQ(decoded.profile.lanes.size(), 1U);
}

TEST(IkpBuffer, CountersSayWhereStaleEventsBegin) {
  const Decoded decoded = decode(kTypical, {.groups = 2, .lane_capacity = 4, .counters = {2, 0}});
  EXPECT_EQ(decoded.lanes(), "0/0: B1@64 I2@96\n");
}

TEST(IkpBuffer, WithoutCountersAWarpEndsAtItsFirstEmptyEvent) {
  EXPECT_EQ(decode(kTypical, {.groups = 2, .lane_capacity = 4}).lanes(), decode(kTypical).lanes());
}

TEST(IkpBuffer, UnknownTypesAreDroppedAndCounted) {
  EXPECT_EQ(decode({{64, 1, 3, 0, 0}, {64, 1, 0, 0, 0}}).found(), "bad_record 1");
  EXPECT_EQ(decode({{UINT64_MAX, 1, 0, 0, 0}}).found(), "bad_record 1");
}

TEST(IkpBuffer, MoreThanOneStepBackIsDisorder) {
  const Decoded decoded = decode({{300, 0, 2, 0, 0}, {200, 0, 2, 0, 0}, {100, 0, 2, 0, 0}});
  EXPECT_EQ(decoded.lanes(), "0/0: I0@100 I0@200 I0@300\n");
  EXPECT_EQ(decoded.found(), "ring_overwritten 1, clock_disorder 1");
}

TEST(IkpBuffer, ACutAnywhereIsSafe) {
  expect_all_cuts_are_safe(bytes_of_items(kTypical), {.format = KernelFormat::kIkp});
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
