// Tests of what people are told first: which findings, how urgent, no fact told twice.
#include "analysis/anomalies/verdict/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/verdict/findings_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

using testing::IsEmpty;

std::vector<Finding> findings_of(TestSteps& steps, const Thresholds& thresholds = {}) {
  steps.conclude(thresholds);
  return steps.device.findings;
}

TEST(Findings, AHealthyTraceHasNone) {
  TestSteps steps = steps_alike(5, planned_step(50, 60));
  EXPECT_THAT(findings_of(steps), IsEmpty());
  EXPECT_FALSE(steps.device.requires_host_followup);
}

TEST(Findings, AnOutlierIsOneFinding) {
  TestSteps steps = steps_starting_late({100, 2000, 100, 100});
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kStepOutlier});
  EXPECT_EQ(findings[0].priority, Priority::kP1);
  EXPECT_EQ(findings[0].step, 1U);
  EXPECT_EQ(findings[0].scope, BubbleScope::kPrelaunch);
  EXPECT_EQ(findings[0].cost, us(1900).ps);
}

TEST(Findings, ACollectiveThatRunsLongInOneStepIsToldAsAPossibleWait) {
  TestSteps steps = steps_with_a_long_collective();
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kStepOutlier});
  EXPECT_EQ(findings[0].priority, Priority::kP1);
  EXPECT_EQ(findings[0].step, 1U);
  EXPECT_EQ(findings[0].scope, std::nullopt);
  EXPECT_EQ(findings[0].bubble, std::nullopt);
  EXPECT_EQ(findings[0].labels, SoftLabels{SoftLabel::kCommWait});
}

TEST(Findings, ACollectiveOfTheStepBeforeMayBeTheLongest) {
  TestSteps steps = steps_with_a_late_collective();
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kStepOutlier});
  EXPECT_EQ(findings[0].step, 2U);
}

TEST(Findings, AnOutlierOfHalfItsStepIsUrgent) {
  TestSteps steps = steps_starting_late({0, 4000, 0});
  EXPECT_EQ(findings_of(steps).front().priority, Priority::kP0);
}

TEST(Findings, AStallOfMostStepsIsOneFindingWithItsHeavyPart) {
  TestSteps steps = steps_stalling({40, 5000, 6000, 5500, 9000});
  const std::vector<Finding> findings = findings_of(steps);
  // The step with 9 ms stands out too, and is told once.
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kRecurringStall});
  EXPECT_TRUE(steps.device.steps[4].facts.outlier_excess >= us(3000));
  EXPECT_EQ(findings[0].priority, Priority::kP0);
  EXPECT_EQ(findings[0].cost, us(25'500).ps);
}

TEST(Findings, AStallOfATenthIsLessUrgentThanOneOfAThird) {
  TestSteps steps = steps_alike(3, planned_step(0, 1000));  // 1 of 5 ms
  EXPECT_EQ(findings_of(steps).front().priority, Priority::kP1);
}

TEST(Findings, HeavyGapsOfStepsWithoutPeersAreToldByScope) {
  TestSteps steps;
  steps.add(planned_step(0, 2000), 1500);
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings),
            (std::vector{FindingKind::kHeavyBubble, FindingKind::kHeavyBubble}));
  EXPECT_EQ(findings[0].scope, BubbleScope::kInternal);
  EXPECT_EQ(findings[0].priority, Priority::kP1);
  EXPECT_EQ(findings[1].scope, BubbleScope::kTail);
}

TEST(Findings, SeveralHeavyGapsOfAGroupAreOneFinding) {
  TestSteps steps = step_with_heavy_gaps();
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].cost, us(5000).ps);
  EXPECT_EQ(steps.device.bubbles[*findings[0].bubble].length(), us(3000));
}

TEST(Findings, AHeavyGapAtTheEdgeOfTheCaptureIsNoAlarm) {
  TestSteps steps = step_at_the_edge();
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].priority, Priority::kP3);
}

TEST(Findings, AHeavyGapOfAShortStepIsLittleOfTheWhole) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) {
    auto kernels = planned_step(0, 0);
    kernels[0].duration = 60'000;
    steps.add(kernels);
  }
  steps.add({{.name = "x"}, {.name = "y", .gap = 1100}});
  EXPECT_EQ(findings_of(steps).front().priority, Priority::kP3);
}

TEST(Findings, AGapThatIsMostlyACopyIsNoHeavyBubble) {
  TestSteps steps;
  steps.add(planned_step(0, 2000)).tags = {Tag::kCopyExposed};
  steps.device.bubbles.front().copied = us(1900);
  steps.device.steps.front().facts.gaps.exposed_copy = us(1900);
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kCopyExposed});
  EXPECT_EQ(findings[0].priority, Priority::kP1);
  EXPECT_EQ(findings[0].cost, us(1900).ps);
}

