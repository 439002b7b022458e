// Claims on the pairing of markers, case by case of the reference's table.
#include "analysis/kernel_profile/regions/lane_regions.h"

#include <string>

#include <gtest/gtest.h>

#include "analysis/kernel_profile/profile_for_test.h"

namespace lockstep::analysis::kernel_profile {
namespace {

struct Paired {
  LaneTimeline timeline;
  Diagnostics findings;
  std::vector<LaneRegion>& regions() { return timeline.regions; }
  std::uint64_t count(const DiagnosticKind& kind) const { return findings.count_of(kind); }
};

Paired pair(const std::vector<trace::KernelRecord>& records, trace::KernelLane lane = {},
            const std::vector<trace::KernelAnchor>& anchors = {}) {
  lane.written = records.size();
  Paired paired;
  pair_regions(lane, records, anchors, paired.timeline, paired.findings);
  return paired;
}

trace::KernelLane lane_that_dropped(bool is_ring) {
  trace::KernelLane lane;
  lane.seen = 1'000;
  lane.is_ring = is_ring;
  return lane;
}

void expect_region(const LaneRegion& region, std::uint32_t event, std::int64_t begin,
                   std::int64_t end, std::uint32_t depth, RegionStatus status = RegionStatus::kOk) {
  EXPECT_EQ(region.event, event);
  EXPECT_EQ(region.begin, begin);
  EXPECT_EQ(region.end, end);
  EXPECT_EQ(region.depth, depth);
  EXPECT_EQ(region.status, status);
}

TEST(LaneRegions, NothingGivesNothing) {
  Paired paired = pair({});
  EXPECT_TRUE(paired.regions().empty());
  EXPECT_TRUE(paired.findings.entries().empty());
}

TEST(LaneRegions, BeginAndEndMakeARegionAndInnerOnesAreDeeper) {
  Paired paired = pair({begin_of(0, 10), begin_of(1, 12), end_of(1, 15), end_of(0, 20),
                        begin_of(2, 20), end_of(2, 22)});
  ASSERT_EQ(paired.regions().size(), 3U);
  expect_region(paired.regions()[0], 0, 10, 20, 0);
  expect_region(paired.regions()[1], 1, 12, 15, 1);
  expect_region(paired.regions()[2], 2, 20, 22, 0);
  EXPECT_TRUE(paired.findings.entries().empty());
  EXPECT_EQ(paired.timeline.begin, 10);
  EXPECT_EQ(paired.timeline.end, 22);
}

TEST(LaneRegions, EventNestedInItselfPairsTheInnerOneFirst) {
  Paired paired = pair({begin_of(7, 0), begin_of(7, 2), end_of(7, 3), end_of(7, 9)});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 7, 0, 9, 0);
  expect_region(paired.regions()[1], 7, 2, 3, 1);
  EXPECT_EQ(paired.count(kNestedInItself), 1U);
}

TEST(LaneRegions, SwitchEndsOneEventAndBeginsAnotherAtOneTick) {
  Paired paired = pair({begin_of(1, 0), switch_of(1, 2, 5), switch_of(2, 1, 9), end_of(1, 12)});
  ASSERT_EQ(paired.regions().size(), 3U);
  expect_region(paired.regions()[0], 1, 0, 5, 0);
  expect_region(paired.regions()[1], 2, 5, 9, 0);
  expect_region(paired.regions()[2], 1, 9, 12, 0);
  // The payload of a switch is an event, not a payload of the region.
  EXPECT_FALSE(paired.regions()[1].has_payload);
  EXPECT_EQ(paired.regions()[1].payload, 0U);
}

TEST(LaneRegions, SwitchToTheSameEventDoesNotNestIt) {
  Paired paired = pair({begin_of(1, 0), switch_of(1, 1, 5), end_of(1, 9)});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 1, 0, 5, 0);
  expect_region(paired.regions()[1], 1, 5, 9, 0);
  EXPECT_EQ(paired.count(kNestedInItself), 0U);
}

TEST(LaneRegions, BeginWithoutEndReachesTheLanesEnd) {
  Paired paired =
      pair({begin_of(3, 5), begin_of(4, 6), end_of(4, 8)}, {}, {{.timer_ns = 2}, {.timer_ns = 30}});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 3, 5, 30, 0, RegionStatus::kUnmatchedBegin);
  expect_region(paired.regions()[1], 4, 6, 8, 1);
  EXPECT_EQ(paired.count(kUnmatchedBegin), 1U);
  EXPECT_EQ(paired.timeline.begin, 2);
}

