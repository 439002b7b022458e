// Tests of the reading of a channel's buffer: what is kept, what is stale, what is damaged.
#include "host/channel_reader.h"

#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "host/channel_config.h"
#include "session/simulated_kernel.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using testing::run_simulated_kernel;
using testing::simulated_clock;
using testing::SimulatedLaunch;

// A channel in memory that held something else before.
class TestChannel {
 public:
  explicit TestChannel(const device::ChannelConfig& config, std::uint32_t nonce = 7)
      : bytes_(device::required_bytes(config).value(), std::byte{0xA5}) {
    prepare(config, nonce);
  }
  void prepare(const device::ChannelConfig& config, std::uint32_t nonce) {
    const std::vector<std::byte> first = device::first_bytes(config, 0, nonce).value();
    std::memcpy(bytes_.data(), first.data(), first.size());
  }
  // Advances, then launches.
  void launch(const SimulatedLaunch& launch) {
    change([](profile::Control& control) { ++control.launch; });
    relaunch(launch);
  }
  void relaunch(const SimulatedLaunch& launch) {
    run_simulated_kernel(reinterpret_cast<char*>(bytes_.data()), launch);
  }
  template <typename Change>
  void change(Change&& change) {
    profile::Control control;
    std::memcpy(&control, bytes_.data(), sizeof(control));
    change(control);
    std::memcpy(bytes_.data(), &control, sizeof(control));
  }
  // Into the head of the first lane.
  template <typename Value>
  void write_head(std::size_t offset, Value value) {
    change([&](profile::Control& control) {
      std::memcpy(bytes_.data() + control.heads_offset + offset, &value, sizeof(value));
    });
  }
  [[nodiscard]] Result<device::CollectedLanes> collect() const {
    device::BytesAtHand bytes(bytes_);
    device::CollectedLanes lanes;
    LOCKSTEP_RETURN_IF_ERROR(device::collect_channel(bytes, 3, 5, lanes));
    return lanes;
  }
  std::vector<std::byte> bytes_;
};

TEST(ChannelReader, ALaunchIsReadLaneByLane) {
  TestChannel channel({.blocks = 3, .groups = 2, .records = 6});
  channel.launch({.blocks = 3, .groups = 2, .events = 4});
  const device::CollectedLanes all = channel.collect().value();
  ASSERT_EQ(all.launches.size(), 1);
  EXPECT_EQ(all.launches[0].id, 0);
  EXPECT_EQ(all.launches[0].channel, 3);
  EXPECT_EQ(all.launches[0].kernel, 5);
  EXPECT_EQ(all.launches[0].number, 1);
  EXPECT_EQ(all.launches[0].groups, 2);
  EXPECT_EQ(all.launches[0].grid[0], 3);
  EXPECT_EQ(all.launches[0].threads[0], 64);
  EXPECT_EQ(all.launches[0].cluster[0], 0);
  EXPECT_EQ(all.launches[0].lanes_expected, 6);
  ASSERT_EQ(all.lanes.size(), 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const formats::kernel_profile::lkp::Lane& lane = all.lanes[i];
    EXPECT_EQ(lane.block, i / 2);
    EXPECT_EQ(lane.group, i % 2);
    EXPECT_EQ(lane.lane, i);
    EXPECT_EQ(lane.sm_begin, i / 2);
    EXPECT_EQ(lane.sm_end, i / 2);
    EXPECT_EQ(lane.leader_thread, i % 2 * 32);
    EXPECT_EQ(lane.seen, 4);
    EXPECT_EQ(lane.written, 4);
    EXPECT_EQ(lane.capacity, 6);
    EXPECT_TRUE(lane.flags & profile::kFinalized);
    for (std::uint64_t e = 0; e < 4; ++e) {
      EXPECT_EQ(all.records[lane.first_record + e].clock,
                simulated_clock(lane.block, lane.group, e));
    }
  }
  EXPECT_EQ(all.counts.launches, 1);
  EXPECT_EQ(all.counts.lanes, 6);
  EXPECT_EQ(all.counts.records, 24);
  EXPECT_EQ(all.counts.dropped_records, 0);
}

TEST(ChannelReader, AnchorsStandInOrderAndThoseNotTakenAreLeftOut) {
  TestChannel channel({.blocks = 1, .records = 6, .anchor_capacity = 2});
  channel.launch({.blocks = 1, .events = 6, .interior_anchors = 5});
  const device::CollectedLanes all = channel.collect().value();
  ASSERT_EQ(all.lanes[0].anchors, 4);  // one at the begin, two that fit, one at the end
  for (std::uint32_t i = 1; i < 4; ++i) {
    EXPECT_LT(all.anchors[i - 1].clock_before, all.anchors[i].clock_before);
    EXPECT_LT(all.anchors[i - 1].timer, all.anchors[i].timer);
  }
  const profile::u64 never = 0;
  channel.write_head(offsetof(profile::LaneHead, begin), never);
  EXPECT_EQ(channel.collect().value().lanes[0].anchors, 3);
}

