// What became of kernels and idle time, and what limits a side.
#include "analysis/compare/time_change.h"

#include <gtest/gtest.h>

namespace lockstep::analysis::compare {
namespace {

using breakdown::Part;

// Two iterations: kernels and idle time of each, in picoseconds, in pauses of `median` each.
PairSide side_with(WideTime kernels, WideTime idle, std::uint64_t pauses, std::int64_t median) {
  PairSide side;
  side.breakdown.windows = 2;
  side.breakdown.wall = 2 * (kernels + idle);
  side.breakdown.parts[breakdown::index_of(Part::kGemm)] = {2 * kernels, 2 * kernels};
  side.breakdown.parts[breakdown::index_of(Part::kIdle)] = {2 * idle, 2 * idle};
  side.idle = {pauses, Time{median}};
  return side;
}

ComparePair pair_of(const PairSide& a, const PairSide& b) {
  ComparePair pair;
  pair.a = a;
  pair.b = b;
  return pair;
}

TEST(TimeChange, KernelsAndIdleAreComparedPerIteration) {
  const TimeChange change =
      time_change(pair_of(side_with(100, 200, 40, 10), side_with(141, 168, 2, 168)));
  EXPECT_DOUBLE_EQ(change.kernels_percent.value(), 41);
  EXPECT_DOUBLE_EQ(change.idle_percent.value(), -16);
  EXPECT_TRUE(change.is_kernels_told);
  EXPECT_TRUE(change.is_idle_told);
}

TEST(TimeChange, ShortPausesBeforeEveryKernelAreLaunchesAndLongOnesAreWaits) {
  const TimeChange change =
      time_change(pair_of(side_with(100, 200, 40, 10), side_with(100, 200, 40, 1)));
  EXPECT_EQ(change.limit_a, TimeLimit::kLaunches);
  EXPECT_EQ(change.limit_b, TimeLimit::kWaits);  // most of the idle time is in few of the pauses
}

TEST(TimeChange, ABusyDeviceIsLimitedByItsKernels) {
  const TimeChange change =
      time_change(pair_of(side_with(101, 100, 40, 5), side_with(100, 100, 40, 5)));
  EXPECT_EQ(change.limit_a, TimeLimit::kKernels);
  EXPECT_EQ(change.limit_b, TimeLimit::kLaunches);
}

TEST(TimeChange, SmallChangesAreNotTold) {
  // 50 % more kernel time, but only 0.5 % of the wall.
  const TimeChange little =
      time_change(pair_of(side_with(10, 990, 2, 990), side_with(15, 990, 2, 990)));
  EXPECT_FALSE(little.is_kernels_told);
  EXPECT_FALSE(little.is_idle_told);
}

TEST(TimeChange, WhatAHasNothingOfHasNoPercentage) {
  const TimeChange change = time_change(pair_of(side_with(100, 0, 0, 0), side_with(90, 10, 2, 10)));
  EXPECT_FALSE(change.idle_percent.has_value());
  EXPECT_FALSE(change.is_idle_told);
}

TEST(TimeChange, LimitsHaveNames) {
  EXPECT_EQ(name_of(TimeLimit::kKernels), "kernels");
  EXPECT_EQ(name_of(TimeLimit::kLaunches), "launches");
  EXPECT_EQ(name_of(TimeLimit::kWaits), "waits");
}

}  // namespace
}  // namespace lockstep::analysis::compare
