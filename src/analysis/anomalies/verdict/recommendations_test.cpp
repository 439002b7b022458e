// What is advised for each finding, and what for missing evidence.
#include "analysis/anomalies/verdict/recommendations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/verdict/recommendations_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Advised : AdvisedDevice {
  std::vector<Recommendation> all() { return recommendations_of(steps); }
  Recommendation first() { return all().at(0); }
};

TEST(Recommendations, AHealthyTraceNeedsNone) { EXPECT_THAT(Advised().all(), IsEmpty()); }

TEST(Recommendations, FollowTheLabelOfAGap) {
  const std::vector<std::pair<SoftLabel, Action>> actions = {
      {SoftLabel::kSyncOrH2d, Action::kAvoidSyncOrCopy},
      {SoftLabel::kCommWait, Action::kCompareRanks},
      {SoftLabel::kUntracedHostBlocking, Action::kFindHostBlock},
      {SoftLabel::kHostLaunchLag, Action::kShortenLaunchPath},
      {SoftLabel::kPythonSerializationOrLock, Action::kFreeLaunchThread},
      {SoftLabel::kInsufficientEvidence, Action::kRecordHost}};
  for (const auto& [label, action] : actions) {
    Advised advised;
    advised.add(FindingKind::kStepOutlier, label);
    const Recommendation one = advised.first();
    EXPECT_EQ(one.priority, Priority::kP1);
    EXPECT_EQ(one.scope, "step_group");
    EXPECT_THAT(one.targets, ElementsAre("g0"));
    EXPECT_EQ(one.action, action);
    const bool is_open =
        label == SoftLabel::kUntracedHostBlocking || label == SoftLabel::kInsufficientEvidence;
    EXPECT_EQ(one.followup_required, is_open);
    EXPECT_EQ(one.unknown.has_value(), is_open);
  }
}

TEST(Recommendations, NameTheOperatorOfARecurringStall) {
  Advised advised;
  advised.add_stall_in_operator();
  EXPECT_EQ(advised.first().scope, "op");
  EXPECT_THAT(advised.first().targets, ElementsAre("aten::mm"));
  advised.block_in_operator();
  EXPECT_EQ(advised.first().action, Action::kLookIntoOperator);
  EXPECT_EQ(advised.first().op, "aten::mm");
}

TEST(Recommendations, AnUnknownLaunchIsAGapOfEvidence) {
  Advised advised;
  advised.steps.device.bubbles[0].has_launch = false;
  advised.add(FindingKind::kStepOutlier);
  EXPECT_EQ(advised.first().unknown, Unknown::kLaunchOfNext);
}

TEST(Recommendations, ACopyThatMakesAnOutlierIsAboutCopies) {
  Advised advised;
  advised.add(FindingKind::kStepOutlier, SoftLabel::kHostLaunchLag).scope.reset();
  EXPECT_EQ(advised.first().action, Action::kAvoidSyncOrCopy);
}

TEST(Recommendations, ACollectiveThatMakesAnOutlierIsAboutThePeer) {
  Advised advised;
  advised.add_long_collective();
  EXPECT_EQ(advised.first().action, Action::kFindLatePeer);
  EXPECT_EQ(advised.first().unknown, Unknown::kLateRank);
  advised.steps.test.add_rank(1);
  EXPECT_FALSE(advised.first().unknown);
}

TEST(Recommendations, TheEdgeOfTheCaptureIsNotTheHosts) {
  Advised advised;
  advised.steps.device.bubbles[0].touches_edge = true;
  advised.add(FindingKind::kHeavyBubble, SoftLabel::kUntracedHostBlocking, Priority::kP3);
  EXPECT_EQ(advised.first().action, Action::kWidenCapture);
  EXPECT_EQ(advised.first().scope, "global");
}

TEST(Recommendations, OfStarvedDevicesCommunicationAndArtefacts) {
  const std::vector<std::pair<FindingKind, Action>> actions = {
      {FindingKind::kLaunchBound, Action::kLaunchLess},
      {FindingKind::kStarved, Action::kLookAtStreams},
      {FindingKind::kCommStall, Action::kFindLateRank},
      {FindingKind::kArtefact, Action::kRecordMissingWork}};
  for (const auto& [kind, action] : actions) {
    Advised advised;
    advised.add(kind);
    EXPECT_EQ(advised.first().action, action);
  }
}

TEST(Recommendations, OneRankAloneDoesNotTellWhoIsLate) {
  Advised advised;
  advised.add(FindingKind::kCommStall);
  EXPECT_TRUE(advised.first().followup_required);
  advised.steps.test.add_rank(1);
  EXPECT_FALSE(advised.first().followup_required);
}

TEST(Recommendations, CollectivesWithoutTransitWaitOnlyIfItWasMeasured) {
  for (const Priority priority : {Priority::kP1, Priority::kP2}) {
    Advised advised;
    advised.add(FindingKind::kCommStall, SoftLabel::kCommWait, priority);
    EXPECT_EQ(advised.first().action,
              priority == Priority::kP1 ? Action::kFindLateRank : Action::kFindLateRankIfMeasured);
  }
}

