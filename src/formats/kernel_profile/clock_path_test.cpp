// Wraps of lanes: seen, hidden, ambiguous; and random lanes against the ticks that they were made
// of.
#include "formats/kernel_profile/clock_path.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::int64_t kWrap = std::int64_t{1} << 32;

struct Lane {
  std::vector<std::int64_t> ticks;  // the truth
  std::vector<trace::KernelAnchor> anchors;
  trace::KernelLane facts{.is_finalized = true};

  Lane& anchor(std::int64_t clock) {
    anchors.push_back({clock / 2, clock, clock + 8});
    return *this;
  }
};

struct Found {
  ClockPath path;
  std::vector<std::int64_t> ticks;
};

// The ticks that follow from the path, as LkpRecords computes them.
Found find(const Lane& lane) {
  std::vector<std::uint32_t> clocks;
  for (const std::int64_t tick : lane.ticks) clocks.push_back(static_cast<std::uint32_t>(tick));
  trace::KernelLane facts = lane.facts;
  facts.written = lane.ticks.size();
  if (facts.seen == 0) facts.seen = facts.written;
  const LaneClocks view(reinterpret_cast<const std::byte*>(clocks.data()), 4, clocks.size());
  Found found{find_clock_path(view, facts, lane.anchors), {}};
  std::int64_t tick = found.path.first;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    if (found.path.reference) {
      const std::int64_t reference = *found.path.reference;
      tick =
          reference + static_cast<std::int32_t>(clocks[i] - static_cast<std::uint32_t>(reference));
    } else if (i > 0) {
      tick += clock_step(clocks[i - 1], clocks[i], found.path.back);
    }
    for (const HiddenWraps& hidden : found.path.hidden)
      tick += hidden.before == i ? hidden.ticks : 0;
    found.ticks.push_back(tick);
  }
  return found;
}

TEST(ClockPath, WithoutAnchorsAStepBackIsAWrap) {
  const Lane lane{{kWrap - 5, kWrap + 5, 2 * kWrap + 1}, {}, {}};
  const Found found = find(lane);
  EXPECT_EQ(found.ticks, (std::vector{kWrap - 5, kWrap + 5, 2 * kWrap + 1}));
  EXPECT_EQ(found.path.wraps, 2U);
  EXPECT_FALSE(found.path.is_ambiguous);
}

TEST(ClockPath, AShortLaneIsReadNearItsFirstAnchor) {
  Lane lane{{7 * kWrap - 5, 7 * kWrap + 5}, {}};
  lane.anchor(7 * kWrap - 100).anchor(7 * kWrap + 100);
  const Found found = find(lane);
  EXPECT_TRUE(found.path.reference.has_value());
  EXPECT_EQ(found.ticks, lane.ticks);
  EXPECT_EQ(found.path.wraps, 1U);
}

TEST(ClockPath, NearAnAnchorAStepBackIsNoWrap) {
  Lane lane{{1000, 990, 1010}, {}};
  lane.anchor(900).anchor(1100);
  const Found found = find(lane);
  EXPECT_EQ(found.ticks, lane.ticks);
  EXPECT_EQ(found.path.wraps, 0U);
}

TEST(ClockPath, ALaneWithoutAnEndBeginsAtItsFirstAnchor) {
  Lane lane{{5 * kWrap + 17, 6 * kWrap + 3}, {}};
  lane.anchor(5 * kWrap + 10).anchor(5 * kWrap + 20);
  lane.facts.is_finalized = false;
  EXPECT_EQ(find(lane).ticks, lane.ticks);
}

