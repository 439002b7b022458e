// Scratch buffers of Proton: rings, wide clocks, asynchronous pairs, times, damage.
#include "formats/kernel_profile/other_tools/proton_buffer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/kernel_profile/decoding_for_test.h"

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::uint32_t kEnd = 1U << 31;
constexpr std::uint32_t kAsync = 1U << 22;

struct Entry {
  std::uint32_t flags;
  std::uint32_t scope;
  std::uint64_t clock;
};

// One block's part, with `room` entries for each of its warps.
std::string block_of(std::uint32_t block, std::uint32_t sm,
                     const std::vector<std::vector<Entry>>& warps, std::size_t room,
                     std::uint64_t init = 1000, std::uint64_t final = 2000) {
  std::vector<std::uint32_t> words = {kProtonPreamble,
                                      block,
                                      sm,
                                      static_cast<std::uint32_t>(warps.size() * room * 8),
                                      static_cast<std::uint32_t>(init),
                                      static_cast<std::uint32_t>(init >> 32),
                                      static_cast<std::uint32_t>(final),
                                      static_cast<std::uint32_t>(final >> 32),
                                      static_cast<std::uint32_t>(final + 10),
                                      0};
  for (const auto& warp : warps) words.push_back(static_cast<std::uint32_t>(warp.size() * 2));
  for (const auto& warp : warps) {
    std::vector<std::uint32_t> ring(room * 2);
    for (std::size_t i = 0; i < warp.size(); ++i) {
      const std::size_t at = i % room * 2;
      ring[at] = warp[i].flags | warp[i].scope << 23 |
                 static_cast<std::uint32_t>(warp[i].clock >> 32 & 0x7FF);
      ring[at + 1] = static_cast<std::uint32_t>(warp[i].clock);
    }
    words.insert(words.end(), ring.begin(), ring.end());
  }
  return bytes_of_items(words);
}

Decoded decode(const std::string& bytes, const ProfileMeta& meta) {
  Decoded out;
  auto profile = decode_proton(as_span(bytes), {}, meta, out.findings);
  if (profile.ok()) {
    out.profile = std::move(profile).value();
  } else {
    out.error = profile.error().text();
  }
  return out;
}

constexpr std::uint64_t kHigh = 5ULL << 32;

std::string typical() {
  return block_of(0, 7,
                  {{{0, 1, kHigh + 100}, {kEnd, 1, kHigh + 300}},
                   {{0, 2, kHigh + 150}, {kEnd, 2, kHigh + 250}}},
                  4) +
         block_of(1, 9, {{{0, 1, kHigh + 110}, {kEnd, 1, kHigh + 310}}, {}}, 4);
}

TEST(ProtonBuffer, BlocksAndWarpsAreLanesInCycles) {
  const std::string bytes = typical();
  const Decoded decoded = decode(bytes, {.names = {"", "load", "mma"}, .groups = 2});
  EXPECT_EQ(decoded.lanes(),
            "0/0: B1@21474836580 E1@21474836780\n0/1: B2@21474836630 E2@21474836730\n"
            "1/0: B1@21474836590 E1@21474836790\n1/1: \n");
  EXPECT_EQ(decoded.found(), "");
  const trace::KernelLane& lane = decoded.profile.lanes[2];
  EXPECT_EQ(lane.sm, 9);
  EXPECT_EQ(lane.capacity, 4U);
  EXPECT_TRUE(lane.is_finalized && lane.is_ring);
  EXPECT_EQ(lane.clock, trace::LaneClock::kCycles);
  EXPECT_EQ(decoded.profile.event_name(2), "mma");
  EXPECT_TRUE(decoded.profile.anchors.empty());
}

TEST(ProtonBuffer, AFullRingKeepsItsLastEntriesInOrder) {
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < 10; ++i) entries.push_back({i % 2 != 0 ? kEnd : 0, 3, kHigh + i});
  const std::string bytes = block_of(0, 0, {entries}, 4);
  const Decoded decoded = decode(bytes, {.groups = 1});
  EXPECT_EQ(decoded.lanes(), "0/0: B3@21474836486 E3@21474836487 B3@21474836488 E3@21474836489\n");
  EXPECT_EQ(decoded.found(), "dropped 6");
  EXPECT_EQ(decoded.profile.lanes[0].seen, 10U);
}