TEST(Recommendations, CopiesOnTheDeviceNeedNoPinnedMemory) {
  for (const bool is_inside : {true, false}) {
    Advised advised;
    advised.add_exposed_copy(is_inside ? "Memcpy DtoD" : "Memcpy HtoD");
    EXPECT_EQ(advised.first().action,
              is_inside ? Action::kDropDeviceCopies : Action::kAvoidSyncOrCopy);
  }
}

TEST(Recommendations, NameExposedAiCpuOperators) {
  Advised advised;
  AicpuRow row;
  row.kernel = 1;
  advised.steps.device.ops.aicpu = {row, row};
  row.kernel = 0;
  row.aicpu = AicpuClass::kMasked;
  advised.steps.device.ops.aicpu.push_back(row);
  advised.add(FindingKind::kAicpuExposed);
  ASSERT_EQ(advised.all().size(), 1U);
  EXPECT_EQ(advised.first().scope, "op");
  EXPECT_THAT(advised.first().targets, ElementsAre("b"));
}

TEST(Recommendations, TheSameAdviceForSeveralTargetsIsOne) {
  Advised advised;
  advised.add_outliers_of_six_groups();
  ASSERT_EQ(advised.all().size(), 1U);
  EXPECT_THAT(advised.first().targets, ElementsAre("g0", "g1", "g2", "g3", "g4", "g5"));
  EXPECT_EQ(advised.first().unknown, Unknown::kLaunchOfNext);
  EXPECT_TRUE(advised.first().followup_required);
  EXPECT_EQ(advised.first().priority, Priority::kP0);
}

TEST(Recommendations, TheMostUrgentComesFirst) {
  Advised advised;
  advised.add(FindingKind::kLaunchBound, SoftLabel::kHostLaunchLag, Priority::kP2);
  advised.add(FindingKind::kStepOutlier, SoftLabel::kSyncOrH2d, Priority::kP0);
  EXPECT_EQ(advised.first().priority, Priority::kP0);
}

TEST(Recommendations, GapsBetweenStructuresAreTheHostsWayThroughThem) {
  Advised advised;
  StructureBreakdown structure;
  structure.evidence = StructureEvidence::kLoop;
  structure.bubbles_between = 2;
  structure.bubbles_inside = 1;
  advised.steps.device.structures = {structure};
  EXPECT_THAT(advised.all(), IsEmpty());
  advised.steps.device.groups[0].dominant_tags = {Tag::kDeviceIdleGapHeavy};
  EXPECT_EQ(advised.first().scope, "structure");
  advised.steps.device.structures[0].bubbles_inside = 2;
  EXPECT_THAT(advised.all(), IsEmpty());
}

TEST(Recommendations, WaitAnchorsAndPollutedWaitsAreNoHotspots) {
  Advised advised;
  advised.add_wait_anchor("fill");
  EXPECT_THAT(advised.first().targets, ElementsAre("fill"));
  EXPECT_EQ(advised.first().priority, Priority::kP3);
  advised.pollute_wait_anchor();
  EXPECT_THAT(advised.all(), IsEmpty());
  advised.steps.device.groups[0].dominant_tags = {Tag::kWaitPollutionRisk};
  EXPECT_EQ(advised.first().action, Action::kCheckCommunication);
}

TEST(Recommendations, SmallKernelsMatterWhereTheHostIsTheLimit) {
  Advised advised;
  advised.steps.device.ops.small.matters = true;
  EXPECT_THAT(advised.all(), IsEmpty());
  advised.add(FindingKind::kLaunchBound, SoftLabel::kHostLaunchLag, Priority::kP2);
  ASSERT_EQ(advised.all().size(), 2U);
  EXPECT_EQ(advised.all()[1].scope, "side");
  EXPECT_EQ(advised.all()[1].action, Action::kFuseSmallKernels);
}

TEST(Recommendations, OpenFindingsAskForStacksAndSamples) {
  Advised advised;
  advised.steps.device.requires_host_followup = true;
  EXPECT_THAT(advised.all(), IsEmpty());  // all was recorded
  advised.steps.test.trace.events.kind[1] = trace::Kind::kAnnotation;
  EXPECT_EQ(advised.first().action, Action::kRecordStacks);
  EXPECT_TRUE(advised.first().followup_required);
  for (Bubble& bubble : advised.steps.device.bubbles) bubble.host_covered = {};
  ASSERT_EQ(advised.all().size(), 2U);
  EXPECT_EQ(advised.all()[1].action, Action::kSampleThreads);
}

TEST(Recommendations, StepsThatAllDifferAskForShapes) {
  const TestSteps steps = steps_that_all_differ();
  const auto all = recommendations_of(steps);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].action, Action::kRecordShapes);
}

TEST(Recommendations, StepsThatAreTooFewMayAllDiffer) {
  const TestSteps steps = steps_that_all_differ();
  Thresholds thresholds;
  ASSERT_TRUE(set_threshold(thresholds, "unstable_steps", 5));
  EXPECT_THAT(recommendations_of(steps, thresholds), IsEmpty());
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