TEST(LaneRegions, EndWithoutBeginReachesBackToTheLanesBegin) {
  Paired paired = pair({begin_of(4, 6), end_of(4, 8), end_of(3, 9)}, {}, {{.timer_ns = 2}});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 3, 2, 9, 0, RegionStatus::kUnmatchedEnd);
  expect_region(paired.regions()[1], 4, 6, 8, 1);
  EXPECT_EQ(paired.count(kUnmatchedEnd), 1U);
  EXPECT_EQ(paired.count(kUnmatchedBegin), 0U);
}

TEST(LaneRegions, OpenRegionsOfOneLaneDoNotCloseInTheNext) {
  RegionPairing pairing;
  LaneTimeline timeline;
  Diagnostics findings;
  const std::vector<trace::KernelRecord> open = {begin_of(3, 5), begin_of(3, 6)};
  const std::vector<trace::KernelRecord> close = {end_of(3, 7)};
  pairing.pair({}, open, {}, timeline, findings);
  pairing.pair({}, close, {}, timeline, findings);
  ASSERT_EQ(timeline.regions.size(), 1U);
  EXPECT_EQ(timeline.regions[0].status, RegionStatus::kUnmatchedEnd);
  EXPECT_EQ(findings.count_of(kUnmatchedBegin), 2U);
  EXPECT_EQ(findings.count_of(kUnmatchedEnd), 1U);
}

TEST(LaneRegions, LaneOfRegionRecordsLeavesNoTraceInTheNext) {
  RegionPairing pairing;
  LaneTimeline timeline;
  Diagnostics findings;
  const std::vector<trace::KernelRecord> whole = {region_of(1, 0, 5)};
  // 2 is over when 3 begins at the same tick; 3 and 4 cross.
  const std::vector<trace::KernelRecord> edges = {begin_of(2, 5), end_of(2, 5), begin_of(3, 5),
                                                  begin_of(4, 7), end_of(3, 9), end_of(4, 12)};
  pairing.pair({}, whole, {}, timeline, findings);
  pairing.pair({}, edges, {}, timeline, findings);
  for (const LaneRegion& region : timeline.regions) EXPECT_EQ(region.depth, 0U);
}

TEST(LaneRegions, FullBufferClipsBeginsAndNotEnds) {
  Paired paired = pair({end_of(1, 3), begin_of(2, 5)}, lane_that_dropped(false),
                       {{.timer_ns = 0}, {.timer_ns = 9}});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 1, 0, 3, 0, RegionStatus::kUnmatchedEnd);
  expect_region(paired.regions()[1], 2, 5, 9, 0, RegionStatus::kClipped);
  EXPECT_EQ(paired.count(kClippedRegion), 1U);
  EXPECT_EQ(paired.count(kUnmatchedBegin), 0U);
}

TEST(LaneRegions, RingClipsEndsAndNotBegins) {
  Paired paired = pair({end_of(1, 3), begin_of(2, 5)}, lane_that_dropped(true),
                       {{.timer_ns = 0}, {.timer_ns = 9}});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 1, 0, 3, 0, RegionStatus::kClipped);
  expect_region(paired.regions()[1], 2, 5, 9, 0, RegionStatus::kUnmatchedBegin);
  EXPECT_EQ(paired.count(kClippedRegion), 1U);
  EXPECT_EQ(paired.count(kUnmatchedEnd), 0U);
}

TEST(LaneRegions, EdgesOfCycleLanesComeFromTheCyclesOfAnchors) {
  trace::KernelLane lane;
  lane.clock = trace::LaneClock::kCycles;
  Paired paired = pair({begin_of(1, 100)}, lane,
                       {{.timer_ns = 7, .clock_before = 90, .clock_after = 95},
                        {.timer_ns = 9, .clock_before = 120, .clock_after = 130}});
  EXPECT_EQ(paired.timeline.begin, 90);
  EXPECT_EQ(paired.timeline.end, 130);
  EXPECT_EQ(paired.regions()[0].end, 130);
}

TEST(LaneRegions, RegionsThatOverlapWithoutEnclosingCross) {
  Paired paired = pair({begin_of(1, 0), begin_of(2, 5), end_of(1, 10), begin_of(3, 11),
                        end_of(3, 12), end_of(2, 20)});
  ASSERT_EQ(paired.regions().size(), 3U);
  expect_region(paired.regions()[0], 1, 0, 10, 0);
  expect_region(paired.regions()[1], 2, 5, 20, 0);
  expect_region(paired.regions()[2], 3, 11, 12, 1);
  EXPECT_TRUE(paired.regions()[0].is_crossing);
  EXPECT_TRUE(paired.regions()[1].is_crossing);
  EXPECT_FALSE(paired.regions()[2].is_crossing);
  EXPECT_EQ(paired.count(kCrossingRegions), 2U);
}

