// Tests of how sure a label is, and of the five answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/verdict/causes_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

using testing::ElementsAre;

TEST(Causes, AreSureFromFourFifthsOfTheGapTimeOn) {
  TwoGaps sure(SoftLabel::kSyncOrH2d, 400, 100);
  EXPECT_EQ(sure.leading().label, SoftLabel::kSyncOrH2d);
  EXPECT_EQ(sure.leading().confidence, Confidence::kHigh);
  EXPECT_EQ(sure.leading().scope, "group");
  EXPECT_EQ(sure.leading().target, "g0");
  EXPECT_EQ(sure.leading().bubble_time, us(400).ps);
  EXPECT_EQ(sure.steps.device.confidence, Confidence::kHigh);
  TwoGaps less(SoftLabel::kSyncOrH2d, 399, 101);
  EXPECT_EQ(less.leading().confidence, Confidence::kMedium);
}

TEST(Causes, AreSureWhereWaitingCallsCoverHalfOfTheGaps) {
  for (const SoftLabel label : {SoftLabel::kSyncOrH2d, SoftLabel::kCommWait}) {
    TwoGaps gaps(label, 400, 100);
    Bubble& bubble = gaps.steps.device.bubbles[0];
    (label == SoftLabel::kSyncOrH2d ? bubble.sync_covered : bubble.comm_covered) = us(200);
    EXPECT_EQ(gaps.leading().confidence, Confidence::kHigh);
    (label == SoftLabel::kSyncOrH2d ? bubble.sync_covered : bubble.comm_covered) =
        us(200) - Time{1};
    EXPECT_EQ(gaps.leading().confidence, Confidence::kMedium);
  }
}

TEST(Causes, AreUnsureBelowHalfOfTheGapTime) {
  TwoGaps half(SoftLabel::kSyncOrH2d, 250, 250);
  EXPECT_EQ(half.leading().confidence, Confidence::kMedium);
  TwoGaps less(SoftLabel::kSyncOrH2d, 240, 260);
  less.leading();
  EXPECT_EQ(less.steps.device.causes[1].label, SoftLabel::kSyncOrH2d);
  EXPECT_EQ(less.steps.device.causes[1].confidence, Confidence::kLow);
}

TEST(Causes, OfLessThanATenthAreLeftOut) {
  TwoGaps gaps(SoftLabel::kSyncOrH2d, 40, 961);
  gaps.leading();
  EXPECT_EQ(gaps.steps.device.causes.size(), 1U);
}

TEST(Causes, AreNeverSureWithoutLaunches) {
  TwoGaps gaps(SoftLabel::kSyncOrH2d, 500, 10);
  for (Bubble& bubble : gaps.steps.device.bubbles) bubble.has_launch = false;
  EXPECT_EQ(gaps.leading().confidence, Confidence::kMedium);
}

TEST(Causes, BlameTheHostsCodeSurelyOnlyWithPythonFrames) {
  TwoGaps gaps(SoftLabel::kHostLaunchLag, 500, 10);
  EXPECT_EQ(gaps.leading().confidence, Confidence::kHigh);
  gaps.steps.device.steps.front().facts.python_frames = 0;
  EXPECT_EQ(gaps.leading().confidence, Confidence::kMedium);
}

TEST(Causes, InsufficientEvidenceIsNeverSure) {
  TwoGaps gaps(SoftLabel::kInsufficientEvidence, 500, 10);
  EXPECT_EQ(gaps.leading().confidence, Confidence::kLow);
}

TEST(Causes, OfTheDeviceComeFirstWhereItHasSeveralGroups) {
  TestSteps steps = steps_starting_late({100});
  steps.add({{.name = "x"}, {.name = "y", .gap = 50}});
  steps.conclude();
  ASSERT_EQ(steps.device.causes.size(), 3U);
  EXPECT_EQ(steps.device.causes[0].scope, "global");
  EXPECT_EQ(steps.device.causes[1].target, "g0");
  EXPECT_EQ(steps.device.causes[2].target, "g1");
}

TEST(Causes, AStepThatStandsOutHasItsOwn) {
  TestSteps steps = steps_starting_late({20, 4000, 20});
  steps.device.bubbles[1].labels = {SoftLabel::kUntracedHostBlocking};
  steps.conclude();
  EXPECT_EQ(steps.device.causes.back().scope, "step");
  EXPECT_EQ(steps.device.causes.back().target, "1");
  EXPECT_EQ(steps.device.causes.back().label, SoftLabel::kUntracedHostBlocking);
}

TEST(Causes, CarryTheirEvidence) {
  TwoGaps gaps(SoftLabel::kSyncOrH2d, 400, 100);
  gaps.synchronise_in_an_operator();
  const CauseEvidence evidence = gaps.leading().evidence;
  EXPECT_EQ(evidence.all, us(500).ps);
  EXPECT_EQ(evidence.launch_known, us(400).ps);
  EXPECT_EQ(evidence.host_part, us(400).ps);
  EXPECT_EQ(evidence.sync_covered, us(300).ps);
  ASSERT_EQ(evidence.ops.size(), 1U);
  EXPECT_EQ(evidence.ops[0].name, "aten::item");
  EXPECT_EQ(evidence.ops[0].time, us(400).ps);
}

TEST(Answers, ToWhetherThereAreGaps) {
  const auto verdict = [](const std::vector<PlannedKernel>& kernels) {
    TestSteps steps;
    steps.add(kernels);
    steps.conclude();
    return steps.device.answers.idle;
  };
  EXPECT_EQ(verdict(planned_step(4, 0)), IdleVerdict::kNone);
  EXPECT_EQ(verdict(planned_step(50, 0)), IdleVerdict::kSmall);
  EXPECT_EQ(verdict(planned_step(4000, 0)), IdleVerdict::kHeavy);
  EXPECT_EQ(verdict(many_kernels(30)), IdleVerdict::kHigh);
  TestSteps nothing;
  nothing.conclude();
  EXPECT_EQ(nothing.device.answers.idle, IdleVerdict::kNothingKnown);
}

TEST(Answers, ToWhetherTheHostIsARisk) {
  const auto verdict = [](std::int64_t gap, bool is_late) {
    TestSteps steps = steps_starting_late({gap});
    is_late ? launch_late(steps) : launch_in_time(steps);
    steps.conclude();
    return steps.device.answers.host;
  };
  EXPECT_EQ(verdict(4, true), HostVerdict::kNoGaps);
  EXPECT_EQ(verdict(50, true), HostVerdict::kHardly);
  EXPECT_EQ(verdict(4000, true), HostVerdict::kYes);
  EXPECT_EQ(verdict(4000, false), HostVerdict::kNo);
  TestSteps unknown = steps_starting_late({50});
  unknown.conclude();
  EXPECT_EQ(unknown.device.answers.host, HostVerdict::kUnknown);
}

TEST(Answers, CountTheStepsThatStandOut) {
  TestSteps steps = steps_starting_late({100, 4000, 100});
  steps.conclude();
  EXPECT_THAT(steps.device.answers.outliers, ElementsAre(1U));
  EXPECT_EQ(steps.device.answers.count, 3U);
  EXPECT_EQ(steps.device.answers.heavy, 1U);
  EXPECT_EQ(steps.device.answers.group_bubbles, us(4200).ps);
  EXPECT_EQ(steps.device.answers.idle_by_scope.at(BubbleScope::kPrelaunch), us(4200).ps);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