TEST(Findings, ACopyThatMakesAnOutlierIsToldAsThat) {
  TestSteps steps = steps_stalling({0, 4000, 0});
  for (const std::size_t s : {0U, 1U}) steps.device.steps[s].tags = {Tag::kCopyExposed};
  steps.device.steps[0].facts.gaps.exposed_copy = us(1000);
  steps.device.steps[1].facts.gaps.exposed_copy = us(3900);
  steps.device.bubbles.front().copied = us(3900);
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings),
            (std::vector{FindingKind::kStepOutlier, FindingKind::kCopyExposed}));
  EXPECT_EQ(findings[1].cost, us(1000).ps);
}

TEST(Findings, ManyShortGapsAreOneFindingOfTheGroup) {
  TestSteps steps = steps_alike(10, many_kernels(30));
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kLaunchBound});
  EXPECT_EQ(findings[0].priority, Priority::kP2);
  EXPECT_EQ(findings[0].cost, us(30'000).ps);
}

TEST(Findings, GapsAtTheEdgeAndHeavyOnesAreNoShortGaps) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) {
    auto kernels = many_kernels(30);
    kernels[0].gap = 2000;
    steps.add(kernels, 2000);
  }
  WideTime heavy = 0;
  for (Bubble& bubble : steps.device.bubbles) {
    if (bubble.scope == BubbleScope::kInternal) continue;
    bubble.has_launch = true;
    bubble.queued_part = bubble.length();
    bubble.touches_edge = bubble.scope == BubbleScope::kTail;
    if (bubble.touches_edge)
      steps.device.steps[bubble.step].facts.gaps.artefact_idle = bubble.length();
    heavy += bubble.length().ps;
  }
  EXPECT_EQ(heavy, us(12'000).ps);
  const std::vector<Finding> findings = findings_of(steps);
  const auto found = std::ranges::find(findings, FindingKind::kLaunchBound, &Finding::kind);
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->cost, us(3 * 99 * 30).ps);
}

TEST(Findings, ShortGapsOfAThirdAreWorthKnowing) {
  TestSteps steps = steps_alike(3, many_kernels(5));
  EXPECT_EQ(findings_of(steps).front().priority, Priority::kP3);
}

TEST(Findings, ShortGapsBelowTheLimitAreNone) {
  TestSteps steps = steps_alike(3, many_kernels(4));  // 4 of 14 us
  EXPECT_THAT(findings_of(steps), IsEmpty());
}

TEST(Findings, ShortGapsWhoseKernelsWereLaunchedInTimeAreNoLaunchBound) {
  TestSteps steps = steps_alike(3, many_kernels(30));
  launch_in_time(steps);
  EXPECT_EQ(kinds_of(findings_of(steps)), std::vector{FindingKind::kStarved});
}

TEST(Findings, WhatAStallExplainsIsNoLaunchBound) {
  TestSteps steps = steps_alike(3, planned_step(0, 9000));
  EXPECT_EQ(kinds_of(findings_of(steps)), std::vector{FindingKind::kRecurringStall});
}

TEST(Findings, DispatchGapsAreNoLaunchBound) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) {
    AnomalyStep& one = steps.add(many_kernels(9));
    one.facts.gaps.dispatch_total = one.facts.gaps.internal_total;
  }
  EXPECT_THAT(findings_of(steps), IsEmpty());
}

TEST(Findings, GapsOfMillisecondsAreNoLaunchBoundEvenWhereNoneIsHeavy) {
  TestSteps steps = step_with_gaps_of_milliseconds();
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kHeavyBubble});
  EXPECT_EQ(findings[0].priority, Priority::kP1);
}

TEST(Findings, CollectivesThatOnlyWaitAreTold) {
  TestSteps steps = step_with_waiting_collectives(100);
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kCommStall});
  EXPECT_EQ(findings[0].priority, Priority::kP1);
  EXPECT_EQ(findings[0].cost, us(1900).ps);
}

TEST(Findings, CollectivesThatWaitInFewStepsAreNot) {
  TestSteps steps = steps_alike(5, planned_step(0, 0));
  for (int i = 0; i < 2; ++i) steps.device.steps[i].tags = {Tag::kCommStallMasked};
  EXPECT_THAT(findings_of(steps), IsEmpty());
}

TEST(Findings, CollectivesOfUnknownTransitAreNotCountedAsWaiting) {
  TestSteps steps = step_with_unmeasured_collectives();
  const std::vector<Finding> findings = findings_of(steps);
  EXPECT_EQ(findings[0].cost, us(1900).ps);
}

TEST(Findings, CollectivesThatWaitBehindOtherKernelsHarmLittle) {
  TestSteps steps = step_with_waiting_collectives(100);
  GapMetrics& gaps = steps.device.steps.front().facts.gaps;
  gaps.computing = gaps.device_busy - us(949);
  const Finding hidden = findings_of(steps).front();
  EXPECT_EQ(hidden.priority, Priority::kP3);
  EXPECT_EQ(hidden.cost, us(949).ps);
  gaps.computing = gaps.device_busy - us(950);
  EXPECT_EQ(findings_of(steps).front().priority, Priority::kP1);
}

