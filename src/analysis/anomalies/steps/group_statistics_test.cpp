// Tests of spreads, idle patterns, recurrence and dominant tags of groups.
#include "analysis/anomalies/steps/group_statistics.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/steps/step_groups.h"
#include "analysis/anomalies/steps/steps_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

// A step of three kernels with gaps before each of them.
std::vector<PlannedKernel> gaps(std::int64_t first, std::int64_t second, std::int64_t third) {
  return {{.name = "a", .gap = first}, {.name = "b", .gap = second}, {.name = "c", .gap = third}};
}

TEST(GroupStatistics, SpreadsAreExactMeansAndPercentilesBetweenRanks) {
  TestSteps steps;
  for (int i = 20; i >= 1; --i) steps.add(gaps(0, i, 0));
  steps.aggregate_groups();
  const StepGroup& group = steps.device.groups.front();
  EXPECT_DOUBLE_EQ(group.internal_total.mean_ps, 10.5e6);
  // Of 1 to 20: 10.5, 18.1 and 19.05, as numpy has it.
  EXPECT_EQ(group.internal_total.median, Time{10'500'000});
  EXPECT_EQ(group.internal_total.p90, Time{18'100'000});
  EXPECT_EQ(group.internal_total.p95, Time{19'050'000});
  EXPECT_EQ(group.largest_internal.p95, Time{19'050'000});
  EXPECT_EQ(group.device_busy.median, us(30));
  EXPECT_EQ(group.service.p95, Time{49'050'000});
  EXPECT_EQ(group.underfeed.median, Time{10'500'000});
  EXPECT_DOUBLE_EQ(group.underfeed_ratio_median, (10.0 / 40 + 11.0 / 41) / 2);
  EXPECT_DOUBLE_EQ(group.underfeed_ratio_p90, 18.0 / 48 + 0.1 * (19.0 / 49 - 18.0 / 48));
  EXPECT_DOUBLE_EQ(group.underfeed_ratio_p95, 19.0 / 49 + 0.05 * (20.0 / 50 - 19.0 / 49));
  EXPECT_DOUBLE_EQ(group.bubble_step_share, 11.0 / 20);  // gaps from 10 us on
}

TEST(GroupStatistics, APlaceRecursInThreeOfFiveSteps) {
  TestSteps steps;
  for (const std::int64_t gap : {50, 70, 60, 0, 0}) steps.add(gaps(0, 0, gap));
  steps.aggregate_groups();
  const StepGroup& group = steps.device.groups.front();
  EXPECT_TRUE(group.is_recurring);
  ASSERT_EQ(group.recurring.size(), 1U);
  const RecurringGap& gap = group.recurring.front();
  EXPECT_EQ(gap.steps, 3U);
  EXPECT_EQ(gap.median, us(60));
  EXPECT_EQ(gap.total, us(180).ps);
  EXPECT_EQ(gap.position, 2U);
  EXPECT_EQ(gap.bubbles, (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(gap.labels, SoftLabels{SoftLabel::kHostLaunchLag});
}

TEST(GroupStatistics, TwoOfFiveStepsAreNoRecurrence) {
  TestSteps steps;
  for (const std::int64_t gap : {50, 70, 0, 0, 0}) steps.add(gaps(0, 0, gap));
  steps.aggregate_groups();
  EXPECT_FALSE(steps.device.groups.front().is_recurring);
  EXPECT_TRUE(steps.device.groups.front().recurring.empty());
}

TEST(GroupStatistics, BubblesAtChangingPlacesAreNoRecurrence) {
  TestSteps steps;
  steps.add(gaps(50, 0, 0));
  steps.add(gaps(0, 50, 0));
  steps.add(gaps(0, 0, 50));
  steps.aggregate_groups();
  EXPECT_DOUBLE_EQ(steps.device.groups.front().bubble_step_share, 1.0);
  EXPECT_FALSE(steps.device.groups.front().is_recurring);
}

TEST(GroupStatistics, TwoStepsAreTooFewForRecurrence) {
  TestSteps steps;
  steps.add(gaps(0, 50, 0));
  steps.add(gaps(0, 50, 0));
  steps.aggregate_groups();
  EXPECT_FALSE(steps.device.groups.front().is_recurring);
  Thresholds thresholds;
  thresholds.recurring_steps = 2;
  steps.aggregate_groups(thresholds);
  EXPECT_TRUE(steps.device.groups.front().is_recurring);
}

TEST(GroupStatistics, APlaceIsTheSameBehindInsertedKernels) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) {
    std::vector<PlannedKernel> kernels;
    for (int k = 0; k < 40; ++k) kernels.push_back({.name = "same"});
    kernels[30].gap = 100;
    kernels[30].name = "late";
    if (i == 1) kernels.insert(kernels.begin() + 5, {.name = "more"});
    steps.add(kernels);
  }
  steps.aggregate_groups();
  ASSERT_EQ(steps.device.groups.size(), 1U);
  ASSERT_EQ(steps.device.groups.front().recurring.size(), 1U);
  EXPECT_EQ(steps.device.groups.front().recurring.front().steps, 3U);
}

