// Outliers that are a property of their place, and what a trend comes to.
#include <gtest/gtest.h>

#include "analysis/cycles/measure/measure.h"
#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr Time ns(std::int64_t count) { return {count * kPicosecondsPerNanosecond}; }

Loop measure_one(const TestStream& test, const NestLoop& loop) {
  Nest nest;
  nest.loops.push_back(loop);
  return measure_loops(test.stream, nest, test.strings).front();
}

// `instances` passes of ten layers of one kernel; layer 3 of the first `odd` of them takes long.
Loop layers_of_passes(std::uint32_t instances, std::uint32_t odd) {
  TestStream test;
  std::vector<LoopInstance> passes;
  std::int64_t at = 0;
  for (std::uint32_t pass = 0; pass < instances; ++pass) {
    passes.push_back(instance_of(static_cast<std::uint32_t>(test.stream.size()), 1, 10));
    for (std::uint32_t layer = 0; layer < 10; ++layer) {
      test.add("k", at, 100);
      at += layer == 3 && pass < odd ? 90'000 : 10'000;
    }
    test.add("head", at, 100);
    at += 1'000;
  }
  return measure_one(test, loop_of(0, 1, passes));
}

TEST(MeasureLoops, AnOutlierAtOnePlaceOfMostInstancesIsAPropertyOfThatPlace) {
  const Loop loop = layers_of_passes(8, 6);
  ASSERT_EQ(loop.outliers.size(), 6U);
  for (const Outlier& outlier : loop.outliers) {
    EXPECT_EQ(outlier.place, 3U);
    EXPECT_TRUE(outlier.is_recurring);
  }
  ASSERT_EQ(loop.odd_places.size(), 1U);
  EXPECT_EQ(loop.odd_places[0].place, 3U);
  EXPECT_EQ(loop.odd_places[0].outliers, 6U);
  EXPECT_EQ(loop.odd_places[0].median_wall, ns(90'000));
}

TEST(MeasureLoops, AnOutlierOfOneInstanceIsOne) {
  const Loop loop = layers_of_passes(8, 1);
  ASSERT_EQ(loop.outliers.size(), 1U);
  EXPECT_FALSE(loop.outliers[0].is_recurring);
  EXPECT_TRUE(loop.odd_places.empty());
}

TEST(MeasureLoops, TwoInstancesHaveNoOddPlace) {
  const Loop loop = layers_of_passes(2, 2);
  EXPECT_TRUE(loop.odd_places.empty());
}

TEST(MeasureLoops, DriftIsTheShareThatATrendMovesOverTheRun) {
  TestStream test;
  for (std::int64_t i = 0, at = 0; i < 21; ++i) {
    test.add("k", at, 100);
    at += 90'000 + 1'000 * i;
  }
  const Loop loop = measure_one(test, loop_of(0, 1, {instance_of(0, 1, 21)}));
  ASSERT_TRUE(loop.trend.has_value());
  EXPECT_NEAR(loop.trend->drift, 0.2, 0.01);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
