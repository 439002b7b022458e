// What is advised for each finding, and what for missing evidence.
#include "analysis/anomalies/verdict/recommendations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/steps/steps_for_test.h"
#include "analysis/anomalies/verdict/findings.h"

namespace lockstep::analysis::anomalies {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time us(std::int64_t count) { return TestSteps::us(count); }

// A device with one group, ready for findings written by hand.
struct Advised {
  Advised() {
    steps.test.add(steps.test.host, trace::Kind::kHostOp, "aten::mm", 0, 1);
    steps.test.add(steps.test.host, trace::Kind::kPython, "forward", 0, 1);
    for (int i = 0; i < 3; ++i) steps.add({{.name = "a"}, {.name = "b", .gap = 100}});
    for (DeviceWork& work : steps.device.timeline.kernels) work.launched_by = trace::EventId{0};
    for (Bubble& bubble : steps.device.bubbles) {
      bubble.has_launch = true;
      bubble.host_covered = us(50);
    }
    steps.group();
  }
  Finding& add(FindingKind kind, SoftLabel label = SoftLabel::kSyncOrH2d,
               Priority priority = Priority::kP1) {
    Finding& finding = steps.device.findings.emplace_back();
    finding.kind = kind;
    finding.priority = priority;
    finding.labels = {label};
    finding.bubble = 0;
    finding.scope = BubbleScope::kInternal;
    return finding;
  }
  std::vector<Recommendation> all() {
    return recommend(steps.test.trace, std::span(&steps.device, 1));
  }
  Recommendation first() { return all().at(0); }
  TestSteps steps;
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
  advised.steps.device.bubbles[0].inside_op = trace::EventId{0};
  advised.add(FindingKind::kRecurringStall, SoftLabel::kHostLaunchLag);
  EXPECT_EQ(advised.first().scope, "op");
  EXPECT_THAT(advised.first().targets, ElementsAre("aten::mm"));
  advised.steps.device.bubbles[0].late_stage = LaunchStage::kOperator;
  advised.steps.device.bubbles[0].labels = {SoftLabel::kUntracedHostBlocking};
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
  Finding& finding = advised.add(FindingKind::kStepOutlier, SoftLabel::kCommWait);
  finding.scope.reset();
  finding.bubble.reset();
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
    DeviceWork copy;
    copy.end = us(5);
    copy.name = advised.steps.test.trace.strings.intern(is_inside ? "Memcpy DtoD" : "Memcpy HtoD");
    advised.steps.device.timeline.copies.push_back(copy);
    advised.add(FindingKind::kCopyExposed);
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
  for (int i = 0; i < 6; ++i) {
    StepGroup group;
    group.id = "g" + std::to_string(i);
    if (i > 0) advised.steps.device.groups.push_back(group);
    advised
        .add(FindingKind::kStepOutlier, SoftLabel::kSyncOrH2d,
             i == 4 ? Priority::kP0 : Priority::kP1)
        .group = static_cast<std::uint32_t>(i);
  }
  advised.add(FindingKind::kStepOutlier);  // of g0 once more
  advised.steps.device.bubbles[1].has_launch = false;
  advised.steps.device.findings[3].bubble = 1;
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
  OpRow row;
  row.text = "fill";
  advised.steps.device.ops.rows.push_back(row);
  advised.steps.device.ops.wait_anchors = {0};
  EXPECT_THAT(advised.first().targets, ElementsAre("fill"));
  EXPECT_EQ(advised.first().priority, Priority::kP3);
  advised.steps.device.ops.rows[0].to_device = 3;
  advised.steps.device.ops.rows[0].artefact_wait = 2;
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
  TestSteps steps;
  for (const char* name : {"a", "b", "c", "d"}) steps.add({{.name = name}});
  steps.group();
  const auto all = recommend(steps.test.trace, std::span(&steps.device, 1));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].action, Action::kRecordShapes);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
