// Claims on the answer of `kernel decode`.
#include "analysis/kernel_profile/figures/kernel_summary.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "analysis/kernel_profile/figures/group_overlap.h"
#include "analysis/kernel_profile/profile_for_test.h"
#include "analysis/kernel_profile/regions/async_pairs.h"

namespace lockstep::analysis::kernel_profile {
namespace {

KernelSummary summarize(const trace::KernelProfile& profile,
                        const KernelSummaryOptions& options = {}) {
  Diagnostics findings;
  return summarize_kernel(profile, options, findings);
}

const EventStatistics& event_of(const KernelSummary& summary, std::uint32_t event) {
  const auto found = std::ranges::find(summary.events, event, &EventStatistics::event);
  EXPECT_NE(found, summary.events.end());
  return *found;
}

std::vector<trace::KernelRecord> spans(
    std::uint32_t event, const std::vector<std::pair<std::int64_t, std::int64_t>>& times) {
  std::vector<trace::KernelRecord> records;
  for (const auto& [begin, end] : times) {
    records.push_back(begin_of(event, begin));
    records.push_back(end_of(event, end));
  }
  return records;
}

TEST(KernelSummary, ProfileWithoutLanesGivesAnEmptyAnswer) {
  const KernelSummary summary = summarize(profile_of({}));
  EXPECT_TRUE(summary.lanes.empty());
  EXPECT_TRUE(summary.events.empty());
  EXPECT_EQ(summary.blocks.ratio, 1);
}

TEST(KernelSummary, TimesCountFromTheFirstOne) {
  const auto profile = profile_of({{.records = spans(3, {{1'000, 1'010}, {1'020, 1'050}})}});
  const KernelSummary summary = summarize(profile);
  ASSERT_EQ(summary.lanes.size(), 1U);
  EXPECT_EQ(summary.lanes[0].start, ns(0));
  EXPECT_EQ(summary.lanes[0].end, ns(50));
  EXPECT_EQ(summary.lanes[0].covered, ns(40));
  ASSERT_EQ(summary.lanes[0].regions.size(), 2U);
  EXPECT_EQ(summary.lanes[0].regions[1].start.time, ns(20));
  EXPECT_EQ(summary.lanes[0].regions[1].duration, ns(30));
  EXPECT_EQ(summary.lanes[0].regions[1].ticks, 30);
  EXPECT_EQ(summary.records, 4U);
}

TEST(KernelSummary, TicksFarAwayStayInsideTheTimesThereAre) {
  constexpr auto kFar = std::numeric_limits<std::int64_t>::max() / 2;
  const auto profile = profile_of({{.records = spans(3, {{-1'000, -990}, {5, kFar}})},
                                   {.block = 1, .records = spans(4, {{-20, -15}})}});
  const KernelSummary summary = summarize(profile);
  EXPECT_EQ(summary.lanes[0].regions[0].duration, ns(10));
  EXPECT_EQ(summary.lanes[0].end.ps, kMaxDistanceFromOriginPs);
}

TEST(KernelSummary, QuantilesLieBetweenRanksOverAllLanes) {
  std::vector<TestLane> lanes;
  for (std::uint64_t block = 0; block < 20; ++block) {
    const auto length = static_cast<std::int64_t>(block + 1);
    lanes.push_back({.block = block, .records = spans(1, {{100, 100 + length}})});
  }
  const EventStatistics event = event_of(summarize(profile_of(lanes)), 1);
  EXPECT_EQ(event.count, 20U);
  EXPECT_EQ(event.lanes, 20U);
  EXPECT_EQ(event.min, ns(1));
  EXPECT_EQ(event.p50, Time{10'500});
  EXPECT_EQ(event.p95, Time{19'050});
  EXPECT_EQ(event.max, ns(20));
  EXPECT_EQ(event.total, ns(210));
  EXPECT_EQ(event.total_ticks, 210);
  ASSERT_EQ(event.lane_means.size(), 20U);
  EXPECT_EQ(event.lane_means[4], ns(5).ps);
}

TEST(KernelSummary, ShareCountsWhatIsNestedInItselfOnce) {
  // In [0, 100): event 1 in [0, 40) with itself in [10, 30). The second lane does not have it.
  const auto profile = profile_of({{.records = {begin_of(1, 0), begin_of(1, 10), end_of(1, 30),
                                                end_of(1, 40), instant_of(9, 100)}},
                                   {.block = 1, .records = spans(2, {{0, 500}})}});
  const KernelSummary summary = summarize(profile);
  EXPECT_DOUBLE_EQ(event_of(summary, 1).lane_share, 0.4);
  EXPECT_EQ(event_of(summary, 1).total, ns(60));
  EXPECT_DOUBLE_EQ(event_of(summary, 2).lane_share, 1);
}

TEST(KernelSummary, ShareCountsWhatOverlapsItselfOnce) {
  const auto profile =
      profile_of({{.records = {region_of(1, 0, 10), region_of(1, 5, 10), instant_of(2, 30)}}});
  const EventStatistics event = event_of(summarize(profile), 1);
  EXPECT_DOUBLE_EQ(event.lane_share, 0.5);
  EXPECT_EQ(event.total, ns(20));
}

TEST(KernelSummary, RegionsWithoutAnEdgeAreInNoStatistics) {
  const auto profile = profile_of({{.records = {begin_of(1, 0), end_of(2, 10), begin_of(3, 20),
                                                end_of(3, 25), instant_of(9, 50)}}});
  const KernelSummary summary = summarize(profile);
  ASSERT_EQ(summary.events.size(), 1U);
  EXPECT_EQ(summary.events[0].event, 3U);
  EXPECT_EQ(summary.lanes[0].covered, ns(5));
  EXPECT_EQ(summary.lanes[0].regions.size(), 3U);
}

TEST(KernelSummary, ClippedRegionsCoverTimeButAreNoMeasurements) {
  const auto profile = profile_of({{.records = {begin_of(1, 0), instant_of(9, 50)}, .dropped = 5}});
  const KernelSummary summary = summarize(profile);
  EXPECT_TRUE(summary.events.empty());
  EXPECT_EQ(summary.lanes[0].covered, ns(50));
}

TEST(KernelSummary, EventsComeByTotalTimeThenByNumber) {
  const auto profile = profile_of({{.records = {begin_of(5, 0), end_of(5, 10), begin_of(4, 10),
                                                end_of(4, 20), begin_of(6, 20), end_of(6, 50)}}});
  const KernelSummary summary = summarize(profile);
  ASSERT_EQ(summary.events.size(), 3U);
  EXPECT_EQ(summary.events[0].event, 6U);
  EXPECT_EQ(summary.events[1].event, 4U);
  EXPECT_EQ(summary.events[2].event, 5U);
}

TEST(KernelSummary, LaunchSpansItsLanesAndLanesWithoutMarkersHaveNoTime) {
  auto profile = profile_of({{.records = spans(1, {{100, 150}})},
                             {.block = 1, .records = {}},
                             {.block = 2, .records = spans(1, {{120, 190}})},
                             {.block = 0, .records = spans(1, {{300, 301}}), .launch = 1}});
  profile.launches[0].lanes_expected = 7;
  Diagnostics findings;
  const KernelSummary summary = summarize_kernel(profile, {}, findings);
  EXPECT_EQ(findings.count_of(kMissingLanes), 4U);
  EXPECT_EQ(findings.entries().front().example, "launch 0 has 3 of 7");
  ASSERT_EQ(summary.launches.size(), 2U);
  EXPECT_EQ(summary.launches[0].start, ns(0));
  EXPECT_EQ(summary.launches[0].end, ns(90));
  EXPECT_EQ(summary.launches[0].lanes_expected, 7U);
  EXPECT_EQ(summary.launches[0].lanes_seen, 3U);
  EXPECT_EQ(summary.launches[1].start, ns(200));
  ASSERT_EQ(summary.critical.size(), 2U);
  EXPECT_EQ(summary.lanes[1].start, ns(0));
  EXPECT_EQ(summary.lanes[1].end, ns(0));
}

TEST(KernelSummary, CriticalLaneEndsLastAndSaysWhatItDid) {
  const auto profile = profile_of(
      {{.block = 0, .records = spans(1, {{0, 100}})},
       {.block = 1, .records = spans(1, {{0, 110}})},
       {.block = 2, .records = {begin_of(1, 0), end_of(1, 50), begin_of(2, 50), end_of(2, 300)}}});
  const KernelSummary summary = summarize(profile);
  ASSERT_EQ(summary.critical.size(), 1U);
  EXPECT_EQ(summary.critical[0].lane, 2U);
  EXPECT_EQ(summary.critical[0].end, ns(300));
  EXPECT_EQ(summary.critical[0].slack, ns(190));
  EXPECT_EQ(summary.critical[0].longest_event, 2U);
  EXPECT_EQ(summary.critical[0].longest_total, ns(250));
}

TEST(KernelSummary, OfEventsThatTookAsLongTheLowestIsNamed) {
  const auto profile =
      profile_of({{.records = {begin_of(9, 0), end_of(9, 50), begin_of(3, 50), end_of(3, 100),
                               begin_of(5, 100), end_of(5, 150)}}});
  EXPECT_EQ(summarize(profile).critical.at(0).longest_event, 3U);
}

TEST(KernelSummary, OfManyLanesEveryNthIsKeptForComparing) {
  std::vector<TestLane> lanes;
  for (std::uint64_t block = 0; block < kSampledLanes + 1; ++block) {
    lanes.push_back(
        {.block = block, .records = spans(1, {{0, 1 + static_cast<std::int64_t>(block)}})});
  }
  const EventStatistics event = event_of(summarize(profile_of(lanes)), 1);
  EXPECT_EQ(event.lanes, kSampledLanes + 1);
  ASSERT_EQ(event.lane_means.size(), kSampledLanes / 2 + 1);
  EXPECT_EQ(event.lane_means[3], ns(7).ps);
}

TEST(KernelSummary, ImbalanceIsTheLargestShareOverTheMean) {
  const auto profile =
      profile_of({{.block = 0, .group = 0, .records = spans(1, {{0, 10}}), .sm = 4},
                  {.block = 0, .group = 1, .records = spans(1, {{0, 30}}), .sm = 4},
                  {.block = 1, .group = 0, .records = spans(1, {{0, 20}}), .sm = 9},
                  {.block = 1, .group = 1, .records = spans(1, {{0, 40}}), .sm = 4}});
  const KernelSummary summary = summarize(profile);
  EXPECT_EQ(summary.blocks.max, ns(60));
  EXPECT_EQ(summary.blocks.mean, ns(50));
  EXPECT_DOUBLE_EQ(summary.blocks.ratio, 1.2);
  EXPECT_EQ(summary.sms.max, ns(80));
  EXPECT_EQ(summary.sms.mean, ns(50));
  EXPECT_EQ(summary.groups.max, ns(70));
  EXPECT_DOUBLE_EQ(summary.groups.ratio, 1.4);
}

TEST(KernelSummary, TwoKernelsOfUnlikeLengthAreNoImbalance) {
  std::vector<TestLane> lanes;
  for (std::uint32_t launch = 0; launch < 2; ++launch) {
    for (std::uint64_t block = 0; block < 3; ++block) {
      lanes.push_back(
          {.block = block, .records = spans(1, {{0, launch == 0 ? 10 : 1'000}}), .launch = launch});
    }
  }
  const KernelSummary summary = summarize(profile_of(lanes));
  EXPECT_DOUBLE_EQ(summary.blocks.ratio, 1);
  EXPECT_EQ(summary.blocks.max, ns(505));
  EXPECT_EQ(summary.sms.max, ns(0));  // no multiprocessor is known
}

TEST(KernelSummary, GroupsOfABlockOverlapWhereBothAreInsideRegions) {
  const auto profile =
      profile_of({{.block = 0, .group = 0, .records = spans(1, {{0, 10}, {20, 30}})},
                  {.block = 0, .group = 1, .records = spans(2, {{5, 25}})},
                  {.block = 1, .group = 0, .records = spans(1, {{0, 10}})},
                  {.block = 1, .group = 1, .records = spans(2, {{10, 20}})},
                  {.block = 2, .group = 1, .records = spans(2, {{0, 99}})}});
  const KernelSummary summary = summarize(profile);
  ASSERT_EQ(summary.overlap.size(), 1U);
  EXPECT_EQ(summary.overlap[0].first_group, 0U);
  EXPECT_EQ(summary.overlap[0].second_group, 1U);
  EXPECT_EQ(summary.overlap[0].both, ns(10));
  EXPECT_EQ(summary.overlap[0].either, ns(50));
  EXPECT_DOUBLE_EQ(summary.overlap[0].ratio, 10.0 / 30.0);
}

TEST(KernelSummary, TwoLanesOfOneGroupAreNoPairOfGroups) {
  const auto profile = profile_of({{.group = 0, .records = spans(1, {{0, 10}})},
                                   {.group = 0, .records = spans(1, {{0, 10}})},
                                   {.group = 1, .records = spans(2, {{5, 25}})}});
  const KernelSummary summary = summarize(profile);
  ASSERT_EQ(summary.overlap.size(), 1U);
  EXPECT_EQ(summary.overlap[0].second_group, 1U);
  EXPECT_EQ(summary.overlap[0].both, ns(10));
}

TEST(KernelSummary, TooManyGroupsAreSaidAndNotPaired) {
  std::vector<TestLane> lanes;
  for (std::uint32_t group = 0; group <= kMaxOverlapGroups; ++group)
    lanes.push_back({.group = group, .records = spans(1, {{0, 10}})});
  Diagnostics findings;
  const KernelSummary summary = summarize_kernel(profile_of(lanes), {}, findings);
  EXPECT_TRUE(summary.overlap.empty());
  EXPECT_EQ(findings.count_of(kManyGroups), 1U);
}

TEST(KernelSummary, PairsOfGroupsAreNotOutOfProportion) {
  std::vector<TestLane> lanes;
  for (std::uint32_t i = 0; i < 2; ++i)
    lanes.push_back({.group = i, .records = spans(1, {{0, 10}})});
  // Every lane has a group of its own: 63 pairs for two of them.
  for (std::uint32_t i = 0; i < 64 * 40; ++i)
    lanes.push_back({.block = i / 64, .group = i, .records = spans(1, {{0, 10}}), .launch = 1});
  for (std::uint32_t i = 0; i < 2; ++i)
    lanes.push_back({.group = i, .records = spans(1, {{0, 10}}), .launch = 2});
  Diagnostics findings;
  const KernelSummary summary = summarize_kernel(profile_of(lanes), {}, findings);
  ASSERT_EQ(summary.overlap.size(), 2U);
  EXPECT_EQ(summary.overlap[0].launch, 0U);
  EXPECT_EQ(summary.overlap[1].launch, 2U);
  EXPECT_EQ(findings.count_of(kManyPairs), 1U);
}

TEST(KernelSummary, GapsLieBetweenOutermostRegionsLongestFirst) {
  const auto profile =
      profile_of({{.records = {begin_of(1, 0), begin_of(7, 5), end_of(7, 10), end_of(1, 10),  //
                               begin_of(2, 14), begin_of(8, 15), end_of(8, 16), end_of(2, 20),
                               begin_of(3, 20), end_of(3, 22)}},
                  {.block = 1, .records = spans(4, {{0, 1}, {51, 52}, {56, 60}})}});
  const KernelSummary summary = summarize(profile);
  ASSERT_EQ(summary.gaps.size(), 3U);
  EXPECT_EQ(summary.gaps[0].lane, 1U);
  EXPECT_EQ(summary.gaps[0].start, ns(1));
  EXPECT_EQ(summary.gaps[0].duration, ns(50));
  EXPECT_EQ(summary.gaps[1].lane, 0U);  // as long as the third
  EXPECT_EQ(summary.gaps[1].after_event, 1U);
  EXPECT_EQ(summary.gaps[1].before_event, 2U);
  EXPECT_EQ(summary.gaps[2].duration, ns(4));
  const KernelSummary two = summarize(profile, {.top_gaps = 2});
  ASSERT_EQ(two.gaps.size(), 2U);
  EXPECT_EQ(two.gaps[1].lane, 0U);
  EXPECT_TRUE(summarize(profile, {.top_gaps = 0}).gaps.empty());
}

TEST(KernelSummary, OverheadOfMarkersIsTakenOffRegionsAndNeverMore) {
  const auto profile =
      profile_of({{.records = {begin_of(1, 0), begin_of(2, 10), end_of(2, 14), end_of(1, 100)}}});
  const KernelSummary summary = summarize(profile, {.overhead_ticks = 5});
  ASSERT_EQ(summary.lanes[0].regions.size(), 2U);
  EXPECT_EQ(summary.lanes[0].regions[0].duration, ns(85));  // three markers
  EXPECT_EQ(summary.lanes[0].regions[0].ticks, 85);
  EXPECT_EQ(summary.lanes[0].regions[1].duration, ns(0));
  EXPECT_EQ(summary.lanes[0].regions[1].ticks, 0);
  EXPECT_EQ(event_of(summary, 1).total, ns(85));
  EXPECT_EQ(summary.lanes[0].covered, ns(100));
}

TEST(KernelSummary, WithoutRegionsAllFiguresStayAndListsAreEmpty) {
  const auto profile = profile_of({{.records = spans(1, {{0, 10}, {20, 30}})}});
  const KernelSummary summary = summarize(profile, {.keep_regions = false});
  EXPECT_TRUE(summary.lanes[0].regions.empty());
  EXPECT_EQ(summary.lanes[0].covered, ns(20));
  EXPECT_EQ(event_of(summary, 1).count, 2U);
  EXPECT_EQ(summary.gaps.size(), 1U);
}

TEST(KernelSummary, InstantsAreKeptInOrder) {
  const auto profile = profile_of({{.records = {instant_of(4, 100), instant_of(5, 107)}}});
  const KernelSummary summary = summarize(profile);
  ASSERT_EQ(summary.lanes[0].instants.size(), 2U);
  EXPECT_EQ(summary.lanes[0].instants[1].instant.event, 5U);
  EXPECT_EQ(summary.lanes[0].instants[1].at.time, ns(7));
}

TEST(KernelSummary, AsyncWorkPairsAcrossLanesOfOneLaunch) {
  const auto profile = profile_of(
      {{.group = 0, .records = {async_of(begin_of(1, 0), 7), async_of(begin_of(1, 100), 8)}},
       {.group = 1, .records = {async_of(end_of(1, 50), 7), async_of(end_of(2, 60), 8)}},
       {.group = 0, .records = {async_of(end_of(1, 500), 8)}, .launch = 1}});
  Diagnostics findings;
  const KernelSummary summary = summarize_kernel(profile, {}, findings);
  ASSERT_EQ(summary.async_pairs.size(), 1U);
  EXPECT_EQ(summary.async_pairs[0].begin_lane, 0U);
  EXPECT_EQ(summary.async_pairs[0].end_lane, 1U);
  EXPECT_EQ(summary.async_pairs[0].token, 7U);
  EXPECT_EQ(findings.count_of(kLoneAsyncBegin), 1U);
  EXPECT_EQ(findings.count_of(kLoneAsyncEnd), 2U);
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