TEST(GroupStatistics, PrelaunchAndTailRecurByTheKernelAtTheBorder) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) steps.add(gaps(40 + i, 0, 0), 90);
  steps.aggregate_groups();
  const StepGroup& group = steps.device.groups.front();
  ASSERT_EQ(group.recurring.size(), 2U);
  EXPECT_EQ(group.recurring[0].total, us(270).ps);
  EXPECT_EQ(steps.device.bubbles[group.recurring[0].bubbles.front()].scope, BubbleScope::kTail);
  EXPECT_EQ(group.recurring[1].total, us(123).ps);
}

TEST(GroupStatistics, ArtefactsDoNotRecur) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) steps.add(gaps(0, 100, 0));
  for (Bubble& bubble : steps.device.bubbles) bubble.is_unrecorded = true;
  steps.aggregate_groups();
  EXPECT_TRUE(steps.device.groups.front().recurring.empty());
  EXPECT_EQ(steps.device.groups.front().pattern, IdlePattern::kNone);
  EXPECT_TRUE(steps.device.groups.front().labels.empty());
}

TEST(GroupStatistics, InsertedKernelsAndStepsWithoutKernelsHaveNoPlace) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) {
    std::vector<PlannedKernel> kernels(40, PlannedKernel{.name = "same"});
    const PlannedKernel odd{.name = "odd" + std::to_string(i), .gap = 100};
    if (i > 0) kernels.insert(kernels.begin() + 5 * i, odd);
    steps.add(kernels);
  }
  for (int i = 0; i < 3; ++i) {
    const auto number = static_cast<std::uint32_t>(steps.add({}, 500).facts.kernels);
    EXPECT_EQ(number, 0U);
    Bubble whole;
    whole.step = static_cast<std::uint32_t>(steps.device.steps.size() - 1);
    whole.scope = BubbleScope::kPrelaunch;
    whole.end = us(500);
    steps.device.bubbles.push_back(whole);
  }
  Thresholds thresholds;
  thresholds.recurring_share = 0.5;
  steps.aggregate_groups(thresholds);
  ASSERT_EQ(steps.device.groups.size(), 2U);
  for (const StepGroup& group : steps.device.groups) EXPECT_TRUE(group.recurring.empty());
}

IdlePattern pattern_of(std::int64_t prelaunch, std::int64_t internal, std::int64_t tail,
                       std::int64_t inter_step = 0) {
  TestSteps steps;
  AnomalyStep& step = steps.add(gaps(prelaunch, internal, 0), tail + inter_step);
  step.facts.gaps.inter_step = us(inter_step);
  steps.aggregate_groups();
  return steps.device.groups.front().pattern;
}

TEST(GroupStatistics, ThePatternIsWhereMostIdleTimeLies) {
  EXPECT_EQ(pattern_of(100, 20, 20), IdlePattern::kPrelaunch);
  EXPECT_EQ(pattern_of(20, 100, 20), IdlePattern::kInternal);
  EXPECT_EQ(pattern_of(20, 20, 100), IdlePattern::kTail);
  EXPECT_EQ(pattern_of(9, 9, 9), IdlePattern::kNone);
}