TEST(Findings, CollectivesThatMoveNothingMayNotHaveBeenMeasured) {
  TestSteps steps = step_with_waiting_collectives(0);
  const std::vector<Finding> findings = findings_of(steps);
  EXPECT_EQ(findings[0].priority, Priority::kP2);
}

TEST(Findings, ExposedAiCpuOperatorsAreNamed) {
  TestSteps steps = step_with_exposed_aicpu();
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kAicpuExposed});
  EXPECT_EQ(findings[0].cost, us(300).ps);
}

TEST(Findings, ArtefactsOfOneTagAreOne) {
  TestSteps steps = step_with_unrecorded_work();
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kArtefact});
  EXPECT_EQ(findings[0].priority, Priority::kP3);
  EXPECT_THAT(steps.device.causes, IsEmpty());
  EXPECT_EQ(findings[0].step, 0U);
  steps.device.artefacts.push_back({Tag::kUnrecordedWork, 0, us(9500), 0});
  const std::vector<Finding> both = findings_of(steps);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].cost, us(18'500).ps);
  EXPECT_EQ(std::get<ArtefactSum>(both[0].detail).longest, 1U);
  EXPECT_EQ(std::get<ArtefactSum>(both[0].detail).gaps, 2U);
  EXPECT_EQ(both[0].step, 0U);
}

TEST(Findings, AreAsUrgentAsThresholdsSay) {
  const auto urgency = [](double Thresholds::* share, double value, std::int64_t last) {
    TestSteps steps;
    for (int i = 0; i < 3; ++i) steps.add(planned_step(0, last));
    Thresholds thresholds;
    thresholds.*share = value;
    return findings_of(steps, thresholds).front().priority;
  };
  EXPECT_EQ(urgency(&Thresholds::urgent_stall, 0.5, 4000), Priority::kP0);
  EXPECT_EQ(urgency(&Thresholds::urgent_stall, 0.51, 4000), Priority::kP1);
  EXPECT_EQ(urgency(&Thresholds::worthy_stall, 0.2, 1000), Priority::kP1);
  EXPECT_EQ(urgency(&Thresholds::worthy_stall, 0.21, 1000), Priority::kP2);
}

TEST(Findings, AGapAtTheEdgeOfTheCaptureHidesNoOther) {
  TestSteps steps;
  steps.add(planned_step(3000, 0));
  steps.add(planned_step(2000, 0));
  steps.device.bubbles.front().touches_edge = true;
  const std::vector<Finding> findings = findings_of(steps);
  ASSERT_EQ(kinds_of(findings),
            (std::vector{FindingKind::kHeavyBubble, FindingKind::kHeavyBubble}));
  EXPECT_EQ(findings[0].step, 1U);
  EXPECT_EQ(findings[0].priority, Priority::kP1);
  EXPECT_EQ(findings[1].step, 0U);
  EXPECT_EQ(findings[1].priority, Priority::kP3);
}

TEST(Findings, TheMostUrgentComesFirst) {
  TestSteps steps;
  for (int i = 0; i < 10; ++i) {
    auto kernels = many_kernels(30);
    if (i == 4) kernels[50].gap = 3000;
    steps.add(kernels);
  }
  EXPECT_EQ(kinds_of(findings_of(steps)),
            (std::vector{FindingKind::kStepOutlier, FindingKind::kLaunchBound}));
}

TEST(Findings, ManyGroupsOfOneStepAreNotToldOneByOne) {
  TestSteps steps = steps_without_peers(30);
  const std::vector<Finding> findings = findings_of(steps);
  EXPECT_EQ(findings.size(), 10U);
}

TEST(Findings, UnexplainedHeavyGapsNeedALookAtTheHost) {
  for (const SoftLabel label : {SoftLabel::kUntracedHostBlocking, SoftLabel::kSyncOrH2d}) {
    TestSteps steps;
    for (const std::int64_t gap : {0, 4000, 0}) steps.add(planned_step(gap, 0));
    for (Bubble& bubble : steps.device.bubbles) bubble.labels = {label};
    steps.conclude();
    EXPECT_EQ(steps.device.requires_host_followup, label == SoftLabel::kUntracedHostBlocking);
  }
}

TEST(Findings, HaveNames) {
  EXPECT_EQ(name_of(FindingKind::kStepOutlier), "step_outlier");
  EXPECT_EQ(name_of(FindingKind::kRecurringStall), "recurring_stall");
  EXPECT_EQ(name_of(FindingKind::kHeavyBubble), "heavy_bubble");
  EXPECT_EQ(name_of(FindingKind::kLaunchBound), "launch_bound");
  EXPECT_EQ(name_of(FindingKind::kCommStall), "comm_stall");
  EXPECT_EQ(name_of(FindingKind::kCopyExposed), "copy_exposed");
  EXPECT_EQ(name_of(FindingKind::kAicpuExposed), "aicpu_exposed");
  EXPECT_EQ(name_of(FindingKind::kArtefact), "artefact");
  EXPECT_EQ(name_of(FindingKind::kStarved), "starved");
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