TEST(ChannelReader, RecordsBeyondTheCapacityAreCounted) {
  TestChannel channel({.blocks = 1, .records = 6});
  channel.launch({.events = 20});
  const device::CollectedLanes all = channel.collect().value();
  EXPECT_EQ(all.lanes[0].seen, 20);
  EXPECT_EQ(all.lanes[0].written, 6);
  EXPECT_EQ(all.counts.dropped_records, 14);
  EXPECT_EQ(all.records.back().clock, simulated_clock(0, 0, 5));
}

TEST(ChannelReader, ARingIsUnrolledToTheOrderOfTheProgram) {
  TestChannel channel({.blocks = 1, .records = 6});
  channel.launch({.events = 21, .flags = profile::kRing});
  const device::CollectedLanes all = channel.collect().value();
  ASSERT_EQ(all.lanes[0].written, 8);
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(all.records[i].clock, simulated_clock(0, 0, 13 + i));
  }
}

TEST(ChannelReader, ARingThatNeverWentRoundStaysAsItIs) {
  TestChannel channel({.blocks = 1, .records = 6});
  channel.launch({.events = 5, .flags = profile::kRing});
  const device::CollectedLanes all = channel.collect().value();
  ASSERT_EQ(all.lanes[0].written, 5);
  EXPECT_EQ(all.records[0].clock, simulated_clock(0, 0, 0));
}

TEST(ChannelReader, RegionRecordsHaveTheirOwnSection) {
  TestChannel channel({.blocks = 2, .records = 6, .has_region_records = true});
  channel.launch({.blocks = 2, .events = 9, .flags = profile::kRegionRecords});
  const device::CollectedLanes all = channel.collect().value();
  EXPECT_TRUE(all.records.empty());
  ASSERT_EQ(all.regions.size(), 12);
  EXPECT_EQ(all.lanes[1].first_record, 6);
  EXPECT_EQ(all.regions[6].t0, simulated_clock(1, 0, 0));
  EXPECT_EQ(all.regions[6].t1, simulated_clock(1, 0, 0) + 50);
  EXPECT_EQ(all.counts.dropped_records, 6);
}

TEST(ChannelReader, TheLastLaunchesAreKeptOldestFirst) {
  TestChannel channel({.blocks = 1, .records = 6, .launch_slots = 4});
  for (std::uint32_t i = 1; i <= 6; ++i) channel.launch({.events = i});
  const device::CollectedLanes all = channel.collect().value();
  ASSERT_EQ(all.launches.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all.launches[i].id, i);
    EXPECT_EQ(all.launches[i].number, i + 3);
    EXPECT_EQ(all.lanes[i].launch, i);
    EXPECT_EQ(all.lanes[i].written, i + 3);
  }
  EXPECT_EQ(all.counts.overwritten_launches, 2);
}

TEST(ChannelReader, ASmallLaunchLeavesNoLanesOfALargerOne) {
  TestChannel channel({.blocks = 4, .records = 6});
  channel.launch({.blocks = 4});
  channel.launch({.blocks = 1});
  const device::CollectedLanes all = channel.collect().value();
  EXPECT_EQ(all.lanes.size(), 1);
  EXPECT_EQ(all.launches[0].lanes_expected, 1);
  EXPECT_EQ(all.counts.stale_lanes, 3);
}

TEST(ChannelReader, LanesOfAnEarlierSessionAreNotOurs) {
  const device::ChannelConfig config = {.blocks = 2, .records = 6};
  TestChannel channel(config, 7);
  channel.launch({.blocks = 2});
  channel.prepare(config, 8);
  channel.change([](profile::Control& control) { control.launch = 1; });
  const device::CollectedLanes all = channel.collect().value();
  EXPECT_TRUE(all.launches.empty());
  EXPECT_EQ(all.counts.stale_lanes, 0);
}

TEST(ChannelReader, ALaunchThatWasNeverAdvancedHasNumberZero) {
  TestChannel channel({.blocks = 1, .records = 6, .launch_slots = 2});
  channel.relaunch({});
  const device::CollectedLanes all = channel.collect().value();
  ASSERT_EQ(all.launches.size(), 1);
  EXPECT_EQ(all.launches[0].number, 0);
  EXPECT_EQ(all.counts.overwritten_launches, 0);
}

