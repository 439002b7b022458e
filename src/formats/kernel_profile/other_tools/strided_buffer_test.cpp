// Buffers of TVM: the typical one, and every edge of the format.
#include "formats/kernel_profile/other_tools/strided_buffer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/kernel_profile/other_tools/strided_buffer_for_test.h"
#include "formats/kernel_profile/other_tools/strided_lane.h"
#include "formats/kernel_profile/profile_builder.h"

namespace lockstep::formats::kernel_profile {
namespace {

// Two blocks of two groups, a region each.
StridedBuffer typical() {
  StridedBuffer buffer(2, 2, 64);
  for (std::uint64_t lane = 0; lane < 4; ++lane) {
    buffer.put(lane, kBegin, 0, 3200 + 32 * lane);
    buffer.put(lane, kEnd, 0, 6400 + 32 * lane);
    buffer.put(lane, kFinal, 0, 6496);
  }
  return buffer;
}

TEST(TvmBuffer, LanesAreBlocksAndGroupsInTheOrderOfThePrograms) {
  const Decoded decoded = decode(typical().bytes());
  EXPECT_EQ(decoded.lanes(),
            "0/0: B0@3200 E0@6400\n0/1: B0@3232 E0@6432\n"
            "1/0: B0@3264 E0@6464\n1/1: B0@3296 E0@6496\n");
  EXPECT_EQ(decoded.found(), "");
  const trace::KernelProfile& profile = decoded.profile;
  EXPECT_EQ(profile.format, "tvm");
  EXPECT_EQ(profile.timer_tick_ns, 32);
  ASSERT_EQ(profile.launches.size(), 1U);
  EXPECT_EQ(profile.launches[0].lanes_expected, 4U);
  EXPECT_EQ(profile.launches[0].groups, 2U);
  EXPECT_TRUE(profile.lanes[0].is_finalized);
  EXPECT_EQ(profile.lanes[0].clock, trace::LaneClock::kGlobalTimer);
  EXPECT_EQ(profile.lanes[1].capacity, 16U);
}

TEST(TvmBuffer, AWiderStrideThanThereAreLanesIsFound) {
  StridedBuffer buffer(1, 2, 64);
  buffer.stride(7);
  for (std::uint64_t lane = 0; lane < 2; ++lane) {
    buffer.put(lane, kBegin, 5, 96);
    buffer.put(lane, kInstant, 6, 128);
    buffer.put(lane, kEnd, 5, 160);
    buffer.put(lane, kFinal, 0, 192);
  }
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), "0/0: B5@96 I6@128 E5@160\n0/1: B5@96 I6@128 E5@160\n");
  EXPECT_EQ(decoded.found(), "");
}

TEST(TvmBuffer, AnEmptyBufferHasNoLanes) {
  StridedBuffer buffer(4, 1, 16);
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), "");
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.launches[0].lanes_expected, 4U);
}

// 123 is '{', 32 a blank and 10 the end of a line.
TEST(TvmBuffer, NumbersOfBlocksAreNotTakenForJson) {
  for (const std::uint32_t blocks : {123U, 123U << 8 | 32U, 123U << 16 | 10U << 8 | 32U}) {
    const Decoded decoded = decode(StridedBuffer(blocks, 1, 300).bytes());
    EXPECT_EQ(decoded.error, "") << blocks;
  }
}

TEST(TvmBuffer, RecordsBehindFinalizeAreStale) {
  StridedBuffer buffer = typical();
  buffer.put(1, kBegin, 3, 100);
  buffer.put(1, kEnd, 3, 200);
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), decode(typical().bytes()).lanes());
  EXPECT_EQ(decoded.found(), "stale_records 2");
}

TEST(TvmBuffer, WithoutFinalizeOlderTimesAreStale) {
  StridedBuffer buffer(1, 1, 16);
  buffer.put(0, kBegin, 0, 5'000'000);
  buffer.put(0, kEnd, 0, 6'000'000);
  buffer.put(0, kBegin, 0, 1'000'000);  // of the launch before
  buffer.put(0, kEnd, 0, 2'000'000);
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), "0/0: B0@5000000 E0@6000000\n");
  EXPECT_EQ(decoded.found(), "stale_records 2, not_finalized 1");
}