TEST(LaneRegions, RegionsThatShareAnEdgeDoNotCross) {
  // 2 begins inside 1, but no time later; 4 ends after 3, but no time later.
  Paired paired = pair({begin_of(1, 0), begin_of(2, 0), end_of(1, 5), end_of(2, 9),  //
                        begin_of(3, 20), begin_of(4, 25), end_of(3, 30), end_of(4, 30)});
  ASSERT_EQ(paired.regions().size(), 4U);
  expect_region(paired.regions()[0], 2, 0, 9, 0);
  expect_region(paired.regions()[1], 1, 0, 5, 1);
  expect_region(paired.regions()[2], 3, 20, 30, 0);
  expect_region(paired.regions()[3], 4, 25, 30, 1);
  EXPECT_EQ(paired.count(kCrossingRegions), 0U);
}

TEST(LaneRegions, RegionWithoutLengthStandsWhereTheProgramHadIt) {
  // 2 comes after 1 at the same tick; 4 lies in 3 at the same tick; 5 crosses 6.
  Paired paired = pair({begin_of(1, 0), end_of(1, 5), begin_of(2, 5), end_of(2, 5),  //
                        begin_of(3, 6), begin_of(4, 9), end_of(4, 9), end_of(3, 9),  //
                        begin_of(5, 10), begin_of(6, 12), end_of(5, 14), end_of(6, 16)});
  ASSERT_EQ(paired.regions().size(), 6U);
  expect_region(paired.regions()[1], 2, 5, 5, 0);
  expect_region(paired.regions()[3], 4, 9, 9, 1);
  EXPECT_EQ(paired.count(kCrossingRegions), 2U);
}

TEST(LaneRegions, RegionRecordsNestThoughInnerOnesAreWrittenFirst) {
  Paired paired =
      pair({region_of(1, 2, 3), region_of(2, 6, 2), region_of(0, 0, 10), region_of(3, 10, 1)});
  ASSERT_EQ(paired.regions().size(), 4U);
  expect_region(paired.regions()[0], 0, 0, 10, 0);
  expect_region(paired.regions()[1], 1, 2, 5, 1);
  expect_region(paired.regions()[2], 2, 6, 8, 1);
  expect_region(paired.regions()[3], 3, 10, 11, 0);
  EXPECT_EQ(paired.timeline.end, 11);
}

TEST(LaneRegions, EmptyRegionRecordsLieInWhatWasWrittenLater) {
  Paired paired = pair({region_of(1, 5, 0), region_of(0, 0, 5), region_of(2, 5, 0)});
  ASSERT_EQ(paired.regions().size(), 3U);
  expect_region(paired.regions()[0], 0, 0, 5, 0);
  EXPECT_EQ(paired.regions()[1].depth + paired.regions()[2].depth, 1U);
  EXPECT_EQ(paired.regions()[2].markers, 1U);  // its own end
}

TEST(LaneRegions, RegionRecordDoesNotEndAnOpenRegionOfItsEvent) {
  Paired paired = pair({begin_of(1, 0), region_of(1, 2, 3), end_of(1, 10)});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 1, 0, 10, 0);
  expect_region(paired.regions()[1], 1, 2, 5, 1);
}

TEST(LaneRegions, PayloadIsOfTheBeginElseOfTheEnd) {
  std::vector<trace::KernelRecord> records = {begin_of(1, 0), end_of(1, 1), begin_of(2, 2),
                                              end_of(2, 3)};
  records[0].payload = 11;
  records[0].has_payload = true;
  records[1].payload = 12;
  records[1].has_payload = true;
  records[3].payload = 13;
  records[3].has_payload = true;
  Paired paired = pair(records);
  EXPECT_EQ(paired.regions()[0].payload, 11U);
  EXPECT_EQ(paired.regions()[1].payload, 13U);
  EXPECT_TRUE(paired.regions()[1].has_payload);
}