TEST(ChannelReader, TwoGridsUnderOneNumberAreSaid) {
  TestChannel channel({.blocks = 2, .records = 6});
  channel.launch({.blocks = 2, .grid_id = 40});
  channel.relaunch({.blocks = 1, .grid_id = 41});
  EXPECT_EQ(channel.collect().value().counts.mixed_lanes, 1);
}

TEST(ChannelReader, ALaneThatNeverEndedHasNoRecords) {
  TestChannel channel({.blocks = 1, .records = 6});
  channel.launch({.events = 6});
  channel.launch({.events = 3, .is_finalized = false});
  const device::CollectedLanes all = channel.collect().value();
  EXPECT_EQ(all.lanes[0].written, 0);
  EXPECT_EQ(all.lanes[0].seen, 0);
  EXPECT_EQ(all.lanes[0].sm_end, profile::kNoSm);
  EXPECT_EQ(all.lanes[0].anchors, 1);  // that of its begin
  EXPECT_EQ(all.counts.unfinished_lanes, 1);
}

TEST(ChannelReader, SelectionsExpectTheirLanes) {
  TestChannel nth({.blocks = 7,
                   .groups = 2,
                   .records = 6,
                   .selection = profile::kEveryNth,
                   .selection_step = 3});
  nth.launch({.blocks = 7, .groups = 2});
  const device::CollectedLanes of_nth = nth.collect().value();
  EXPECT_EQ(of_nth.launches[0].lanes_expected, 6);
  ASSERT_EQ(of_nth.lanes.size(), 6);
  EXPECT_EQ(of_nth.lanes[5].block, 6);

  TestChannel listed(
      {.blocks = 7, .records = 6, .selection = profile::kListed, .listed_blocks = {6, 2, 4}});
  listed.launch({.blocks = 5});
  const device::CollectedLanes of_list = listed.collect().value();
  EXPECT_EQ(of_list.launches[0].lanes_expected, 2);
  ASSERT_EQ(of_list.lanes.size(), 2);
  EXPECT_EQ(of_list.lanes[0].block, 2);  // by block, whatever the order of the list
  EXPECT_EQ(of_list.lanes[1].block, 4);

  TestChannel per_sm({.records = 6, .selection = profile::kOnePerSm, .multiprocessors = 4});
  per_sm.launch({.blocks = 11});
  const device::CollectedLanes of_sms = per_sm.collect().value();
  EXPECT_EQ(of_sms.launches[0].lanes_expected, 0);
  EXPECT_EQ(of_sms.lanes.size(), 4);
}

TEST(ChannelReader, LeadersBeyondTheLanesAreCounted) {
  TestChannel channel({.blocks = 2, .records = 6});
  channel.launch({.blocks = 5, .groups = 2});
  const device::CollectedLanes all = channel.collect().value();
  EXPECT_EQ(all.lanes.size(), 2);
  EXPECT_EQ(all.counts.lost_leaders, 8);
}

TEST(ChannelReader, ClustersAreUnpacked) {
  TestChannel channel({.blocks = 1, .records = 6});
  channel.launch({});
  channel.write_head<profile::u32>(offsetof(profile::LaneHead, cluster), 2 | 3 << 8 | 4 << 16);
  EXPECT_THAT(channel.collect().value().launches[0].cluster, ::testing::ElementsAre(2, 3, 4));
}

std::string refusal(const TestChannel& channel) {
  const Result<device::CollectedLanes> all = channel.collect();
  return all.ok() ? "" : all.error().text();
}

TEST(ChannelReader, WhatIsNoChannelIsRefused) {
  TestChannel channel({.blocks = 2, .records = 6});
  TestChannel other = channel;
  other.change([](profile::Control& control) { control.magic = 1; });
  EXPECT_THAT(refusal(other), HasSubstr("does not start as a channel does"));
  other = channel;
  other.change([](profile::Control& control) { control.version = 2; });
  EXPECT_THAT(refusal(other), HasSubstr("version 2, this library reads 1"));
  other = channel;
  other.bytes_.resize(100);
  EXPECT_THAT(refusal(other), HasSubstr("100 bytes is too short"));
}