TEST(GroupStatistics, TheSecondOfFourFifthsMakesItMixed) {
  EXPECT_EQ(pattern_of(100, 80, 0), IdlePattern::kMixed);
  EXPECT_EQ(pattern_of(100, 79, 0), IdlePattern::kPrelaunch);
}

TEST(GroupStatistics, GapsBetweenStepsOfTwiceAllInsideMakeItInterStep) {
  EXPECT_EQ(pattern_of(50, 50, 0, 200), IdlePattern::kInterStep);
  EXPECT_EQ(pattern_of(100, 100, 0, 399), IdlePattern::kInterStep);  // by far the most
  EXPECT_EQ(pattern_of(100, 100, 0, 110), IdlePattern::kMixed);
  EXPECT_EQ(pattern_of(100, 0, 0, 110), IdlePattern::kMixed);
}

TEST(GroupStatistics, TheTimeBetweenStepsIsNotOfTheOwnTail) {
  TestSteps steps;
  steps.add(gaps(0, 0, 0), 50).facts.gaps.inter_step = us(20);
  steps.aggregate_groups();
  EXPECT_EQ(steps.device.groups.front().tail.median, us(50));
  EXPECT_EQ(steps.device.groups.front().own_tail.median, us(30));
}

TEST(GroupStatistics, GapsBetweenStepsComeBeforeMixed) {
  TestSteps steps;
  steps.add(gaps(100, 0, 0), 200).facts.gaps.inter_step = us(200);
  Thresholds thresholds;
  thresholds.mixed_share = 0.4;
  steps.aggregate_groups(thresholds);
  EXPECT_EQ(steps.device.groups.front().pattern, IdlePattern::kInterStep);
}

TEST(GroupStatistics, DispatchGapsAreNoIdlePattern) {
  TestSteps steps;
  AnomalyStep& step = steps.add(gaps(30, 100, 0));
  step.facts.gaps.dispatch_total = us(100);
  steps.aggregate_groups();
  EXPECT_EQ(steps.device.groups.front().pattern, IdlePattern::kPrelaunch);
}

TEST(GroupStatistics, TagsOfHalfOfTheStepsAreDominant) {
  TestSteps steps;
  for (int i = 0; i < 4; ++i) steps.add(gaps(0, 0, 0));
  steps.device.steps[0].tags = {Tag::kTailGapHeavy, Tag::kCopyExposed};
  steps.device.steps[1].tags = {Tag::kTailGapHeavy};
  steps.group();
  steps.tag_groups();
  EXPECT_EQ(steps.device.groups.front().dominant_tags, Tags{Tag::kTailGapHeavy});
  EXPECT_FALSE(steps.device.groups.front().requires_followup);
}

bool needs_followup(Tags tags, SoftLabels labels) {
  TestSteps steps;
  steps.add(gaps(0, 0, 0)).tags = tags;
  steps.group();
  steps.device.groups.front().labels = labels;
  steps.tag_groups();
  return steps.device.groups.front().requires_followup;
}

TEST(GroupStatistics, UnexplainedIdleTimeNeedsFollowUp) {
  constexpr SoftLabels kLag{SoftLabel::kHostLaunchLag};
  const Tags idle{Tag::kDeviceIdleGapHeavy};
  EXPECT_TRUE(needs_followup({Tag::kUntracedHostBlockingRisk}, kLag));
  EXPECT_FALSE(needs_followup(idle, kLag));
  EXPECT_TRUE(needs_followup(idle, {}));
  EXPECT_TRUE(needs_followup(idle, {SoftLabel::kInsufficientEvidence}));
  EXPECT_TRUE(needs_followup(idle, {SoftLabel::kUntracedHostBlocking}));
  EXPECT_TRUE(needs_followup({Tag::kDeviceIdleGapHeavy, Tag::kWaitPollutionRisk}, kLag));
  EXPECT_FALSE(needs_followup({}, {SoftLabel::kInsufficientEvidence}));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