TEST(LaneRegions, InstantsAndAsyncEdgesAreNoRegions) {
  Paired paired =
      pair({instant_of(4, 3), async_of(begin_of(1, 5), 77), async_of(end_of(2, 6), 78)});
  EXPECT_TRUE(paired.regions().empty());
  ASSERT_EQ(paired.timeline.instants.size(), 1U);
  EXPECT_EQ(paired.timeline.instants[0].at, 3);
  ASSERT_EQ(paired.timeline.async_edges.size(), 2U);
  EXPECT_TRUE(paired.timeline.async_edges[0].is_begin);
  EXPECT_EQ(paired.timeline.async_edges[0].token, 77U);
  EXPECT_FALSE(paired.timeline.async_edges[1].is_begin);
  EXPECT_TRUE(paired.findings.entries().empty());
}

TEST(LaneRegions, OddLaneHasItsInstantsAndAsyncEdgesOnce) {
  Paired paired = pair(
      {instant_of(4, 3), async_of(begin_of(1, 5), 77), begin_of(2, 6), end_of(2, 7), end_of(9, 8)});
  EXPECT_EQ(paired.timeline.instants.size(), 1U);
  EXPECT_EQ(paired.timeline.async_edges.size(), 1U);
  EXPECT_EQ(paired.regions().size(), 2U);
}

TEST(LaneRegions, EndBeforeItsBeginCountsAsNoTime) {
  Paired paired = pair({begin_of(1, 9), end_of(1, 4), begin_of(2, 5), end_of(2, 6)});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 2, 5, 6, 0);
  expect_region(paired.regions()[1], 1, 9, 9, 0);
  EXPECT_EQ(paired.count(kNegativeRegion), 1U);
}

TEST(LaneRegions, MarkersAfterTheBeginAreInside) {
  Paired paired = pair({begin_of(0, 0), begin_of(1, 1), end_of(1, 2), instant_of(9, 3),
                        switch_of(0, 2, 4), end_of(2, 5)});
  EXPECT_EQ(paired.regions()[0].markers, 4U);  // begin, end, instant and its own end
  EXPECT_EQ(paired.regions()[1].markers, 1U);
  EXPECT_EQ(paired.regions()[2].markers, 1U);
}

TEST(LaneRegions, BothEdgesOfRegionRecordsAreMarkers) {
  Paired paired = pair({region_of(1, 2, 3), region_of(2, 6, 2), region_of(0, 0, 10)});
  EXPECT_EQ(paired.regions()[0].markers, 5U);
  EXPECT_EQ(paired.regions()[1].markers, 1U);
}

TEST(LaneRegions, FindingsNameTheFirstRecordAndItsLane) {
  trace::KernelLane lane;
  lane.first_record = 1'000;
  lane.block = 5;
  lane.group = 2;
  Paired paired = pair({begin_of(1, 0), end_of(1, 1), end_of(3, 2), end_of(4, 3)}, lane);
  ASSERT_EQ(paired.findings.entries().size(), 1U);
  const Diagnostic& finding = paired.findings.entries()[0];
  EXPECT_EQ(finding.count, 2U);
  EXPECT_EQ(finding.first.at, 1'002U);
  EXPECT_EQ(finding.example, "event 3 in block 5, group 2");
}

TEST(LaneRegions, TicksAtTheLimitsDoNotOverflow) {
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  constexpr auto kFirst = std::numeric_limits<std::int64_t>::min();
  Paired paired = pair({region_of(1, kLast - 1, 50), begin_of(2, kFirst), end_of(2, kLast)});
  ASSERT_EQ(paired.regions().size(), 2U);
  expect_region(paired.regions()[0], 2, kFirst, kLast, 0);
  expect_region(paired.regions()[1], 1, kLast - 1, kLast, 1);
}

// Quadratic ways take minutes for these.
TEST(LaneRegions, HundredThousandNestedAndCrossingRegionsAreNoTrouble) {
  constexpr std::uint32_t kMany = 100'000;
  std::vector<trace::KernelRecord> nested;
  std::vector<trace::KernelRecord> crossing;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    nested.push_back(begin_of(1, i));
    crossing.push_back(begin_of(i, i));
  }
  for (std::uint32_t i = 0; i < kMany; ++i) {
    nested.push_back(end_of(1, kMany + i));
    crossing.push_back(end_of(i, kMany + i));
  }
  Paired deep = pair(nested);
  EXPECT_EQ(deep.regions().back().depth, kMany - 1);
  EXPECT_EQ(deep.count(kNestedInItself), kMany - 1);
  Paired crossed = pair(crossing);
  EXPECT_EQ(crossed.count(kCrossingRegions), kMany);
  EXPECT_EQ(crossed.regions().back().depth, 0U);
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
