// Claims on intervals, and comparison with a bitmap, which is slow and obvious.
#include "algo/intervals/intervals.h"

#include <algorithm>
#include <array>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

constexpr std::int64_t kWorld = 64;

using Bitmap = std::array<bool, kWorld>;

Bitmap bitmap_of(std::span<const Interval> intervals) {
  Bitmap covered{};
  for (const Interval& interval : intervals) {
    for (std::int64_t at = interval.begin; at < interval.end; ++at) {
      covered[static_cast<std::size_t>(at)] = true;
    }
  }
  return covered;
}

std::uint64_t slow_union_length(std::span<const Interval> intervals) {
  return static_cast<std::uint64_t>(std::ranges::count(bitmap_of(intervals), true));
}

// Some are empty, some turned around.
std::vector<Interval> any_intervals() {
  const auto point = rc::gen::inRange<std::int64_t>(0, kWorld);
  return *rc::gen::container<std::vector<Interval>>(rc::gen::construct<Interval>(point, point));
}

std::vector<Interval> sorted(std::vector<Interval> intervals) {
  sort_by_begin(intervals);
  return intervals;
}

TEST(Intervals, UnionOfNothingIsNothing) { EXPECT_EQ(union_length({}), 0U); }

TEST(Intervals, TouchingIntervalsDoNotOverlap) {
  const std::vector<Interval> touching = {{0, 10}, {10, 20}};
  EXPECT_EQ(union_length(touching), 20U);
  EXPECT_EQ(find_overlaps(touching).count, 0U);
}

TEST(Intervals, TurnedAroundIntervalCoversNothing) {
  const std::vector<Interval> turned = {{5, 1}, {10, 12}};
  EXPECT_EQ(union_length(turned), 2U);
  EXPECT_EQ(find_overlaps(std::vector<Interval>{{0, 10}, {5, 5}}).count, 0U);
}

TEST(Intervals, WholeRangeOfTheTypeIsExact) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(union_length(std::vector<Interval>{{kMin, 0}, {-5, kMax}}),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(Intervals, OverlapIsCountedAgainstEveryEarlierInterval) {
  const std::vector<Interval> nested = {{0, 100}, {10, 20}, {30, 40}, {100, 110}};
  EXPECT_EQ(find_overlaps(nested), (Sightings{2, 10}));
}

TEST(Intervals, ContainedMustEndMoreThanTheMarginEarlier) {
  const std::vector<Interval> nested = {{0, 30}, {10, 20}};
  EXPECT_EQ(find_contained(nested, 9), (Sightings{1, 10}));
  EXPECT_EQ(find_contained(nested, 10).count, 0U);
}

TEST(Intervals, PartialOverlapIsNotContained) {
  EXPECT_EQ(find_contained(std::vector<Interval>{{0, 30}, {1, 31}}, 0).count, 0U);
}

TEST(Intervals, EqualBeginsAreInOrder) {
  EXPECT_EQ(find_out_of_order(std::vector<Interval>{{3, 9}, {3, 4}, {2, 5}, {4, 5}}),
            (Sightings{1, 2}));
}

RC_GTEST_PROP(IntervalProperties, UnionLengthIsThatOfTheBitmap, ()) {
  const std::vector<Interval> intervals = any_intervals();
  RC_ASSERT(union_length(intervals) == slow_union_length(intervals));
}

RC_GTEST_PROP(IntervalProperties, CoveringIsMinimalAndCoversTheSame, ()) {
  const std::vector<Interval> intervals = any_intervals();
  std::vector<Interval> covering = intervals;
  reduce_to_covering(covering);
  RC_ASSERT(bitmap_of(covering) == bitmap_of(intervals));
  RC_ASSERT(total_length(covering) == slow_union_length(intervals));
  for (std::size_t i = 1; i < covering.size(); ++i) {
    RC_ASSERT(covering[i - 1].end < covering[i].begin);
  }
}

RC_GTEST_PROP(IntervalProperties, MergedCoveringsCoverAll, ()) {
  std::vector<Interval> all;
  std::vector<std::vector<Interval>> coverings;
  const auto count = *rc::gen::inRange<int>(0, 6);
  for (int i = 0; i < count; ++i) {
    coverings.push_back(any_intervals());
    all.insert(all.end(), coverings.back().begin(), coverings.back().end());
    reduce_to_covering(coverings.back());
  }
  reduce_to_covering(all);
  RC_ASSERT(merge_coverings(coverings) == all);
}

RC_GTEST_PROP(IntervalProperties, OverlapsAreThoseOfAllPairs, ()) {
  const std::vector<Interval> intervals = sorted(any_intervals());
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    bool overlaps = false;
    for (std::size_t j = 0; j < i; ++j) {
      overlaps |= !intervals[i].is_empty() && !intervals[j].is_empty() &&
                  intervals[i].begin < intervals[j].end;
    }
    expected += overlaps ? 1 : 0;
  }
  RC_ASSERT(find_overlaps(intervals).count == expected);
}

TEST(Intervals, TouchingCoveringsShareNothing) {
  EXPECT_EQ(shared_length(std::vector<Interval>{{0, 10}, {20, 30}},
                          std::vector<Interval>{{10, 20}, {30, 40}}),
            0U);
}

RC_GTEST_PROP(Intervals, SharedLengthIsThatOfBothBitmaps, ()) {
  std::vector<Interval> a = any_intervals();
  std::vector<Interval> b = any_intervals();
  const Bitmap in_a = bitmap_of(a);
  const Bitmap in_b = bitmap_of(b);
  reduce_to_covering(a);
  reduce_to_covering(b);
  std::uint64_t both = 0;
  for (std::size_t at = 0; at < in_a.size(); ++at) both += in_a[at] && in_b[at] ? 1 : 0;
  RC_ASSERT(shared_length(a, b) == both);
}

}  // namespace
}  // namespace lockstep::algo
