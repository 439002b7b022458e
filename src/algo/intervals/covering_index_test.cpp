// Claims on what a covering covers, and comparison with a count of points, which is slow and
// obvious.
#include "algo/intervals/covering_index.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

constexpr std::int64_t kWorld = 64;

TEST(CoveringIndex, NothingCoversNothing) { EXPECT_EQ(CoveringIndex({}).length_in({0, 100}), 0U); }

TEST(CoveringIndex, OnlyThePartInsideCounts) {
  const std::vector<Interval> covering = {{10, 20}, {30, 40}};
  const CoveringIndex index(covering);
  EXPECT_EQ(index.length_in({0, 10}), 0U);
  EXPECT_EQ(index.length_in({15, 35}), 10U);
  EXPECT_EQ(index.length_in({40, 50}), 0U);
}

TEST(CoveringIndex, TurnedAroundIntervalHoldsNothing) {
  const std::vector<Interval> covering = {{10, 20}};
  EXPECT_EQ(CoveringIndex(covering).length_in({18, 12}), 0U);
}

TEST(CoveringIndex, WholeRangeOfTheTypeIsExact) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const std::vector<Interval> covering = {{kMin, kMax}};
  EXPECT_EQ(CoveringIndex(covering).length_in({kMin, kMax}),
            std::numeric_limits<std::uint64_t>::max());
}

RC_GTEST_PROP(CoveringIndex, EqualsACountOfPoints, ()) {
  const auto point = rc::gen::inRange<std::int64_t>(0, kWorld);
  auto covering =
      *rc::gen::container<std::vector<Interval>>(rc::gen::construct<Interval>(point, point));
  reduce_to_covering(covering);
  const Interval asked = *rc::gen::construct<Interval>(point, point);
  std::uint64_t expected = 0;
  for (std::int64_t at = asked.begin; at < asked.end; ++at) {
    expected += std::ranges::any_of(covering,
                                    [&](const Interval& i) { return i.begin <= at && at < i.end; })
                    ? 1
                    : 0;
  }
  RC_ASSERT(CoveringIndex(covering).length_in(asked) == expected);
}

}  // namespace
}  // namespace lockstep::algo
