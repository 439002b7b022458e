// Tests of which steps stand out of their group, and as what.
#include "analysis/anomalies/steps/step_outliers.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/steps/step_groups.h"
#include "analysis/anomalies/steps/steps_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

using Cause = StepOutlier::Cause;
// 4 ms of work with gaps before two of three kernels.
std::vector<PlannedKernel> step(std::int64_t first, std::int64_t last) {
  return {{.name = "a", .gap = first, .duration = 2000},
          {.name = "b", .duration = 1000},
          {.name = "c", .gap = last, .duration = 1000}};
}

TEST(StepOutliers, ALatePrelaunchIsTold) {
  TestSteps steps;
  for (const std::int64_t gap : {100, 5100, 120, 110}) steps.add(step(gap, 50));
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, Cause::kPrelaunch);
  EXPECT_EQ(found[0].step, 1U);
  EXPECT_EQ(found[0].value, us(5100));
  EXPECT_EQ(found[0].median, us(115));
  EXPECT_EQ(steps.device.bubbles[found[0].bubble].scope, BubbleScope::kPrelaunch);
  EXPECT_EQ(steps.device.steps[1].facts.outlier_excess, us(4985));
  EXPECT_EQ(steps.device.steps[0].facts.outlier_excess, Time{});
}

TEST(StepOutliers, BelowAMillisecondOrATenthOfTheStepNothingStandsOut) {
  TestSteps by_time;
  for (const std::int64_t gap : {0, 999, 0}) by_time.add(step(gap, 0));
  EXPECT_TRUE(by_time.outliers().empty());
  TestSteps by_share;  // 2 of 22 ms
  for (const std::int64_t gap : {0, 2000, 0}) {
    auto kernels = step(gap, 0);
    kernels[0].duration = 18'000;
    by_share.add(kernels);
  }
  EXPECT_TRUE(by_share.outliers().empty());
  TestSteps more;
  for (const std::int64_t gap : {0, 1000, 0}) more.add(step(gap, 0));
  EXPECT_EQ(more.outliers().size(), 1U);
}

// A collective after 9 ms of computing.
std::vector<PlannedKernel> communicating(std::int64_t collective) {
  return {{.name = "a", .duration = 9000},
          {.name = "ncclAllReduce", .duration = collective, .kind = trace::Kind::kCommunication}};
}

TEST(StepOutliers, ACollectiveThatRunsLongByItselfIsTold) {
  TestSteps steps;
  for (const std::int64_t collective : {1000, 1100, 9000, 1000})
    steps.add(communicating(collective));
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, Cause::kCommunication);
  EXPECT_EQ(found[0].step, 2U);
  EXPECT_EQ(found[0].bubble, kNoKernel);
  EXPECT_EQ(found[0].value, us(9000));
  EXPECT_EQ(found[0].median, us(1050));
  EXPECT_EQ(steps.device.steps[2].facts.outlier_excess, us(7950));
}

TEST(StepOutliers, ACollectiveThatComputingHidesIsNotTold) {
  TestSteps steps;
  for (const std::int64_t collective : {1000, 1000, 9000, 1000})
    steps.add(communicating(collective));
  steps.device.steps[2].facts.gaps.computing += us(8000);
  EXPECT_TRUE(steps.outliers().empty());
}

TEST(StepOutliers, GroupsOfTwoTellNothing) {
  TestSteps steps;
  steps.add(step(0, 0));
  steps.add(step(5000, 0));
  EXPECT_TRUE(steps.outliers().empty());
  EXPECT_FALSE(steps.device.steps[1].facts.outlier_excess.has_value());
}

TEST(StepOutliers, GroupsOfTwoTellNothingBesideALargeOne) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) steps.add(step(0, 0));
  for (const std::int64_t gap : {0, 5000}) {
    auto kernels = step(gap, gap);
    kernels[1].name = "x";
    steps.add(kernels);
  }
  EXPECT_TRUE(steps.outliers().empty());
  EXPECT_TRUE(steps.device.steps[0].facts.outlier_excess.has_value());
  EXPECT_FALSE(steps.device.steps[4].facts.outlier_excess.has_value());
}