TEST(TvmBuffer, AWrapInALaneIsUndone) {
  StridedBuffer buffer(1, 1, 16);
  buffer.put(0, kBegin, 0, 0xFFFF'FF00);
  buffer.put(0, kEnd, 0, 0x100);
  buffer.put(0, kFinal, 0, 0x120);
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), "0/0: B0@4294967040 E0@4294967552\n");
  EXPECT_EQ(decoded.found(), "wrapped 1");
}

TEST(TvmBuffer, AStepBackBeforeFinalizeIsAWrapHoweverLong) {
  StridedBuffer buffer(1, 1, 16);
  buffer.put(0, kBegin, 0, 1000);
  buffer.put(0, kEnd, 0, 900);
  buffer.put(0, kFinal, 0, 900);
  EXPECT_EQ(decode(buffer.bytes()).lanes(), "0/0: B0@1000 E0@4294968196\n");
}

TEST(TvmBuffer, WithoutFinalizeAWrapIsStillUndone) {
  StridedBuffer buffer(1, 1, 16);
  buffer.put(0, kBegin, 0, 0xFFFF'FF00);
  buffer.put(0, kEnd, 0, 0x100);
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), "0/0: B0@4294967040 E0@4294967552\n");
  EXPECT_EQ(decoded.found(), "wrapped 1, not_finalized 1");
}

TEST(TvmBuffer, LanesBehindAWrapAreLaterThanThoseBeforeIt) {
  StridedBuffer buffer(2, 1, 16);
  buffer.put(0, kInstant, 0, 0xFFFF'FFE0);
  buffer.put(0, kFinal, 0, 0xFFFF'FFE0);
  buffer.put(1, kInstant, 0, 0x20);
  buffer.put(1, kFinal, 0, 0x20);
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), "0/0: I0@4294967264\n1/0: I0@4294967328\n");
  EXPECT_EQ(decoded.found(), "wrapped 1");
}

TEST(TvmBuffer, TheRecordWhoseWordIsZeroIsPutBack) {
  StridedBuffer buffer(2, 1, 16);
  for (std::uint64_t lane = 0; lane < 2; ++lane) {
    buffer.put(lane, kBegin, 0, 0);  // lane 0: the word is 0
    buffer.put(lane, kEnd, 0, 64);
    buffer.put(lane, kFinal, 0, 96);
  }
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), "0/0: B0@0 E0@64\n1/0: B0@0 E0@64\n");
  EXPECT_EQ(decoded.found(), "zero_record 1");
}

TEST(TvmBuffer, AnEmptySlotInAnotherLaneIsAHole) {
  StridedBuffer buffer(2, 1, 16);
  for (std::uint64_t lane = 0; lane < 2; ++lane) {
    for (std::uint32_t i = 0; i < 3; ++i) buffer.put(lane, kInstant, i, 64 + i);
    buffer.put(lane, kFinal, 0, 96);
  }
  buffer[1 + 1 + 2] = 0;
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), "0/0: I0@64 I1@65 I2@66\n1/0: I0@64 I2@66\n");
  EXPECT_EQ(decoded.found(), "record_hole 1");
}

TEST(TvmBuffer, AHeaderThatWasNeverWrittenIsReportedAndOneGroupAssumed) {
  StridedBuffer buffer = typical();
  buffer[0] = 0;
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(),
            "0/0: B0@3200 E0@6400\n1/0: B0@3232 E0@6432\n"
            "2/0: B0@3264 E0@6464\n3/0: B0@3296 E0@6496\n");
  EXPECT_EQ(decoded.found(), "header_missing 1");
  EXPECT_EQ(decoded.profile.launches[0].lanes_expected, 0U);
}