TEST(ProtonBuffer, ClocksOf32BitsWrapAt32Bits) {
  const std::string bytes = block_of(0, 0, {{{0, 0, 0xFFFF'FFF0}, {kEnd, 0, 0x10}}}, 4);
  const Decoded decoded = decode(bytes, {.groups = 1});
  EXPECT_EQ(decoded.lanes(), "0/0: B0@4294967280 E0@4294967312\n");
  EXPECT_EQ(decoded.found(), "wrapped 1");
}

TEST(ProtonBuffer, WideClocksWrapAt43Bits) {
  const std::string bytes =
      block_of(0, 0, {{{0, 0, (1ULL << 43) - 16}, {kEnd, 0, 0x10}, {0, 1, 0x20}}}, 4);
  const Decoded decoded = decode(bytes, {.groups = 1});
  EXPECT_EQ(decoded.lanes(), "0/0: B0@8796093022192 E0@8796093022224 B1@8796093022240\n");
}

TEST(ProtonBuffer, WrapsThatHaveNoRoomIn64BitsAreDropped) {
  constexpr std::uint64_t kClocks = 1'100'000;
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; i < kClocks; ++i) entries.push_back({0, 0, (1ULL << 43) - 1 - i});
  const std::string bytes = block_of(0, 0, {entries}, kClocks);
  const Decoded decoded = decode(bytes, {.groups = 1});
  EXPECT_EQ(decoded.profile.lanes[0].written, (1U << 18) + 1);
  EXPECT_EQ(decoded.found().substr(0, 14), "wrapped 262144");
}

TEST(ProtonBuffer, SelectedWarpsShareTheRecords) {
  std::string bytes = block_of(0, 0, {{{0, 1, kHigh}}, {{0, 2, kHigh}}}, 4);
  // Four warps have a count, of which 1 and 3 were selected.
  const std::uint32_t counts[] = {0, 2, 0, 2};
  bytes.replace(40, 8, reinterpret_cast<const char*>(counts), sizeof(counts));
  const Decoded decoded = decode(bytes, {.groups = 4, .selected = {1, 3}});
  EXPECT_EQ(decoded.lanes(), "0/1: B1@21474836480\n0/3: B2@21474836480\n");
}

TEST(ProtonBuffer, AsyncEndsTakeTheOldestBeginOfTheirWarpThenOfAnother) {
  const std::string bytes = block_of(0, 0,
                                     {{{kAsync, 1, kHigh + 1}, {kAsync, 1, kHigh + 2}},
                                      {{kAsync, 1, kHigh + 3},
                                       {kEnd | kAsync, 1, kHigh + 10},
                                       {kEnd | kAsync, 1, kHigh + 11},
                                       {kEnd | kAsync, 1, kHigh + 12},
                                       {kEnd | kAsync, 2, kHigh + 13}}},
                                     8);
  const Decoded decoded = decode(bytes, {.groups = 2});
  EXPECT_EQ(decoded.lanes(),
            "0/0: ~B1@21474836481=0 ~B1@21474836482=1\n"
            "0/1: ~B1@21474836483=2 ~E1@21474836490=2 ~E1@21474836491=0 ~E1@21474836492=1 "
            "~E2@21474836493=3\n");
}

TEST(ProtonBuffer, WithARateTheTimesBoundTheCycles) {
  const std::string bytes = block_of(0, 0, {{{0, 0, kHigh + 500}, {kEnd, 0, kHigh + 2200}}}, 4);
  const Decoded decoded = decode(bytes, {.timer_tick_ns = 32, .clock_ghz = 2, .groups = 1});
  ASSERT_EQ(decoded.profile.anchors.size(), 2U);
  // 1032 ns are 2064 cycles; 1700 lie between the records.
  const trace::KernelAnchor& init = decoded.profile.anchors[0];
  EXPECT_EQ(init.timer_ns, 1000);
  EXPECT_EQ(init.clock_before, static_cast<std::int64_t>(kHigh) + 500 - 364);
  EXPECT_EQ(init.clock_after, static_cast<std::int64_t>(kHigh) + 500);
  const trace::KernelAnchor& final = decoded.profile.anchors[1];
  EXPECT_EQ(final.timer_ns, 2000);
  EXPECT_EQ(final.clock_before, static_cast<std::int64_t>(kHigh) + 2200);
  EXPECT_EQ(final.clock_after, static_cast<std::int64_t>(kHigh) + 2200 + 364);
}

TEST(ProtonBuffer, ARateThatContradictsTheTimesGivesNoAnchors) {
  const std::string bytes = block_of(0, 0, {{{0, 0, kHigh}, {kEnd, 0, kHigh + 9000}}}, 4);
  EXPECT_TRUE(decode(bytes, {.clock_ghz = 2, .groups = 1}).profile.anchors.empty());
}

TEST(ProtonBuffer, ABlockThatDidNotFinishIsReported) {
  const std::string bytes = block_of(0, 0, {{{0, 0, kHigh}}}, 4, 1000, 0);
  EXPECT_EQ(decode(bytes, {.groups = 1}).found(), "not_finalized 1");
}

TEST(ProtonBuffer, WarpsAreCountedWhereTheFileTells) {
  const std::string bytes = block_of(0, 0, {{{0, 1, kHigh}}, {}, {}, {}}, 2) +
                            block_of(1, 0, {{{0, 2, kHigh}}, {}, {}, {}}, 2);
  const Decoded decoded = decode(bytes, {});
  EXPECT_EQ(decoded.profile.lanes.size(), 8U);
  EXPECT_EQ(decode(typical(), {}).error,
            "how many warps a block has is not known. Say \"groups\" (warps of a block) in --meta, "
            "or --groups");
}

TEST(ProtonBuffer, DamagedBlocksAreLeftOut) {
  std::string bytes = typical();
  const std::size_t second = bytes.size() / 2;
  bytes[second] = 0;
  EXPECT_EQ(decode(bytes, {.groups = 2}).found(), "block_damaged 1");
  bytes = typical();
  bytes[second + 15] = '\xff';  // bytes of records
  const Decoded decoded = decode(bytes, {.groups = 2});
  EXPECT_EQ(decoded.found(), "block_damaged 1");
  EXPECT_EQ(decoded.profile.lanes.size(), 2U);
}

TEST(ProtonBuffer, ABufferOfSomethingElseIsRefused) {
  EXPECT_EQ(decode(std::string(100, 'x'), {.groups = 1}).error,
            "does not begin with Proton's preamble 0xdeadbeef");
  EXPECT_EQ(decode("\xef\xbe\xad\xde", {.groups = 1}).error,
            "ends inside the header of the first block");
}

TEST(ProtonBuffer, MetaThatContradictsTheBufferIsRefused) {
  EXPECT_EQ(decode(typical(), {.groups = 2, .header_words = 5}).error,
            "\"header_words\" of --meta must be 10 or 4");
  EXPECT_EQ(decode(typical(), {.groups = 2, .selected = {2}}).error,
            "\"selected\" of --meta names warps that the block does not have");
  EXPECT_EQ(decode(typical(), {.groups = 2, .block_bytes = 40}).error,
            "parts of 40 bytes have no room for their header");
}

TEST(ProtonBuffer, ShortHeadersHaveNoTimes) {
  std::string bytes = block_of(3, 1, {{{0, 0, kHigh}}}, 4);
  bytes.erase(16, 24);
  const Decoded decoded = decode(bytes, {.groups = 1, .header_words = 4});
  EXPECT_EQ(decoded.lanes(), "3/0: B0@21474836480\n");
  EXPECT_EQ(decoded.found(), "");
}

TEST(ProtonBuffer, ACutAnywhereIsSafe) {
  KernelDecodeOptions options{.format = KernelFormat::kProton};
  options.groups = 2;
  const std::string bytes = typical();
  expect_all_cuts_are_safe(bytes, options);
  EXPECT_EQ(decode(bytes.substr(0, bytes.size() - 1), {.groups = 2}).found(), "truncated 1");
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
