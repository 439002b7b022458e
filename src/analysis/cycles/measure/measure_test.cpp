// Loops with times that add up by hand.
#include "analysis/cycles/measure/measure.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr Time ns(std::int64_t count) { return {count * kPicosecondsPerNanosecond}; }

Loop measure_one(const TestStream& test, const NestLoop& loop) {
  Nest nest;
  nest.loops.push_back(loop);
  return measure_loops(test.stream, nest, test.strings).front();
}

// `walls` in microseconds, one kernel each.
Loop loop_with_walls(const std::vector<std::int64_t>& walls) {
  TestStream test;
  std::int64_t at = 0;
  for (const std::int64_t wall : walls) {
    test.add("k", at * 1000, 100);
    at += wall;
  }
  test.add("end", at * 1000, 100);
  // The kernel behind the last iteration is not in it, so its wall is that of its kernel.
  return measure_one(test,
                     loop_of(0, 1, {instance_of(0, 1, static_cast<std::uint32_t>(walls.size()))}));
}

// In ns; percentiles may lie between two.
void expect_spread(const Spread& spread, std::int64_t min, double p50, double p95,
                   std::int64_t max) {
  EXPECT_EQ(spread.min, ns(min));
  EXPECT_EQ(spread.p50.ps, std::llround(1'000 * p50));
  EXPECT_EQ(spread.p95.ps, std::llround(1'000 * p95));
  EXPECT_EQ(spread.max, ns(max));
}

TEST(MeasureLoops, WallReachesToTheNextIterationAndTheLastEndsWithItsKernels) {
  TestStream test;
  test.add("x", 0, 5);
  test.add("a", 100, 10);
  test.add("b", 120, 20);  // idle 110-120 and 140-200
  test.add("a", 200, 10);
  test.add("b", 210, 30);
  test.add("y", 900, 5);
  const Loop loop = measure_one(test, loop_of(0, 2, {instance_of(1, 2, 2)}));
  ASSERT_EQ(loop.iterations.size(), 2U);
  EXPECT_EQ(loop.iterations[0].kernels, (Iteration{1, 3}));
  EXPECT_EQ(loop.iterations[0].start, ns(100));
  EXPECT_EQ(loop.iterations[0].wall, ns(100));
  EXPECT_EQ(loop.iterations[0].busy, ns(30));
  EXPECT_EQ(loop.iterations[0].kernel_sum, ns(30));
  EXPECT_EQ(loop.iterations[1].wall, ns(40));
  EXPECT_EQ(loop.iterations[1].busy, ns(40));
  EXPECT_EQ(loop.start, ns(100));
  EXPECT_EQ(loop.end, ns(240));
  expect_spread(loop.wall, 40, 70, 97, 100);
  expect_spread(loop.idle, 0, 35, 66.5, 70);
  expect_spread(loop.busy, 30, 35, 39.5, 40);
  expect_spread(loop.kernel_sum, 30, 35, 39.5, 40);
}

TEST(MeasureLoops, OverlapIsBusyOnceAndWhatReachesIntoTheNextIterationIsCutOff) {
  TestStream test;
  test.add("a", 0, 50);
  test.add("b", 10, 20);   // inside a
  test.add("b", 40, 100);  // 60 of it in the window
  test.add("a", 100, 50);
  test.add("b", 110, 200);  // ends after the last kernel
  test.add("b", 120, 10);
  const Loop loop = measure_one(test, loop_of(0, 3, {instance_of(0, 3, 2)}));
  EXPECT_EQ(loop.iterations[0].wall, ns(100));
  EXPECT_EQ(loop.iterations[0].busy, ns(100));
  EXPECT_EQ(loop.iterations[0].kernel_sum, ns(170));
  EXPECT_EQ(loop.iterations[1].wall, ns(210));
  EXPECT_EQ(loop.iterations[1].busy, ns(210));
  EXPECT_EQ(loop.iterations[1].kernel_sum, ns(260));
  EXPECT_EQ(loop.end, ns(310));
}

TEST(MeasureLoops, KernelsWithoutDurationTakeNoTime) {
  TestStream test;
  for (int i = 0; i < 6; ++i) test.add("z", 7, 0);
  const Loop loop = measure_one(test, loop_of(0, 2, {instance_of(0, 2, 3)}));
  expect_spread(loop.wall, 0, 0, 0, 0);
  expect_spread(loop.busy, 0, 0, 0, 0);
  ASSERT_EQ(loop.positions.size(), 2U);
  EXPECT_EQ(loop.positions[0].count, 3U);
  EXPECT_EQ(loop.positions[0].share, 0);
  EXPECT_EQ(loop.regimes.size(), 1U);
}

TEST(MeasureLoops, PositionsHaveExactFigures) {
  TestStream test;
  const std::vector<std::int64_t> durations = {2, 4, 4, 4, 5, 5, 7, 9};
  std::int64_t at = 0;
  for (const std::int64_t duration : durations) {
    test.add("a", at, duration);
    test.add("b", at + 10, 10);
    at += 100;
  }
  const auto b = test.symbol("b");
  test.stream.symbols[b].facts.role = kernels::KernelRole::kGemm;
  const Loop loop = measure_one(test, loop_of(0, 2, {instance_of(0, 2, 8)}));
  ASSERT_EQ(loop.positions.size(), 2U);
  const Position& first = loop.positions[0];
  EXPECT_EQ(first.name, "K:a");
  EXPECT_EQ(first.raw_name, "a");
  EXPECT_EQ(first.count, 8U);
  EXPECT_TRUE(first.sum == 40'000);
  EXPECT_EQ(first.mean_ps, 5'000);
  EXPECT_EQ(first.stddev_ps, 2'000);
  EXPECT_EQ(first.min, ns(2));
  EXPECT_EQ(first.max, ns(9));
  EXPECT_DOUBLE_EQ(first.share, 40.0 / 120.0);
  EXPECT_EQ(loop.positions[1].role, kernels::KernelRole::kGemm);
  EXPECT_DOUBLE_EQ(loop.positions[1].share, 80.0 / 120.0);
  EXPECT_EQ(loop.positions[1].stddev_ps, 0);
}

TEST(MeasureLoops, PositionHasTheNameThatMostIterationsHave) {
  TestStream test;
  test.add_letters("axayay");
  EXPECT_EQ(measure_one(test, loop_of(0, 2, {instance_of(0, 2, 3)})).positions[1].name, "K:y");
  TestStream tie;
  tie.add_letters("axayaz");
  NestLoop loop = loop_of(0, 2, {instance_of(0, 2, 3)});
  loop.body_start = 2;  // of several the body's
  EXPECT_EQ(measure_one(tie, loop).positions[1].name, "K:y");
  TestStream others;
  others.add_letters("azaxayaxay");
  loop = loop_of(0, 2, {instance_of(0, 2, 5)});  // else the one that comes first
  EXPECT_EQ(measure_one(others, loop).positions[1].name, "K:x");
  TestStream before;
  before.add_letters("yazaxayaxay");
  loop = loop_of(0, 2, {instance_of(1, 2, 5)});  // in the stream, not in the loop
  EXPECT_EQ(measure_one(before, loop).positions[1].name, "K:y");
}

TEST(MeasureLoops, InsertedKernelsBelongToNoPositionAndMissingOnesAreNotCounted) {
  TestStream test;
  test.add_letters(
      "abcd"
      "abXcd"
      "abd"
      "abcd");
  NestLoop loop = loop_of(0, 4, {instance_of(0, 4, 1)});
  loop.instances.front().iterations = {{0, 4}, {4, 9}, {9, 12}, {12, 16}};
  loop.is_exact = false;
  const Loop measured = measure_one(test, loop);
  ASSERT_EQ(measured.positions.size(), 4U);
  EXPECT_EQ(measured.positions[0].count, 4U);
  EXPECT_EQ(measured.positions[1].count, 4U);
  EXPECT_EQ(measured.positions[2].count, 3U);
  EXPECT_EQ(measured.positions[2].name, "K:c");
  EXPECT_EQ(measured.positions[3].count, 4U);
  EXPECT_EQ(measured.positions[3].name, "K:d");
  // 16 kernels of 4 ns: the foreign one has its share, but no row.
  EXPECT_DOUBLE_EQ(measured.positions[3].share, 4.0 / 16.0);
  EXPECT_DOUBLE_EQ(measured.positions[2].share, 3.0 / 16.0);
}

TEST(MeasureLoops, ManyInsertedKernelsLeaveTheOthersByName) {
  TestStream test;
  test.add_letters(
      "abcd"
      "aXYZbcd");
  NestLoop loop = loop_of(0, 4, {instance_of(0, 4, 1)});
  loop.instances.front().iterations.push_back({4, 11});
  test.stream.ends[8] = test.stream.starts[8] + ns(9);  // b
  const Loop measured = measure_one(test, loop);
  EXPECT_EQ(measured.positions[1].max, ns(9));
  EXPECT_EQ(measured.positions[1].count, 2U);
}

TEST(MeasureLoops, IterationWithOtherNamesMapsByRole) {
  TestStream test;
  // The second iteration runs other variants, and one kernel more in front.
  test.add_letters(
      "abcdefgh"
      "nABCDEFGH");
  const std::string_view roles = "abcdefgh";
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const auto role = static_cast<kernels::KernelRole>(i);
    const char upper = static_cast<char>(roles[i] - 'a' + 'A');
    test.stream.symbols[test.symbol(roles.substr(i, 1))].facts.role = role;
    test.stream.symbols[test.symbol(std::string_view(&upper, 1))].facts.role = role;
  }
  NestLoop loop = loop_of(0, 8, {instance_of(0, 8, 1)});
  loop.instances.front().iterations.push_back({8, 17});
  test.stream.ends[9] = test.stream.starts[9] + ns(9);  // A
  const Loop measured = measure_one(test, loop);
  EXPECT_EQ(measured.positions[0].count, 2U);
  EXPECT_EQ(measured.positions[0].max, ns(9));
  EXPECT_EQ(measured.positions[7].count, 2U);
}

TEST(MeasureLoops, IterationLikeNothingMapsByOffset) {
  TestStream test;
  test.add_letters(
      "abcd"
      "stuvwxyz");
  for (const char letter : std::string_view("stuvwxyz")) {
    test.stream.symbols[test.symbol(std::string_view(&letter, 1))].facts.role =
        kernels::KernelRole::kNorm;
  }
  NestLoop loop = loop_of(0, 4, {instance_of(0, 4, 1)});
  loop.instances.front().iterations.push_back({4, 12});
  EXPECT_EQ(measure_one(test, loop).positions[3].count, 2U);
}

TEST(MeasureLoops, LongBodiesKeepEveryPosition) {
  TestStream test;
  constexpr std::uint32_t kPeriod = 10'000;
  for (std::int64_t i = 0; i < 2 * kPeriod; ++i) test.add("k", 100 * i, i % kPeriod);
  const Loop loop = measure_one(test, loop_of(0, kPeriod, {instance_of(0, kPeriod, 2)}));
  ASSERT_EQ(loop.positions.size(), kPeriod);
  for (std::uint32_t i = 0; i < kPeriod; ++i) {
    ASSERT_EQ(loop.positions[i].min, ns(i));
    ASSERT_EQ(loop.positions[i].count, 2U);
  }
}

TEST(MeasureLoops, InstancesAndCoverageAreThoseOfTheId) {
  TestStream test;
  test.add_letters("xababyababzababab");
  Nest nest;
  nest.loops.push_back(loop_of(7, 2, {instance_of(1, 2, 2), instance_of(6, 2, 2)}));
  nest.loops.push_back(loop_of(7, 2, {instance_of(11, 2, 3)}));
  nest.loops.push_back(loop_of(8, 1, {instance_of(0, 1, 1)}));
  nest.loops[0].instances[0].partial_before = 1;
  nest.loops[0].instances[1].partial_before = 1;
  nest.loops[0].instances[1].partial_after = 1;
  const auto loops = measure_loops(test.stream, nest, test.strings);
  EXPECT_EQ(loops[0].instances, 3U);
  EXPECT_EQ(loops[1].instances, 3U);
  EXPECT_DOUBLE_EQ(loops[0].coverage, 14.0 / 17.0);
  EXPECT_DOUBLE_EQ(loops[1].coverage, 14.0 / 17.0);
  EXPECT_EQ(loops[0].complete, 2U);
  EXPECT_EQ(loops[0].iterations.size(), 4U);
  EXPECT_EQ(loops[1].complete, 3U);
  EXPECT_EQ(loops[0].partial, 3U);
  EXPECT_EQ(loops[1].partial, 0U);
  EXPECT_EQ(loops[2].instances, 1U);
  EXPECT_DOUBLE_EQ(loops[2].coverage, 1.0 / 17.0);
  // Each instance ends with its own kernels, the first one where the loop is said to end.
  EXPECT_EQ(loops[0].end, ns(44));
  EXPECT_EQ(loops[0].iterations[1].wall, ns(14));
  EXPECT_EQ(loops[0].iterations[0].wall, ns(20));
}

TEST(MeasureLoops, OnlyOutermostLoopsCover) {
  Nest nest;
  nest.loops.push_back(loop_of(0, 10, {instance_of(3, 10, 4)}));
  nest.loops.push_back(loop_of(1, 3, {instance_of(3, 3, 3), instance_of(13, 3, 3)}));
  nest.loops[1].parent = 0;
  nest.loops.push_back(loop_of(1, 3, {instance_of(50, 3, 2)}));
  EXPECT_EQ(covered_kernels(nest), 46U);
  EXPECT_EQ(covered_kernels({}), 0U);
}

TEST(MeasureLoops, RegimesAndTheOutliersInside) {
  // Ten of about 1 ms, ten of about 3 ms; in each regime one iteration like those of the other.
  std::vector<std::int64_t> walls;
  for (std::int64_t i = 0; i < 10; ++i) walls.push_back(1000 + i % 3);
  for (std::int64_t i = 0; i < 10; ++i) walls.push_back(3000 + i % 3);
  walls[4] = 3000;
  walls[15] = 1000;
  walls.push_back(3001);
  const Loop loop = loop_with_walls(walls);
  ASSERT_EQ(loop.regimes.size(), 2U);
  EXPECT_EQ(loop.regimes[0].first, 0U);
  EXPECT_EQ(loop.regimes[0].last, 9U);
  EXPECT_EQ(loop.regimes[0].median_wall, ns(1'001'000));
  EXPECT_EQ(loop.regimes[1].first, 10U);
  EXPECT_EQ(loop.regimes[1].last, 20U);
  // The last one has no successor: it takes 100 ns, and is no outlier for it.
  ASSERT_EQ(loop.outliers.size(), 2U);
  EXPECT_EQ(loop.outliers[0].iteration, 4U);
  EXPECT_EQ(loop.outliers[0].wall, ns(3'000'000));
  EXPECT_GT(loop.outliers[0].score, 3.5);
  EXPECT_EQ(loop.outliers[1].iteration, 15U);
  EXPECT_LT(loop.outliers[1].score, -3.5);
}

TEST(MeasureLoops, TheLastIterationLacksAGapAndIsNotCompared) {
  const Loop loop = loop_with_walls(std::vector<std::int64_t>(24, 1000));
  EXPECT_EQ(loop.iterations.back().wall, ns(100));
  EXPECT_TRUE(loop.outliers.empty());
  ASSERT_EQ(loop.regimes.size(), 1U);
  EXPECT_EQ(loop.regimes[0].last, 23U);
  expect_spread(loop.wall, 1'000'000, 1'000'000, 1'000'000, 1'000'000);
  expect_spread(loop.idle, 999'900, 999'900, 999'900, 999'900);
  expect_spread(loop.busy, 100, 100, 100, 100);
}

TEST(MeasureLoops, RegimesReachOverTheLastIterationOfEachInstance) {
  // Two instances of five: 10 us an iteration, then 30 us; the last of each takes 0.1 us.
  TestStream test;
  for (std::int64_t i = 0; i < 5; ++i) test.add("k", 10'000 * i, 100);
  test.add("x", 45'000, 100);
  for (std::int64_t i = 0; i < 5; ++i) test.add("k", 50'000 + 30'000 * i, 100);
  const Loop loop = measure_one(test, loop_of(0, 1, {instance_of(0, 1, 5), instance_of(6, 1, 5)}));
  ASSERT_EQ(loop.regimes.size(), 2U);
  EXPECT_EQ(loop.regimes[0].first, 0U);
  EXPECT_EQ(loop.regimes[0].last, 4U);
  EXPECT_EQ(loop.regimes[1].first, 5U);
  EXPECT_EQ(loop.regimes[1].last, 9U);
  EXPECT_EQ(loop.regimes[1].median_wall, ns(30'000));
}

TEST(MeasureLoops, OfTwoIterationsBothAreCompared) {
  expect_spread(loop_with_walls({10, 10}).wall, 100, 5'050, 9'505, 10'000);
  expect_spread(loop_with_walls({10, 10, 10}).wall, 10'000, 10'000, 10'000, 10'000);
}

TEST(MeasureLoops, MicrosecondMoreIsNoOutlier) {
  const Loop loop = loop_with_walls({3, 3, 3, 3, 4, 3, 5, 3, 3, 3, 3});
  ASSERT_EQ(loop.outliers.size(), 1U);
  EXPECT_EQ(loop.outliers[0].iteration, 6U);
}

TEST(MeasureLoops, DifferencesBelowAMicrosecondMakeNoRegime) {
  TestStream test;
  for (std::int64_t i = 0; i < 10; ++i) test.add("k", 100 * i, 50);
  for (std::int64_t i = 0; i < 10; ++i) test.add("k", 1000 + 300 * i, 50);
  EXPECT_EQ(measure_one(test, loop_of(0, 1, {instance_of(0, 1, 20)})).regimes.size(), 1U);
}

TEST(MeasureLoops, KernelTimeBeyondTheRangeOfTimesIsTheLongest) {
  TestStream test;
  constexpr std::int64_t kFiftyDays = kMaxDistanceFromOriginPs / 2;
  for (int i = 0; i < 3; ++i) test.add_ps("k", 0, kFiftyDays);
  const Loop loop = measure_one(test, loop_of(0, 3, {instance_of(0, 3, 1)}));
  EXPECT_EQ(loop.kernel_sum.max.ps, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(loop.busy.max.ps, kFiftyDays);
}

TEST(MeasureLoops, SevenIterationsHaveNoTrend) {
  EXPECT_FALSE(loop_with_walls({1, 2, 3, 4, 5, 6, 7, 8}).trend.has_value());
  const Loop eight = loop_with_walls({10, 20, 30, 40, 50, 60, 70, 80, 90});  // and the last one
  ASSERT_TRUE(eight.trend.has_value());
  EXPECT_DOUBLE_EQ(eight.trend->ps_per_iteration, 10.0 * kPicosecondsPerMicrosecond);
}

TEST(MeasureLoops, TrendIsOneWhenChanceHardlyMakesIt) {
  std::vector<std::int64_t> rising;
  for (std::int64_t i = 0; i < 20; ++i) rising.push_back(100 + i);
  EXPECT_TRUE(loop_with_walls(rising).trend->is_significant);
  EXPECT_FALSE(loop_with_walls({9, 7, 8, 9, 7, 8, 9, 7, 8, 9}).trend->is_significant);
}

TEST(MeasureLoops, NestOfNothingHasNone) {
  EXPECT_TRUE(measure_loops(KernelStream{}, Nest{}, StringPool{}).empty());
}

}  // namespace
}  // namespace lockstep::analysis::cycles
