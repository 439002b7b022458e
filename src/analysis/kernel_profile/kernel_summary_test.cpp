// Claims on the answer of `kernel decode`, and comparison with sums made region by region.
#include "analysis/kernel_profile/kernel_summary.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/kernel_profile/async_pairs.h"
#include "analysis/kernel_profile/clock_reader.h"
#include "analysis/kernel_profile/group_overlap.h"
#include "analysis/kernel_profile/profile_for_test.h"

namespace lockstep {
namespace {

KernelSummary summarize(const KernelProfile& profile, const KernelSummaryOptions& options = {}) {
  Diagnostics findings;
  return summarize_kernel(profile, options, findings);
}

const EventStatistics& event_of(const KernelSummary& summary, std::uint32_t event) {
  const auto found = std::ranges::find(summary.events, event, &EventStatistics::event);
  EXPECT_NE(found, summary.events.end());
  return *found;
}

std::vector<KernelRecord> spans(std::uint32_t event,
                                const std::vector<std::pair<std::int64_t, std::int64_t>>& times) {
  std::vector<KernelRecord> records;
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

TEST(KernelSummary, QuantilesAreNearestRanksOverAllLanes) {
  std::vector<TestLane> lanes;
  for (std::uint64_t block = 0; block < 20; ++block) {
    const auto length = static_cast<std::int64_t>(block + 1);
    lanes.push_back({.block = block, .records = spans(1, {{100, 100 + length}})});
  }
  const EventStatistics event = event_of(summarize(profile_of(lanes)), 1);
  EXPECT_EQ(event.count, 20U);
  EXPECT_EQ(event.lanes, 20U);
  EXPECT_EQ(event.min, ns(1));
  EXPECT_EQ(event.p50, ns(10));
  EXPECT_EQ(event.p95, ns(19));
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

TEST(KernelSummary, TooManyGroupsAreSaidAndNotPaired) {
  std::vector<TestLane> lanes;
  for (std::uint32_t group = 0; group <= kMaxOverlapGroups; ++group)
    lanes.push_back({.group = group, .records = spans(1, {{0, 10}})});
  Diagnostics findings;
  const KernelSummary summary = summarize_kernel(profile_of(lanes), {}, findings);
  EXPECT_TRUE(summary.overlap.empty());
  EXPECT_EQ(findings.count_of(kManyGroups), 1U);
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
  EXPECT_EQ(summarize(profile, {.top_gaps = 1}).gaps.size(), 1U);
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

RC_GTEST_PROP(KernelSummary, ReaderOfAClockGivesTheTimesOfItsFit, ()) {
  ClockFit fit;
  // Some clocks lie where times end, and some ticks far away.
  const std::int64_t far = *rc::gen::element<std::int64_t>(0, 0, kMaxDistanceFromOriginPs / 2,
                                                           -kMaxDistanceFromOriginPs + 10'000);
  std::int64_t tick = *rc::gen::inRange<std::int64_t>(-1'000, 1'000);
  const auto pieces = *rc::gen::inRange(0, 5);
  for (int i = 0; i < pieces; ++i) {
    ClockPiece& piece = fit.pieces.emplace_back();
    piece.first_tick = tick;
    piece.at_first = {far + *rc::gen::inRange<std::int64_t>(-9'000, 9'000)};
    piece.ps_per_tick = *rc::gen::inRange(1, 9'000) / 7.0;
    tick += *rc::gen::inRange<std::int64_t>(1, 500);
  }
  ClockReader reader(fit);
  const auto ticks = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::oneOf(
      rc::gen::inRange<std::int64_t>(-2'000, 4'000),
      rc::gen::element<std::int64_t>(std::int64_t{1} << 61U, -(std::int64_t{1} << 61U),
                                     std::int64_t{1} << 55U)));
  for (const std::int64_t at : ticks) RC_ASSERT(reader(at) == fit.at(at).time);
}

// Any markers in time order, in lanes of a few blocks and groups.
KernelProfile any_profile() {
  const auto types =
      rc::gen::element(RecordType::kBegin, RecordType::kBegin, RecordType::kEnd, RecordType::kEnd,
                       RecordType::kSwitch, RecordType::kInstant, RecordType::kRegion);
  const auto record = rc::gen::build<KernelRecord>(
      rc::gen::set(&KernelRecord::ticks, rc::gen::inRange<std::int64_t>(0, 20)),
      rc::gen::set(&KernelRecord::event, rc::gen::inRange(0U, 4U)),
      rc::gen::set(&KernelRecord::payload, rc::gen::inRange(0U, 4U)),
      rc::gen::set(&KernelRecord::length, rc::gen::inRange(0U, 30U)),
      rc::gen::set(&KernelRecord::type, types),
      rc::gen::set(&KernelRecord::is_async, rc::gen::element(false, false, false, true)));
  std::vector<TestLane> lanes;
  const auto blocks = *rc::gen::inRange<std::uint64_t>(0, 12);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const auto groups = *rc::gen::inRange(1U, 4U);
    for (std::uint32_t group = 0; group < groups; ++group) {
      auto records = *rc::gen::container<std::vector<KernelRecord>>(record);
      std::int64_t tick = 1'000;
      for (KernelRecord& one : records) one.ticks = tick += one.ticks;
      lanes.push_back({.block = block % 5,
                       .group = group,
                       .records = records,
                       .sm = *rc::gen::inRange(-1, 3),
                       .launch = static_cast<std::uint32_t>(block / 5)});
    }
  }
  return profile_of(lanes);
}

RC_GTEST_PROP(KernelSummary, FiguresAreThoseOfTheRegionsThatItKeeps, ()) {
  const KernelProfile profile = any_profile();
  const KernelSummary summary = summarize(profile);
  std::map<std::uint32_t, std::vector<std::int64_t>> durations;
  std::map<std::uint32_t, std::set<std::uint32_t>> lanes_with;
  for (const LaneResult& lane : summary.lanes) {
    std::set<std::int64_t> covered;  // ns
    for (const TimedRegion& timed : lane.regions) {
      if (timed.region.status != RegionStatus::kOk) continue;
      durations[timed.region.event].push_back(timed.duration.ps);
      lanes_with[timed.region.event].insert(lane.lane);
      for (std::int64_t at = timed.region.begin; at < timed.region.end; ++at) covered.insert(at);
    }
    RC_ASSERT(lane.covered == ns(static_cast<std::int64_t>(covered.size())));
  }
  RC_ASSERT(summary.events.size() == durations.size());
  for (const EventStatistics& event : summary.events) {
    auto& values = durations[event.event];
    std::ranges::sort(values);
    RC_ASSERT(event.count == values.size());
    RC_ASSERT(event.total.ps == std::accumulate(values.begin(), values.end(), std::int64_t{0}));
    RC_ASSERT(event.min.ps == values.front());
    RC_ASSERT(event.p50.ps == values[(values.size() + 1) / 2 - 1]);
    RC_ASSERT(event.p95.ps == values[(values.size() * 95 + 99) / 100 - 1]);
    RC_ASSERT(event.max.ps == values.back());
    RC_ASSERT(event.lanes == lanes_with[event.event].size());
    RC_ASSERT(event.lane_means.size() == event.lanes);
    RC_ASSERT(event.lane_share >= 0 && event.lane_share <= 1);
  }
}

void expect_same_findings(const Diagnostics& a, const Diagnostics& b) {
  ASSERT_EQ(a.entries().size(), b.entries().size());
  for (std::size_t i = 0; i < a.entries().size(); ++i) {
    EXPECT_EQ(a.entries()[i].kind, b.entries()[i].kind);
    EXPECT_EQ(a.entries()[i].count, b.entries()[i].count);
    EXPECT_EQ(a.entries()[i].first.at, b.entries()[i].first.at);
    EXPECT_EQ(a.entries()[i].text(), b.entries()[i].text());
  }
}

void expect_same_figures(const KernelSummary& a, const KernelSummary& b) {
  const auto event_facts = [](const EventStatistics& e) {
    return std::tuple(e.event, e.count, e.total, e.min, e.p50, e.p95, e.max, e.total_ticks,
                      e.lane_share, e.lanes, e.lane_means);
  };
  EXPECT_TRUE(std::ranges::equal(a.events, b.events, {}, event_facts, event_facts));
  const auto lane_facts = [](const LaneResult& lane) {
    return std::tuple(lane.lane, lane.start, lane.end, lane.covered, lane.regions.size());
  };
  EXPECT_TRUE(std::ranges::equal(a.lanes, b.lanes, {}, lane_facts, lane_facts));
  const auto gap_facts = [](const LaneGap& gap) {
    return std::tuple(gap.lane, gap.start, gap.duration, gap.after_event, gap.before_event);
  };
  EXPECT_TRUE(std::ranges::equal(a.gaps, b.gaps, {}, gap_facts, gap_facts));
  const auto overlap_facts = [](const GroupOverlap& o) {
    return std::tuple(o.launch, o.first_group, o.second_group, o.both, o.either, o.ratio);
  };
  EXPECT_TRUE(std::ranges::equal(a.overlap, b.overlap, {}, overlap_facts, overlap_facts));
  const auto pair_facts = [](const AsyncPair& p) {
    return std::tuple(p.event, p.token, p.begin_lane, p.end_lane, p.begin.time, p.end.time);
  };
  EXPECT_TRUE(std::ranges::equal(a.async_pairs, b.async_pairs, {}, pair_facts, pair_facts));
  EXPECT_EQ(a.records, b.records);
  EXPECT_EQ(a.critical.front().lane, b.critical.front().lane);
  EXPECT_EQ(a.blocks.ratio, b.blocks.ratio);
}

// A second thread gets a batch only where there are several: enough markers for that.
TEST(KernelSummary, AnswerDoesNotDependOnTheNumberOfThreads) {
  std::vector<TestLane> lanes;
  for (std::uint64_t block = 0; block < 64; ++block) {
    std::vector<KernelRecord> records;
    std::uint64_t random = 12345 + block;
    for (std::int64_t i = 0; i < 5'000; ++i) {
      random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      const auto event = static_cast<std::uint32_t>(random >> 33U) % 7;
      const std::int64_t at = 1'000 + 10 * i + static_cast<std::int64_t>(random >> 61U);
      records.push_back((random >> 40U) % 2 == 0 ? begin_of(event, at) : end_of(event, at));
      if (i % 100 == 0) records.back() = async_of(records.back(), event);
    }
    lanes.push_back({.block = block / 2,
                     .group = static_cast<std::uint32_t>(block % 2),
                     .records = std::move(records),
                     .sm = static_cast<std::int32_t>(block % 5)});
  }
  const KernelProfile profile = profile_of(lanes);
  Diagnostics findings_of_one;
  const KernelSummary one = summarize_kernel(profile, {.threads = 1}, findings_of_one);
  for (const std::size_t threads : {2U, 5U}) {
    Diagnostics findings;
    const KernelSummary many = summarize_kernel(profile, {.threads = threads}, findings);
    expect_same_findings(findings, findings_of_one);
    expect_same_figures(many, one);
  }
}

}  // namespace
}  // namespace lockstep