TEST(ChannelReader, PartsThatDoNotFitAreRefused) {
  const TestChannel channel(
      {.blocks = 2, .records = 6, .selection = profile::kListed, .listed_blocks = {0}});
  const std::vector<void (*)(profile::Control&)> harms = {
      [](profile::Control& c) { c.lanes = 0xFFFF'FFFF; },
      [](profile::Control& c) { c.lanes = 0; },
      [](profile::Control& c) { c.launch_slots = 1U << 31; },
      [](profile::Control& c) { c.launch_slots = 3; },
      [](profile::Control& c) { c.launch_slots = 0; },
      [](profile::Control& c) { c.groups = 0; },
      [](profile::Control& c) { c.lane_bytes = 0; },
      [](profile::Control& c) { c.lane_bytes = 0x8000'0000; },
      [](profile::Control& c) { c.anchor_capacity = 0xFFFF'FFFF; },
      [](profile::Control& c) { c.heads_offset = ~0ULL; },
      [](profile::Control& c) { c.anchors_offset = ~0ULL - 8; },
      [](profile::Control& c) { c.records_offset = 1ULL << 40; },
      [](profile::Control& c) { c.table_entries = 0xFFFF'FFFF; },
      [](profile::Control& c) { c.selection_offset = ~0ULL; },
  };
  for (const auto& harm : harms) {
    TestChannel other = channel;
    other.change(harm);
    EXPECT_THAT(refusal(other), HasSubstr("do not fit"));
  }
}

// Every 4-byte word of what the device writes, in turn, set to what hurts most.
TEST(ChannelReader, DamagedHeadsAreNeverFollowed) {
  TestChannel channel({.blocks = 2, .records = 6, .launch_slots = 2});
  channel.launch({.blocks = 2});
  channel.launch({.blocks = 2, .flags = profile::kRing});
  profile::Control control;
  std::memcpy(&control, channel.bytes_.data(), sizeof(control));
  for (std::size_t at = 0; at < control.anchors_offset; at += 4) {
    for (const std::uint32_t value : {0U, 1U, 0x7FFF'FFFFU, 0xFFFF'FFFFU}) {
      TestChannel other = channel;
      std::memcpy(other.bytes_.data() + at, &value, sizeof(value));
      const Result<device::CollectedLanes> all = other.collect();
      if (!all.ok()) continue;
      for (const formats::kernel_profile::lkp::Lane& lane : all.value().lanes) {
        EXPECT_LE(lane.first_record + lane.written, (lane.flags & profile::kRegionRecords) != 0
                                                        ? all.value().regions.size()
                                                        : all.value().records.size());
        EXPECT_LE(lane.first_anchor + lane.anchors, all.value().anchors.size());
      }
    }
  }
}

RC_GTEST_PROP(ChannelReaderProperty, KeptLaunchesAreExactlyTheLastOnes, ()) {
  device::ChannelConfig config;
  config.blocks = *rc::gen::inRange<std::uint64_t>(1, 6);
  config.groups = *rc::gen::inRange<std::uint32_t>(1, 4);
  config.records = 6;
  config.launch_slots = 1U << *rc::gen::inRange(0, 4);
  TestChannel channel(config);
  std::vector<SimulatedLaunch> launches;
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
    SimulatedLaunch launch;
    launch.blocks =
        *rc::gen::inRange<std::uint32_t>(1, static_cast<std::uint32_t>(config.blocks) + 1);
    launch.groups = *rc::gen::inRange<std::uint32_t>(1, config.groups + 1);
    launch.events = *rc::gen::inRange<std::uint32_t>(0, 20);
    launch.flags = *rc::gen::element<std::uint32_t>(0, profile::kRing);
    channel.launch(launch);
    launches.push_back(launch);
  }
  const device::CollectedLanes all = channel.collect().value();
  const std::size_t kept = std::min<std::size_t>(launches.size(), config.launch_slots);
  RC_ASSERT(all.launches.size() == kept);
  std::size_t lanes = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t number = launches.size() - kept + i;
    const SimulatedLaunch& launch = launches[number];
    RC_ASSERT(all.launches[i].number == number + 1);
    RC_ASSERT(all.launches[i].grid[0] == launch.blocks);
    for (std::uint64_t lane = 0; lane < launch.blocks * launch.groups; ++lane, ++lanes) {
      const formats::kernel_profile::lkp::Lane& found = all.lanes.at(lanes);
      RC_ASSERT(found.launch == i);
      RC_ASSERT(found.block == lane / launch.groups);
      RC_ASSERT(found.seen == launch.events);
      const std::uint64_t capacity = launch.flags == profile::kRing ? 8 : 6;
      RC_ASSERT(found.written == std::min<std::uint64_t>(launch.events, capacity));
      const std::uint64_t first =
          launch.flags == profile::kRing ? launch.events - found.written : 0;
      for (std::uint64_t e = 0; e < found.written; ++e) {
        RC_ASSERT(all.records.at(found.first_record + e).clock ==
                  simulated_clock(found.block, found.group, first + e));
      }
    }
  }
  RC_ASSERT(lanes == all.lanes.size());
  RC_ASSERT(all.counts.overwritten_launches == launches.size() - kept);
}

}  // namespace
}  // namespace lockstep
