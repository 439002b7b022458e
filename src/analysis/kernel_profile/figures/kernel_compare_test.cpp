// Claims on the comparison of two profiles.
#include "analysis/kernel_profile/figures/kernel_compare.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "analysis/kernel_profile/profile_for_test.h"

namespace lockstep::analysis::kernel_profile {
namespace {

struct Side {
  trace::KernelProfile profile;
  KernelSummary summary;
};

// Every lane has each event once, `lengths` ns long and a little longer from lane to lane.
Side side_of(std::vector<std::string> names,
             const std::vector<std::pair<std::uint32_t, std::int64_t>>& lengths,
             std::uint64_t lanes = 20) {
  std::vector<TestLane> all;
  for (std::uint64_t block = 0; block < lanes; ++block) {
    std::vector<trace::KernelRecord> records;
    std::int64_t at = 0;
    for (const auto& [event, length] : lengths) {
      records.push_back(begin_of(event, at));
      at += length + static_cast<std::int64_t>(block % 5);
      records.push_back(end_of(event, at));
    }
    all.push_back({.block = block, .records = std::move(records)});
  }
  Side side{profile_of(all), {}};
  side.profile.event_names = std::move(names);
  Diagnostics findings;
  side.summary = summarize_kernel(side.profile, {}, findings);
  return side;
}

KernelComparison compare(const Side& a, const Side& b) {
  Diagnostics findings;
  return compare_kernels({&a.profile, &a.summary}, {&b.profile, &b.summary}, {}, findings);
}

TEST(KernelCompare, EqualProfilesDifferInNothing) {
  const Side side = side_of({"load", "mma"}, {{0, 100}, {1, 300}});
  const KernelComparison comparison = compare(side, side);
  ASSERT_EQ(comparison.events.size(), 2U);
  EXPECT_EQ(comparison.significant, 0U);
  for (const EventChange& event : comparison.events) {
    EXPECT_EQ(event.total.delta, ns(0));
    EXPECT_EQ(event.total.ratio, 1);
    EXPECT_EQ(event.count_delta, 0);
  }
  EXPECT_EQ(comparison.launch_time.delta, ns(0));
}

TEST(KernelCompare, NamesMatchWhateverTheirNumbers) {
  const Side a = side_of({"load", "mma"}, {{0, 100}, {1, 300}});
  const Side b = side_of({"mma", "load"}, {{1, 100}, {0, 600}});
  const KernelComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.events.size(), 2U);
  EXPECT_EQ(comparison.events[0].name, "mma");
  EXPECT_EQ(comparison.events[0].total.delta, ns(20 * 300));
  EXPECT_EQ(comparison.events[0].p50.delta, ns(300));
  EXPECT_TRUE(comparison.events[0].is_significant);
  EXPECT_EQ(comparison.events[1].name, "load");
  EXPECT_EQ(comparison.events[1].total.delta, ns(0));
  EXPECT_FALSE(comparison.events[1].is_significant);
  EXPECT_EQ(comparison.significant, 1U);
  EXPECT_EQ(comparison.lane_time.delta, ns(300));
}

TEST(KernelCompare, EventWithoutANameMatchesItsNumber) {
  const Side a = side_of({}, {{0, 100}, {1, 300}});
  const Side b = side_of({"load", "mma"}, {{0, 100}, {1, 300}});
  const KernelComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.events.size(), 2U);
  EXPECT_EQ(comparison.only_a + comparison.only_b, 0U);
  EXPECT_EQ(comparison.events[0].name, "load");  // the given name
}

TEST(KernelCompare, NumberOfAnEventThatANameTookIsFreeForNobody) {
  const Side a = side_of({"", "mma"}, {{0, 100}, {1, 300}});
  const Side b = side_of({"mma"}, {{0, 300}});
  const KernelComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.events.size(), 2U);
  EXPECT_EQ(comparison.only_a, 1U);
  EXPECT_EQ(comparison.events[0].name, "event 0");
  EXPECT_EQ(comparison.events[1].total.delta, ns(0));
}

TEST(KernelCompare, OtherNamesUnderOneNumberAreOtherEvents) {
  const Side a = side_of({"load"}, {{0, 100}});
  const Side b = side_of({"store"}, {{0, 250}});
  const KernelComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.events.size(), 2U);
  EXPECT_EQ(comparison.only_a, 1U);
  EXPECT_EQ(comparison.only_b, 1U);
  EXPECT_EQ(comparison.events[0].name, "store");
  EXPECT_FALSE(comparison.events[0].a);
  EXPECT_FALSE(comparison.events[0].total.ratio);
  EXPECT_EQ(comparison.events[0].count_delta, 20);
  EXPECT_FALSE(comparison.events[1].b);
  EXPECT_EQ(comparison.events[1].total.delta, ns(-(20 * 100 + 40)));
  EXPECT_FALSE(comparison.events[1].p);
}

TEST(KernelCompare, EventsThatShareANameMatchInOrder) {
  const Side a = side_of({"step", "step"}, {{0, 100}, {1, 300}});
  const Side b = side_of({"step", "step"}, {{0, 100}, {1, 300}});
  const KernelComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.events.size(), 2U);
  EXPECT_EQ(comparison.events[0].total.delta, ns(0));
  EXPECT_EQ(comparison.events[1].total.delta, ns(0));
}

TEST(KernelCompare, DifferenceBelowTheLimitIsNone) {
  // Beyond chance for twenty lanes, and 0.5 %.
  const Side a = side_of({"mma"}, {{0, 2'000}});
  const Side b = side_of({"mma"}, {{0, 2'010}});
  const KernelComparison comparison = compare(a, b);
  ASSERT_TRUE(comparison.events[0].adjusted_p);
  EXPECT_LT(*comparison.events[0].adjusted_p, 0.05);
  EXPECT_FALSE(comparison.events[0].is_significant);
}

TEST(KernelCompare, OneLaneASideTellsNothingOfChance) {
  const Side a = side_of({"mma"}, {{0, 100}}, 1);
  const Side b = side_of({"mma"}, {{0, 900}}, 1);
  EXPECT_FALSE(compare(a, b).events[0].p);
  EXPECT_FALSE(compare(a, b).events[0].is_significant);
}

TEST(KernelCompare, UnlikeTimesAndLanesAreSaid) {
  const Side a = side_of({"mma"}, {{0, 100}}, 4);
  Side b = side_of({"mma"}, {{0, 100}}, 5);
  b.summary.time.source = TimeSource::kCycles;
  Diagnostics findings;
  (void)compare_kernels({&a.profile, &a.summary}, {&b.profile, &b.summary}, {}, findings);
  ASSERT_EQ(findings.entries().size(), 2U);
  EXPECT_EQ(findings.entries()[0].kind->name, "compared_unlike_time");
  EXPECT_EQ(findings.entries()[1].kind->name, "compared_unlike_launches");
}

TEST(KernelCompare, NothingAgainstNothingIsNothing) {
  const Side empty = side_of({}, {}, 0);
  EXPECT_TRUE(compare(empty, empty).events.empty());
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