TEST(TvmBuffer, OptionsReplaceTheHeader) {
  StridedBuffer buffer = typical();
  buffer[0] = 0;
  const Decoded decoded = decode(buffer.bytes(), KernelFormat::kTvm, 2, 2);
  EXPECT_EQ(decoded.lanes(), decode(typical().bytes()).lanes());
  EXPECT_EQ(decoded.found(), "");
}

TEST(TvmBuffer, GroupsAloneMakeBlocksOfLanes) {
  StridedBuffer buffer = typical();
  buffer[0] = 0;
  const Decoded decoded = decode(buffer.bytes(), KernelFormat::kTvm, 2, 0);
  EXPECT_EQ(decoded.lanes(), decode(typical().bytes()).lanes());
  EXPECT_EQ(decoded.found(), "header_missing 1");
}

TEST(TvmBuffer, ZeroGroupsInTheHeaderAreNoHeader) {
  StridedBuffer buffer = typical();
  buffer[0] = 2;
  EXPECT_EQ(decode(buffer.bytes()).found(), "header_missing 1");
}

TEST(TvmBuffer, MoreBlocksThanSlotsAreNotBelieved) {
  for (const std::uint64_t header : {std::uint64_t{1} << 32 | 0xFFFF'FFFF, UINT64_MAX,
                                     std::uint64_t{1025} << 32 | 1, std::uint64_t{1} << 32 | 64}) {
    StridedBuffer buffer = typical();
    buffer[0] = header;
    const Decoded decoded = decode(buffer.bytes());
    EXPECT_EQ(decoded.found(), "header_implausible 1") << header;
    EXPECT_EQ(decoded.profile.lanes.size(), 4U);
  }
}

TEST(TvmBuffer, AsManyLanesAsSlotsAreBelieved) {
  StridedBuffer buffer = typical();
  buffer[0] = std::uint64_t{1} << 32 | 63;
  EXPECT_EQ(decode(buffer.bytes()).profile.launches[0].lanes_expected, 63U);
}

TEST(TvmBuffer, OptionsThatCannotBeAreNotBelievedEither) {
  EXPECT_EQ(decode(typical().bytes(), KernelFormat::kTvm, 4'000'000'000, 0).found(),
            "header_implausible 1");
  EXPECT_EQ(decode(typical().bytes(), KernelFormat::kTvm, 0, UINT64_MAX).found(),
            "header_implausible 1");
}

TEST(TvmBuffer, RecordsOfLanesThatTheHeaderDoesNotHaveAreDropped) {
  StridedBuffer buffer = typical();
  buffer[40] = std::uint64_t{500} << 32 | 77U << 12;
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.lanes(), decode(typical().bytes()).lanes());
  EXPECT_EQ(decoded.found(), "lane_out_of_range 1");
}

TEST(TvmBuffer, AStrideBelowTheNumberOfLanesIsReported) {
  StridedBuffer buffer(4, 1, 64);
  buffer.stride(2);
  for (std::uint32_t i = 0; i < 4; ++i) buffer.put(0, kInstant, i, 100 + i);
  buffer.put(0, kFinal, 0, 200);
  EXPECT_EQ(decode(buffer.bytes()).found(), "stride_below_lanes 1");
}

TEST(TvmBuffer, ARecordBesideTheSlotsOfItsLaneIsReportedAndKept) {
  StridedBuffer buffer = typical();
  buffer[1 + 1 + 3 * 4 + 1] = std::uint64_t{7000} << 32 | 1U << 12 | 2;  // lane 1, a slot of lane 2
  const Decoded decoded = decode(buffer.bytes());
  EXPECT_EQ(decoded.found(), "stale_records 1");  // behind its finalize
  StridedBuffer other(2, 1, 64);
  for (std::uint32_t i = 0; i < 4; ++i) other.put(0, kInstant, i, 100 + i);
  other[20] = std::uint64_t{900} << 32 | kFinal;
  EXPECT_EQ(decode(other.bytes()).found(), "misplaced_record 1");
}

