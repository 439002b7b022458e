// Tests of the sizes of a channel and of the layout of its buffer.
#include "host/channel_config.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep {
namespace {

using ::testing::HasSubstr;

std::string refusal(const device::ChannelConfig& config) {
  const Result<std::uint64_t> bytes = device::required_bytes(config);
  return bytes.ok() ? "" : bytes.error().text();
}

profile::Control control_of(const std::vector<std::byte>& bytes) {
  profile::Control control;
  std::memcpy(&control, bytes.data(), sizeof(control));
  return control;
}

std::vector<profile::u32> table_of(const std::vector<std::byte>& bytes) {
  const profile::Control control = control_of(bytes);
  std::vector<profile::u32> table(control.table_entries);
  std::memcpy(table.data(), bytes.data() + control.selection_offset, table.size() * 4);
  return table;
}

TEST(ChannelConfig, ALaneIsAPowerOfTwoWithTwoSpareSlots) {
  EXPECT_EQ(device::plan_buffer({.blocks = 1, .records = 1}, 0).value().lane_bytes, 64);
  EXPECT_EQ(device::plan_buffer({.blocks = 1, .records = 62}, 0).value().lane_bytes, 512);
  EXPECT_EQ(device::plan_buffer({.blocks = 1, .records = 63}, 0).value().lane_bytes, 1024);
  EXPECT_EQ(device::plan_buffer({.blocks = 1, .records = 62, .has_region_records = true}, 0)
                .value()
                .lane_bytes,
            1024);
}

TEST(ChannelConfig, LanesAreSelectedBlocksTimesGroups) {
  EXPECT_EQ(device::plan_buffer({.blocks = 7, .groups = 3}, 0).value().lanes, 21);
  EXPECT_EQ(device::plan_buffer(
                {.blocks = 7, .groups = 3, .selection = profile::kEveryNth, .selection_step = 3}, 0)
                .value()
                .lanes,
            9);
  EXPECT_EQ(
      device::plan_buffer(
          {.blocks = 7, .groups = 3, .selection = profile::kListed, .listed_blocks = {6, 1}}, 0)
          .value()
          .lanes,
      6);
  EXPECT_EQ(
      device::plan_buffer({.groups = 3, .selection = profile::kOnePerSm, .multiprocessors = 132}, 0)
          .value()
          .lanes,
      396);
}

TEST(ChannelConfig, TheControlSaysWhatWasAsked) {
  const device::ChannelConfig config = {.blocks = 8,
                                        .groups = 2,
                                        .records = 100,
                                        .launch_slots = 4,
                                        .anchor_capacity = 5,
                                        .anchor_interval_ns = 6,
                                        .selection = profile::kEveryNth,
                                        .selection_step = 3};
  const profile::Control control = control_of(device::first_bytes(config, 4096, 77).value());
  EXPECT_EQ(control.magic, profile::kMagic);
  EXPECT_EQ(control.version, profile::kVersion);
  EXPECT_EQ(control.session, 77);
  EXPECT_EQ(control.launch, 0);
  EXPECT_EQ(control.launch_slots, 4);
  EXPECT_EQ(control.enabled, 1);
  EXPECT_EQ(control.lanes, 6);
  EXPECT_EQ(control.groups, 2);
  EXPECT_EQ(control.selection, profile::kEveryNth);
  EXPECT_EQ(control.selection_step, 3);
  EXPECT_EQ(control.lane_bytes, 1024);
  EXPECT_EQ(control.anchor_capacity, 5);
  EXPECT_EQ(control.anchor_interval, 6);
  EXPECT_EQ(control.lost_leaders, 0);
}

TEST(ChannelConfig, AListBecomesATableOfSlots) {
  const auto bytes = device::first_bytes(
      {.blocks = 5, .selection = profile::kListed, .listed_blocks = {4, 1}}, 0, 1);
  const profile::u32 none = profile::kNotSelected;
  EXPECT_THAT(table_of(bytes.value()), ::testing::ElementsAre(none, 1, none, none, 0));
}

// A claim of launch 0 would keep every block out before the first advance.
TEST(ChannelConfig, ClaimsOfMultiprocessorsStartWithALaunchThatNeverComes) {
  const auto bytes =
      device::first_bytes({.selection = profile::kOnePerSm, .multiprocessors = 2}, 0, 1).value();
  const profile::Control control = control_of(bytes);
  ASSERT_EQ(control.table_entries, 2);
  for (std::uint64_t i = 0; i < 2 * sizeof(profile::u64); ++i) {
    EXPECT_EQ(bytes[control.selection_offset + i], std::byte{0xFF});
  }
}

TEST(ChannelConfig, WhatDoesNotMakeSenseIsRefusedWithASentence) {
  EXPECT_THAT(refusal({}), HasSubstr("the number of blocks is missing"));
  EXPECT_THAT(refusal({.blocks = 1, .groups = 0}), HasSubstr("1 to 1024 groups, not 0"));
  EXPECT_THAT(refusal({.blocks = 1, .groups = 1025}), HasSubstr("1 to 1024 groups, not 1025"));
  EXPECT_THAT(refusal({.blocks = 1, .records = 0}), HasSubstr("at least one record"));
  EXPECT_THAT(refusal({.blocks = 1, .launch_slots = 3}), HasSubstr("power of two"));
  EXPECT_THAT(refusal({.blocks = 1, .launch_slots = 0}), HasSubstr("power of two"));
  EXPECT_THAT(refusal({.blocks = 1, .launch_slots = 1U << 21}), HasSubstr("up to 1,048,576"));
  EXPECT_THAT(refusal({.blocks = 1, .anchor_capacity = 1U << 21}), HasSubstr("interior anchors"));
  EXPECT_THAT(refusal({.blocks = 1ULL << 40}), HasSubstr("more than a launch can have"));
}

TEST(ChannelConfig, BadSelectionsAreRefusedWithASentence) {
  EXPECT_THAT(refusal({.blocks = 1, .selection = profile::kEveryNth, .selection_step = 0}),
              HasSubstr("every 0th block"));
  EXPECT_THAT(refusal({.blocks = 1, .selection = profile::kListed}), HasSubstr("list of blocks"));
  EXPECT_THAT(refusal({.blocks = 4, .selection = profile::kListed, .listed_blocks = {1, 4}}),
              HasSubstr("block 4 is listed, but the launch has 4 blocks"));
  EXPECT_THAT(refusal({.blocks = 4, .selection = profile::kListed, .listed_blocks = {2, 1, 2}}),
              HasSubstr("block 2 is listed twice"));
  EXPECT_THAT(refusal({.selection = profile::kOnePerSm}), HasSubstr("number of multiprocessors"));
  EXPECT_THAT(refusal({.blocks = 1, .selection = static_cast<profile::Selection>(9)}),
              HasSubstr("no selection of blocks numbered 9"));
}

TEST(ChannelConfig, SizesBeyondAnyDeviceAreRefused) {
  const std::string too_large = "larger than any device's memory";
  EXPECT_THAT(refusal({.blocks = 0xFFFF'FFFE, .groups = 1024}), HasSubstr(too_large));
  EXPECT_THAT(refusal({.blocks = 1, .records = 0xFFFF'FFFF}), HasSubstr(too_large));
  EXPECT_THAT(refusal({.blocks = 1 << 20, .groups = 1024, .launch_slots = 1 << 20}),
              HasSubstr(too_large));
  EXPECT_THAT(refusal({.blocks = 1 << 16, .records = 1, .launch_slots = 1 << 16}),
              HasSubstr(too_large));
  EXPECT_THAT(
      refusal({.blocks = 1 << 20, .groups = 1024, .records = 1, .anchor_capacity = 1 << 20}),
      HasSubstr(too_large));
}

TEST(ChannelConfig, AnAddressThatIsNotAlignedIsRefused) {
  const auto plan = device::plan_buffer({.blocks = 1}, 0x1008);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().text(), HasSubstr("0x1008 is not aligned to 16 bytes"));
}

TEST(ChannelConfig, NoncesAreNeverZeroAndDiffer) {
  const std::uint32_t first = device::random_nonce();
  EXPECT_NE(first, 0);
  EXPECT_TRUE(device::random_nonce() != first || device::random_nonce() != first);
}

RC_GTEST_PROP(ChannelConfigProperty, PartsFollowEachOtherAlignedInsideWhatIsRequired, ()) {
  device::ChannelConfig config;
  config.blocks = *rc::gen::inRange<std::uint64_t>(1, 300);
  config.groups = *rc::gen::inRange<std::uint32_t>(1, 20);
  config.records = *rc::gen::inRange<std::uint32_t>(1, 5000);
  config.launch_slots = 1U << *rc::gen::inRange(0, 5);
  config.anchor_capacity = *rc::gen::inRange<std::uint32_t>(0, 100);
  config.has_region_records = *rc::gen::arbitrary<bool>();
  config.selection = *rc::gen::element(profile::kAllBlocks, profile::kEveryNth, profile::kListed,
                                       profile::kOnePerSm);
  config.selection_step = *rc::gen::inRange<std::uint32_t>(1, 10);
  config.listed_blocks = {config.blocks - 1};
  config.multiprocessors = *rc::gen::inRange<std::uint32_t>(1, 200);
  const std::uint64_t address =
      *rc::gen::inRange<std::uint64_t>(0, 1 << 20) * device::kBufferAlignment;

  const device::BufferPlan plan = device::plan_buffer(config, address).value();
  const std::uint64_t kept = std::uint64_t{plan.lanes} * config.launch_slots;
  RC_ASSERT(plan.selection_offset >= sizeof(profile::Control));
  const std::uint64_t table = config.selection == profile::kListed     ? config.blocks * 4
                              : config.selection == profile::kOnePerSm ? config.multiprocessors * 8
                                                                       : 0;
  RC_ASSERT(plan.heads_offset >= plan.selection_offset + table);
  RC_ASSERT(plan.heads_offset % 16 == 0);
  RC_ASSERT(plan.anchors_offset >= plan.heads_offset + kept * sizeof(profile::LaneHead));
  RC_ASSERT(plan.anchors_offset % 8 == 0);
  RC_ASSERT(plan.records_offset >=
            plan.anchors_offset + kept * config.anchor_capacity * sizeof(profile::Anchor));
  RC_ASSERT((address + plan.records_offset) % plan.lane_bytes == 0);
  const std::uint64_t item = config.has_region_records ? 16 : 8;
  RC_ASSERT(plan.lane_bytes >= (config.records + 1) * item);
  RC_ASSERT(plan.total_bytes == plan.records_offset + kept * plan.lane_bytes);
  RC_ASSERT(plan.total_bytes <= device::required_bytes(config).value());
  RC_ASSERT(device::first_bytes(config, address, 1).value().size() == plan.heads_offset);
}

}  // namespace
}  // namespace lockstep