TEST(ClockPath, ALoneAnchorMayBeOfTheBeginOrOfTheEnd) {
  for (const std::int64_t anchor : {5 * kWrap - 10, 5 * kWrap + 10'000}) {
    Lane lane{{5 * kWrap - 5, 5 * kWrap + 5000}, {}};
    lane.anchor(anchor);
    const Found found = find(lane);
    EXPECT_EQ(found.ticks, lane.ticks);
    EXPECT_EQ(found.path.wraps, 1U);
  }
}

TEST(ClockPath, OfTwoMarkersAHiddenWrapLiesBetween) {
  Lane lane{{1000, 3 * kWrap + 2000}, {}};
  lane.anchor(900).anchor(3 * kWrap + 2100);
  const Found found = find(lane);
  EXPECT_EQ(found.ticks, lane.ticks);
  EXPECT_EQ(found.path.wraps, 3U);
  EXPECT_FALSE(found.path.is_ambiguous);
}

TEST(ClockPath, AnInteriorAnchorTellsWhereAHiddenWrapLies) {
  Lane lane{{1000, 2000, 2 * kWrap + 5000, 2 * kWrap + 6000}, {}};
  lane.anchor(900).anchor(2 * kWrap + 5040).anchor(2 * kWrap + 6100);
  const Found found = find(lane);
  EXPECT_EQ(found.ticks, lane.ticks);
  EXPECT_FALSE(found.path.is_ambiguous);
}

TEST(ClockPath, AnInteriorAnchorFarFromEveryMarkerTellsNothing) {
  Lane lane{{1000, 2000, kWrap + 5000'0000, kWrap + 6000'0000}, {}};
  lane.anchor(900).anchor(kWrap + 2500'0000).anchor(kWrap + 6000'0100);
  EXPECT_TRUE(find(lane).path.is_ambiguous);
}

TEST(ClockPath, HiddenWrapsWithoutATraceAreAmbiguousAndLeftOut) {
  Lane lane{{1000, 2000, 2 * kWrap + 5000}, {}};
  lane.anchor(900).anchor(2 * kWrap + 5100);
  const Found found = find(lane);
  EXPECT_TRUE(found.path.is_ambiguous);
  EXPECT_EQ(found.ticks, (std::vector<std::int64_t>{1000, 2000, 5000}));
}

TEST(ClockPath, ARingIsReadFromItsEnd) {
  Lane lane{{9 * kWrap + 1000, 9 * kWrap + 2000, 10 * kWrap + 1}, {}};
  lane.anchor(900).anchor(10 * kWrap + 2100);
  lane.facts.is_ring = true;
  lane.facts.seen = 100;
  const Found found = find(lane);
  EXPECT_EQ(found.ticks, lane.ticks);
  EXPECT_EQ(found.path.wraps, 1U);
  EXPECT_FALSE(found.path.is_ambiguous);
}

TEST(ClockPath, AFullLaneIsReadFromItsBegin) {
  Lane lane{{1000, 2000, 3000}, {}};
  lane.anchor(900).anchor(10 * kWrap + 2100);
  lane.facts.seen = 100;
  const Found found = find(lane);
  EXPECT_EQ(found.ticks, lane.ticks);
  EXPECT_FALSE(found.path.is_ambiguous);
}

TEST(ClockPath, ElectedThreadsMayStepBackALittle) {
  Lane lane{{kWrap - 10, kWrap + 20, kWrap - 2, 3 * kWrap / 2}, {}};
  lane.facts.is_elected = true;
  const Found found = find(lane);
  EXPECT_EQ(found.ticks, lane.ticks);
  lane.facts.is_elected = false;
  EXPECT_NE(find(lane).ticks, lane.ticks);
}

TEST(ClockPath, MoreStepsBackThanTheAnchorsAllowAreDisorder) {
  Lane lane{{5000, 4000, 3000, 2000, 3 * kWrap / 4}, {}};
  lane.anchor(1000).anchor(kWrap - 100);
  const Found found = find(lane);
  EXPECT_TRUE(found.path.is_disordered);
  EXPECT_EQ(found.ticks[3], 2000);
  EXPECT_EQ(found.path.wraps, 0U);
}

TEST(ClockPath, NoRecordsHaveNoPath) {
  Lane lane;
  lane.anchor(1000);
  EXPECT_EQ(find(lane).path.wraps, 0U);
}

// Lanes whose markers are less than a wrap apart: exact whatever the anchors are.
RC_GTEST_PROP(ClockPath, RandomLanesComeOutAsTheyWere, ()) {
  std::int64_t tick = *rc::gen::inRange<std::int64_t>(0, 64) * (kWrap / 3);
  const auto small = rc::gen::inRange<std::int64_t>(0, 1000);
  const auto large = rc::gen::inRange<std::int64_t>(0, kWrap);
  const std::int64_t begin = tick;
  Lane lane;
  const auto count = *rc::gen::inRange(1, 20);
  for (int i = 0; i < count; ++i) {
    tick += *rc::gen::oneOf(small, small, large);
    lane.ticks.push_back(tick);
  }
  const auto anchors = *rc::gen::inRange(0, 3);
  lane.facts.is_finalized = anchors == 2;  // a lone anchor is of the begin
  if (anchors > 0) {
    RC_PRE(lane.ticks.front() - begin < kWrap);
    lane.anchor(begin);
  }
  if (anchors == 2) lane.anchor(tick + *small);
  const Found found = find(lane);
  RC_ASSERT(!found.path.is_ambiguous && !found.path.is_disordered);
  // Without anchors the wraps before the first record are not known.
  const std::int64_t before = anchors == 0 ? lane.ticks.front() / kWrap * kWrap : 0;
  for (std::size_t i = 0; i < lane.ticks.size(); ++i) {
    RC_ASSERT(found.ticks[i] + before == lane.ticks[i]);
  }
  RC_ASSERT(found.path.wraps ==
            static_cast<std::uint64_t>(lane.ticks.back() / kWrap - lane.ticks.front() / kWrap));
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