TEST(TvmBuffer, MoreLanesThanTheTagHasNumbersForIsAnError) {
  const std::uint64_t blocks = strided::kLaneNumbers + 1;
  std::vector<std::uint64_t> words(blocks + 2);
  words[0] = std::uint64_t{1} << 32 | blocks;
  EXPECT_EQ(decode(bytes_of_items(words)).found(), "lane_id_overflow 1");
  words[0] = std::uint64_t{1} << 32 | (blocks - 1);
  EXPECT_EQ(decode(bytes_of_items(words)).found(), "");
}

TEST(TvmBuffer, ALaneLastsUntilItsFinalize) {
  StridedBuffer buffer(2, 1, 64);
  buffer.put(0, kBegin, 0, 4'294'967'000);
  buffer.put(0, kEnd, 0, 4'294'967'100);
  buffer.put(0, kFinal, 0, 50);  // behind a wrap
  buffer.put(1, kBegin, 0, 10);  // begins behind it
  buffer.put(1, kEnd, 0, 20);
  buffer.put(1, kFinal, 0, 60);
  const Decoded decoded = decode(buffer.bytes());
  constexpr std::int64_t kWrap = std::int64_t{1} << 32;
  ASSERT_EQ(decoded.profile.lanes.size(), 2U);
  for (const std::size_t i : {0U, 1U}) {
    const auto anchors = decoded.profile.anchors_of(decoded.profile.lanes[i]);
    ASSERT_EQ(anchors.size(), 1U);
    EXPECT_EQ(anchors[0].timer_ns, kWrap + (i == 0 ? 50 : 60));
  }
}

TEST(TvmBuffer, WhatLockstepsClassRefusedToWriteIsSaid) {
  StridedBuffer buffer(4, 1, 64);
  buffer[0] |= std::uint64_t{1} << 63;
  const Decoded refused = decode(buffer.bytes());
  EXPECT_EQ(refused.found(), "stride_refused 1");
  EXPECT_EQ(refused.profile.launches[0].lanes_expected, 4U);

  const std::uint64_t blocks = strided::kLaneNumbers + 1;
  std::vector<std::uint64_t> words(blocks + 2);
  words[0] = std::uint64_t{1} << 62 | std::uint64_t{1} << 32 | blocks;
  EXPECT_EQ(decode(bytes_of_items(words)).found(), "lanes_refused 1");
  // Of another profiler such a header is damage.
  EXPECT_EQ(decode(buffer.bytes(), KernelFormat::kFlashInfer).found(), "header_implausible 1");
}

TEST(TvmBuffer, EventsBeyondTheNamesAreShownByNumber) {
  StridedBuffer buffer = typical();
  KernelDecodeOptions options{.format = KernelFormat::kTvm};
  options.names = {"load"};
  EXPECT_EQ(decode_for_test(buffer.bytes(), options).found(), "");
  buffer.put(3, kFinal, 0, 0);
  StridedBuffer other(1, 1, 8);
  other.put(0, kInstant, 1023, 50);
  other.put(0, kFinal, 0, 50);
  const Decoded decoded = decode_for_test(other.bytes(), options);
  EXPECT_EQ(decoded.found(), "event_without_name 1");
  EXPECT_EQ(decoded.profile.event_name(0), "load");
  EXPECT_EQ(decoded.profile.event_name(1023), "event 1023");
}

TEST(TvmBuffer, ACutAnywhereIsSafe) {
  const std::string bytes = typical().bytes();
  expect_all_cuts_are_safe(bytes, {.format = KernelFormat::kTvm});
  EXPECT_EQ(decode(bytes.substr(0, 7)).error, "has no word of 8 bytes, let alone a header");
  EXPECT_EQ(decode(bytes.substr(0, bytes.size() - 3)).found(), "truncated 1");
}

TEST(TimerStep, IsTheCoarsestThatAllTimesShare) {
  EXPECT_EQ(timer_step_ns(0x7FFE0, 8), 32);
  EXPECT_EQ(timer_step_ns(0xFFC00, 8), 1024);
  EXPECT_EQ(timer_step_ns(0xFFFFF, 8), 1);
  EXPECT_EQ(timer_step_ns(0x7FFE0, 7), 0);
  EXPECT_EQ(timer_step_ns(0, 8), 0);
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
