// The answer of `kernel decode` against sums made region by region, and against itself with other
// numbers of threads.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/kernel_profile/clocks/clock_reader.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "analysis/kernel_profile/profile_for_test.h"

namespace lockstep::analysis::kernel_profile {
namespace {

RC_GTEST_PROP(KernelFigures, ReaderOfAClockGivesTheTimesOfItsFit, ()) {
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
trace::KernelProfile any_profile() {
  const auto types =
      rc::gen::element(trace::RecordType::kBegin, trace::RecordType::kBegin,
                       trace::RecordType::kEnd, trace::RecordType::kEnd, trace::RecordType::kSwitch,
                       trace::RecordType::kInstant, trace::RecordType::kRegion);
  const auto record = rc::gen::build<trace::KernelRecord>(
      rc::gen::set(&trace::KernelRecord::ticks, rc::gen::inRange<std::int64_t>(0, 20)),
      rc::gen::set(&trace::KernelRecord::event, rc::gen::inRange(0U, 4U)),
      rc::gen::set(&trace::KernelRecord::payload, rc::gen::inRange(0U, 4U)),
      rc::gen::set(&trace::KernelRecord::length, rc::gen::inRange(0U, 30U)),
      rc::gen::set(&trace::KernelRecord::type, types),
      rc::gen::set(&trace::KernelRecord::is_async, rc::gen::element(false, false, false, true)));
  std::vector<TestLane> lanes;
  const auto blocks = *rc::gen::inRange<std::uint64_t>(0, 12);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const auto groups = *rc::gen::inRange(1U, 4U);
    for (std::uint32_t group = 0; group < groups; ++group) {
      auto records = *rc::gen::container<std::vector<trace::KernelRecord>>(record);
      std::int64_t tick = 1'000;
      for (trace::KernelRecord& one : records) one.ticks = tick += one.ticks;
      lanes.push_back({.block = block % 5,
                       .group = group,
                       .records = records,
                       .sm = *rc::gen::inRange(-1, 3),
                       .launch = static_cast<std::uint32_t>(block / 5)});
    }
  }
  return profile_of(lanes);
}

RC_GTEST_PROP(KernelFigures, FiguresAreThoseOfTheRegionsThatItKeeps, ()) {
  const trace::KernelProfile profile = any_profile();
  Diagnostics findings;
  const KernelSummary summary = summarize_kernel(profile, {}, findings);
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
    const auto between_ranks = [&](std::size_t percent) {
      const std::size_t hundredths = (values.size() - 1) * percent;
      const std::int64_t low = values[hundredths / 100];
      const std::int64_t high = values[(hundredths + 99) / 100];
      return low + (high - low) * static_cast<std::int64_t>(hundredths % 100) / 100;
    };
    RC_ASSERT(event.p50.ps == between_ranks(50));
    RC_ASSERT(event.p95.ps == between_ranks(95));
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
TEST(KernelFigures, AnswerDoesNotDependOnTheNumberOfThreads) {
  std::vector<TestLane> lanes;
  for (std::uint64_t block = 0; block < 64; ++block) {
    std::vector<trace::KernelRecord> records;
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
  const trace::KernelProfile profile = profile_of(lanes);
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
}  // namespace lockstep::analysis::kernel_profile
