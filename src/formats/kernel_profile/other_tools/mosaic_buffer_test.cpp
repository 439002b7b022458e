// Buffers of Mosaic GPU: warp groups, the order of blocks, wraps, overflow.
#include "formats/kernel_profile/other_tools/mosaic_buffer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::uint32_t kExit = 1U << 31;

Decoded decode(const std::vector<std::uint32_t>& words, const ProfileMeta& meta,
               const KernelDecodeOptions& options = {}) {
  Decoded out;
  const std::string bytes = bytes_of_items(words);
  auto profile = decode_mosaic(as_span(bytes), options, meta, out.findings);
  if (profile.ok()) {
    out.profile = std::move(profile).value();
  } else {
    out.error = profile.error().text();
  }
  return out;
}

const std::vector<std::uint32_t> kTypical = {
    500, 3, 4, 0, 100, kExit, 180, 0, 0,  // block 0, group 0
    510, 3, 2, 1, 120, 0,     0,   0, 0,  // block 0, group 1
    520, 4, 4, 0, 90,  kExit, 95,  7, 7,  // block 1, group 0
    0,   0, 0, 0, 0,   0,     0,   0, 0,  // block 1, group 1: nothing
};

TEST(MosaicBuffer, WarpGroupsAreLanesInCycles) {
  const Decoded decoded =
      decode(kTypical, {.names = {"load", "mma"}, .groups = 2, .lane_words = 9});
  EXPECT_EQ(decoded.lanes(), "0/0: B0@100 E0@180\n0/1: B1@120\n1/0: B0@90 E0@95\n");
  EXPECT_EQ(decoded.found(), "");
  EXPECT_EQ(decoded.profile.lanes[2].sm, 4);
  EXPECT_EQ(decoded.profile.lanes[2].capacity, 3U);
  EXPECT_EQ(decoded.profile.lanes[2].clock, trace::LaneClock::kCycles);
  EXPECT_EQ(decoded.profile.launches[0].lanes_expected, 4U);
  EXPECT_EQ(decoded.profile.launches[0].groups, 2U);
  EXPECT_EQ(decoded.profile.event_name(1), "mma");
}

TEST(MosaicBuffer, WordsOfAGroupFollowFromGridAndThreads) {
  const Decoded decoded = decode(kTypical, {.grid = {2, 1, 1}, .threads = {256, 1, 1}});
  EXPECT_EQ(decoded.lanes(), "0/0: B0@100 E0@180\n0/1: B1@120\n1/0: B0@90 E0@95\n");
  KernelDecodeOptions options;
  options.groups = 2;
  options.blocks = 2;
  EXPECT_EQ(decode(kTypical, {}, options).lanes(), decoded.lanes());
}

TEST(MosaicBuffer, BlocksAreCountedWithZFastest) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = 0; i < 12; ++i) {
    for (const std::uint32_t word : {1U, 0U, 2U, 0U, 1000 + i}) words.push_back(word);
  }
  const Decoded decoded = decode(words, {.grid = {2, 3, 2}, .lane_words = 5});
  ASSERT_EQ(decoded.profile.lanes.size(), 12U);
  trace::RecordScratch scratch;
  // x 1, y 2, z 0 is the 10th there and (0 * 3 + 2) * 2 + 1 here.
  EXPECT_EQ(decoded.profile.records_of(decoded.profile.lanes[5], scratch)[0].ticks, 1010);
}

TEST(MosaicBuffer, BlocksBeyondTheGridKeepTheirNumber) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = 0; i < 6; ++i) {
    for (const std::uint32_t word : {1U, 0U, 2U, 0U, 1000 + i}) words.push_back(word);
  }
  const Decoded decoded = decode(words, {.grid = {2, 2, 1}, .lane_words = 5});
  ASSERT_EQ(decoded.profile.lanes.size(), 6U);
  EXPECT_EQ(decoded.profile.lanes[5].block, 5U);
  EXPECT_EQ(decoded.found(), "");
}

TEST(MosaicBuffer, AWrapIsUndone) {
  const Decoded decoded = decode({1, 0, 4, 0, 0xFFFF'FFF0, kExit, 0x10}, {.lane_words = 7});
  EXPECT_EQ(decoded.lanes(), "0/0: B0@4294967280 E0@4294967312\n");
  EXPECT_EQ(decoded.found(), "wrapped 1");
}

TEST(MosaicBuffer, AnOverflowIsADropAndTheRestIsKept) {
  const Decoded decoded = decode({1, 0, 400, 0, 50, kExit, 60}, {.lane_words = 7});
  EXPECT_EQ(decoded.lanes(), "0/0: B0@50 E0@60\n");
  EXPECT_EQ(decoded.found(), "dropped 198");
}

TEST(MosaicBuffer, WrongWordsAreCounted) {
  EXPECT_EQ(decode({1, 0, 3, 0, 50, kExit, 60}, {.lane_words = 7}).found(), "bad_record 1");
  EXPECT_EQ(decode({1, 0, 4, 0x7000'0000, 50, 0, 60}, {.lane_words = 7}).found(), "bad_record 1");
  EXPECT_EQ(decode({1, 0, 4, 0, 50, kExit, 60, 8}, {.lane_words = 7}).found(), "truncated 1");
}

TEST(MosaicBuffer, WithoutASizeItIsRefused) {
  EXPECT_EQ(decode(kTypical, {}).error,
            "how many words a warp group has is not known. Say \"lane_words\" "
            "(entries_per_warpgroup) in --meta, or --blocks and --groups");
  KernelDecodeOptions options;
  options.blocks = UINT64_MAX;
  options.groups = UINT32_MAX;
  EXPECT_FALSE(decode(kTypical, {}, options).error.empty());
}

TEST(MosaicBuffer, ACutAnywhereIsSafe) {
  KernelDecodeOptions options{.format = KernelFormat::kMosaic};
  options.blocks = 2;
  options.groups = 2;
  expect_all_cuts_are_safe(bytes_of_items(kTypical), options);
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