TEST(StepOutliers, AGapIsComparedWithTheSamePlaceOfTheOthers) {
  TestSteps steps;
  for (const std::int64_t gap : {1500, 2700, 27'000, 2000}) steps.add(step(0, gap));
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, Cause::kGap);
  EXPECT_EQ(found[0].step, 2U);
  EXPECT_EQ(found[0].median, us(2350));
  EXPECT_EQ(found[0].value, us(27'000));
}

TEST(StepOutliers, AGapThatMostStepsHaveIsNone) {
  TestSteps steps;
  for (const std::int64_t gap : {5000, 5100, 5200, 0}) steps.add(step(0, gap));
  EXPECT_TRUE(steps.outliers().empty());
}

TEST(StepOutliers, AGapBeforeAnInsertedKernelIsComparedWithNone) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) {
    std::vector<PlannedKernel> kernels(40, PlannedKernel{.name = "k", .duration = 100});
    if (i == 1) kernels.insert(kernels.begin() + 9, {.name = "x", .gap = 3000, .duration = 100});
    steps.add(kernels);
  }
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].step, 1U);
  EXPECT_EQ(found[0].median, Time{});
}

TEST(StepOutliers, TailsAndGapsBetweenStepsAreToldApart) {
  TestSteps steps;
  for (int i = 0; i < 5; ++i) steps.add(step(0, 0), i == 1 || i == 3 ? 4000 : 10);
  steps.device.steps[3].facts.gaps.inter_step = us(3990);
  for (Bubble& bubble : steps.device.bubbles) {
    if (bubble.step == 3) bubble.scope = BubbleScope::kInterStep;
  }
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].cause, Cause::kTail);
  EXPECT_EQ(found[0].step, 1U);
  EXPECT_EQ(found[1].cause, Cause::kInterStep);
  EXPECT_EQ(found[1].step, 3U);
}

TEST(StepOutliers, AGapThatIsMostlyACopyIsToldOnce) {
  TestSteps steps;
  for (const std::int64_t gap : {100, 33'400, 90}) steps.add(step(0, gap));
  steps.device.steps[1].facts.gaps.exposed_copy = us(33'320);
  for (Bubble& bubble : steps.device.bubbles) {
    if (bubble.step == 1) bubble.copied = us(33'320);
  }
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, Cause::kCopy);
  EXPECT_EQ(found[0].value, us(33'320));
  EXPECT_EQ(steps.device.bubbles[found[0].bubble].length(), us(33'400));
}

TEST(StepOutliers, TheBubbleToLookAtIsTheLongest) {
  TestSteps steps;
  for (const std::int64_t gap : {0, 3000, 0}) {
    auto kernels = step(gap, 2 * gap);
    kernels[1].gap = gap;
    steps.add(kernels);
  }
  steps.device.steps[1].facts.gaps.exposed_copy = us(12'000);
  for (Bubble& bubble : steps.device.bubbles) bubble.copied = bubble.length();
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(steps.device.bubbles[found[0].bubble].length(), us(6000));
}

TEST(StepOutliers, AGapBesideACopyIsToldToo) {
  TestSteps steps;
  for (const std::int64_t gap : {100, 30'000, 90}) steps.add(step(0, gap));
  steps.device.steps[1].facts.gaps.exposed_copy = us(10'000);
  for (Bubble& bubble : steps.device.bubbles) {
    if (bubble.step == 1) bubble.copied = us(10'000);
  }
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].cause, Cause::kCopy);
  EXPECT_EQ(found[1].cause, Cause::kGap);
}

TEST(StepOutliers, ArtefactsAndTheEdgeOfTheCaptureDoNotCount) {
  for (const bool is_artefact : {true, false}) {
    TestSteps steps;
    for (const std::int64_t gap : {9000, 100, 90}) steps.add(step(gap, gap));
    for (Bubble& bubble : steps.device.bubbles)
      (is_artefact ? bubble.is_opaque : bubble.touches_edge) = true;
    EXPECT_TRUE(steps.outliers().empty());
  }
}

// Work of the step before still runs when the window begins, so that the gap before the first own
// kernel lies inside the window.
TEST(StepOutliers, AGapBeforeTheFirstOwnKernelIsPrelaunch) {
  TestSteps steps;
  for (const std::int64_t gap : {100, 6000, 90}) steps.add(step(gap, 0));
  for (AnomalyStep& one : steps.device.steps) one.facts.gaps.prelaunch = {};
  for (Bubble& bubble : steps.device.bubbles) bubble.scope = BubbleScope::kInternal;
  const std::vector<StepOutlier> found = steps.outliers();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, Cause::kPrelaunch);
  EXPECT_NE(found[0].bubble, kNoKernel);
}

TEST(StepOutliers, AGapBeforeAKernelOfNoStepIsComparedWithNothing) {
  TestSteps steps;
  for (const std::int64_t gap : {100, 6000, 90}) steps.add(step(0, gap));
  steps.device.steps[1].kernels.pop_back();
  steps.device.steps[1].facts.gaps.inter_step = {};
  EXPECT_TRUE(steps.outliers().empty());
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
