// Each rule: one step that turns it on and one that just does not.
#include "analysis/anomalies/verdict/tag_rules.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::analysis::anomalies {
namespace {

constexpr Time kPs{1};
constexpr Time ms(std::int64_t count) { return {count * 1'000'000'000}; }
constexpr Time us(std::int64_t count) { return {count * 1'000'000}; }

// A step of 20 ms of a group of ten, with nothing to say of it. Heavy begins at 2 ms.
struct TagRules : testing::Test {
  TagRules() {
    step.gaps.service = ms(20);
    step.gaps.device_busy = step.gaps.any_busy = step.gaps.computing = ms(20);
    step.kernels = 100;
    group.steps = 10;
    group.median_kernels = 100;
  }

  Verdict judged(AnomalyRules rules = AnomalyRules::kRulebook) const {
    return judge_step(step, group, thresholds, rules);
  }
  bool has(Tag tag) const { return judged().tags.has(tag); }
  bool script_has(Tag tag) const { return judged(AnomalyRules::kScript).tags.has(tag); }
  std::vector<Ground> grounds(Tag tag, AnomalyRules rules = AnomalyRules::kRulebook) const {
    std::vector<Ground> found;
    for (const TagReason& one : judged(rules).reasons) {
      if (one.tag != tag) continue;
      for (const TagGround& ground : one.grounds) found.push_back(ground.ground);
    }
    return found;
  }

  void idle(Time time) { step.gaps.underfeed = time; }
  void internal_gap(Time gap) {
    step.gaps.largest_internal = step.gaps.judged_largest_internal = gap;
  }
  void prelaunch_gap(Time gap) { step.gaps.prelaunch = step.gaps.judged_prelaunch = gap; }
  void tail_gap(Time gap) { step.gaps.tail = step.gaps.judged_tail = gap; }

  StepFacts step;
  GroupFacts group;
  Thresholds thresholds;
};

TEST_F(TagRules, AHealthyStepHasNoTags) {
  EXPECT_TRUE(judged().tags.empty());
  EXPECT_TRUE(judged().reasons.empty());
  EXPECT_TRUE(judged(AnomalyRules::kScript).tags.empty());
}

TEST_F(TagRules, AStepWithoutLengthHasNoTags) {
  step = {};
  group = {};
  EXPECT_TRUE(judged().tags.empty());
  EXPECT_TRUE(judged(AnomalyRules::kScript).tags.empty());
}

TEST_F(TagRules, LimitsOfZeroDoNotTagWhatIsNotThere) {
  for (const ThresholdField& field : threshold_fields()) thresholds.*(field.value) = 0;
  step.comm.transit = Time{};
  EXPECT_TRUE(judged().tags.empty());
  idle(kPs);
  EXPECT_EQ(judged().tags, Tags{Tag::kDeviceIdleGapHeavy});
}

TEST_F(TagRules, ReasonsAreOneATagInTheOrderOfTheTags) {
  idle(ms(8));
  internal_gap(ms(3));
  tail_gap(ms(2));
  step.unrecorded_idle = ms(2);
  const Verdict verdict = judged();
  ASSERT_EQ(static_cast<int>(verdict.reasons.size()), verdict.tags.size());
  for (std::size_t i = 1; i < verdict.reasons.size(); ++i) {
    EXPECT_LT(verdict.reasons[i - 1].tag, verdict.reasons[i].tag);
  }
  for (const TagReason& one : verdict.reasons) EXPECT_TRUE(verdict.tags.has(one.tag));
}

TEST_F(TagRules, DeviceIdleFromAnUnderfeedOfThreeTenthsOn) {
  idle(ms(6));
  EXPECT_EQ(grounds(Tag::kDeviceIdleGapHeavy), (std::vector{Ground::kUnderfeed}));
  EXPECT_TRUE(script_has(Tag::kDeviceIdleGapHeavy));
  idle(ms(6) - kPs);
  EXPECT_FALSE(has(Tag::kDeviceIdleGapHeavy));
  EXPECT_FALSE(script_has(Tag::kDeviceIdleGapHeavy));
}

TEST_F(TagRules, DeviceIdleDoesNotCountArtefactsAndDispatchGaps) {
  idle(ms(8));
  step.gaps.artefact_idle = ms(1);
  step.gaps.dispatch_total = ms(1);
  EXPECT_EQ(grounds(Tag::kDeviceIdleGapHeavy), (std::vector{Ground::kJudgedUnderfeed}));
  step.gaps.dispatch_total = ms(1) + kPs;
  EXPECT_FALSE(has(Tag::kDeviceIdleGapHeavy));
  EXPECT_TRUE(script_has(Tag::kDeviceIdleGapHeavy));
}

TEST_F(TagRules, DeviceIdleByAnyHeavyGapButNotForTheScript) {
  internal_gap(ms(2));
  EXPECT_EQ(grounds(Tag::kDeviceIdleGapHeavy), (std::vector{Ground::kInternalBubble}));
  EXPECT_FALSE(script_has(Tag::kDeviceIdleGapHeavy));
  internal_gap(ms(2) - kPs);
  EXPECT_FALSE(has(Tag::kDeviceIdleGapHeavy));
  prelaunch_gap(ms(2));
  EXPECT_TRUE(has(Tag::kDeviceIdleGapHeavy));
  prelaunch_gap(ms(2) - kPs);
  EXPECT_FALSE(has(Tag::kDeviceIdleGapHeavy));
  tail_gap(ms(2));
  EXPECT_TRUE(has(Tag::kDeviceIdleGapHeavy));
}

TEST_F(TagRules, DeviceIdleNamesAllItsReasons) {
  idle(ms(8));
  internal_gap(ms(3));
  tail_gap(ms(2));
  EXPECT_EQ(grounds(Tag::kDeviceIdleGapHeavy),
            (std::vector{Ground::kUnderfeed, Ground::kInternalBubble, Ground::kTailGap}));
  EXPECT_EQ(grounds(Tag::kDeviceIdleGapHeavy, AnomalyRules::kScript),
            (std::vector{Ground::kUnderfeed}));
}

TEST_F(TagRules, PrelaunchFromTheHeavyLimitOn) {
  prelaunch_gap(ms(2));
  EXPECT_EQ(grounds(Tag::kPrelaunchGapHeavy), (std::vector{Ground::kPrelaunchGap}));
  EXPECT_TRUE(script_has(Tag::kPrelaunchGapHeavy));
  prelaunch_gap(ms(2) - kPs);
  EXPECT_FALSE(has(Tag::kPrelaunchGapHeavy));
  EXPECT_FALSE(script_has(Tag::kPrelaunchGapHeavy));
}

TEST_F(TagRules, TailFromTheHeavyLimitOn) {
  tail_gap(ms(2));
  EXPECT_EQ(grounds(Tag::kTailGapHeavy), (std::vector{Ground::kTailGap}));
  tail_gap(ms(2) - kPs);
  EXPECT_FALSE(has(Tag::kTailGapHeavy));
}

TEST_F(TagRules, InternalBubbleFromTheHeavyLimitOn) {
  internal_gap(ms(2));
  EXPECT_TRUE(has(Tag::kInternalBubbleHeavy));
  internal_gap(ms(2) - kPs);
  EXPECT_FALSE(has(Tag::kInternalBubbleHeavy));
}

TEST_F(TagRules, InternalBubblesAreNotHeavyTogether) {
  step.gaps.internal_total = ms(5);
  internal_gap(ms(1));
  EXPECT_FALSE(has(Tag::kInternalBubbleHeavy));
}

TEST_F(TagRules, InAShortStepAGapIsHeavyFromOneMillisecondOn) {
  step.gaps.service = ms(5);
  internal_gap(ms(1));
  EXPECT_TRUE(has(Tag::kInternalBubbleHeavy));
  internal_gap(ms(1) - kPs);
  EXPECT_FALSE(has(Tag::kInternalBubbleHeavy));
}

TEST_F(TagRules, GapsThatAreArtefactsAreHeavyForTheScriptOnly) {
  step.gaps.prelaunch = step.gaps.tail = step.gaps.largest_internal = ms(2);
  for (const Tag tag : {Tag::kPrelaunchGapHeavy, Tag::kTailGapHeavy, Tag::kInternalBubbleHeavy}) {
    EXPECT_FALSE(has(tag)) << name_of(tag);
    EXPECT_TRUE(script_has(tag)) << name_of(tag);
  }
  EXPECT_FALSE(has(Tag::kDeviceIdleGapHeavy));
}

TEST_F(TagRules, RecurringAsTheGroupSays) {
  group.is_recurring = true;
  EXPECT_EQ(grounds(Tag::kRecurringBubblePattern), (std::vector{Ground::kBubblesRecur}));
}

// High underfeed, recurring, of the host, covered: only all four together are a risk.
struct HostRiskRules : TagRules {
  HostRiskRules() {
    idle(ms(6));
    group.is_recurring = true;
    step.bubbles.total = ms(4);
    step.bubbles.host_part = ms(2);
    step.bubbles.queued_part = ms(2);
    step.bubbles.host_covered = us(400);
  }
};

TEST_F(HostRiskRules, HostRiskFromTheseOn) {
  EXPECT_EQ(grounds(Tag::kHostOriginatedRisk),
            (std::vector{Ground::kUnderfeed, Ground::kRecurring, Ground::kHostCoverage}));
}

TEST_F(HostRiskRules, NoHostRiskWithoutHighUnderfeed) {
  idle(ms(6) - kPs);
  EXPECT_FALSE(has(Tag::kHostOriginatedRisk));
}

TEST_F(HostRiskRules, NoHostRiskOfArtefacts) {
  step.gaps.artefact_idle = kPs;
  EXPECT_FALSE(has(Tag::kHostOriginatedRisk));
}

TEST_F(HostRiskRules, NoHostRiskOfWhatDoesNotRecur) {
  group.is_recurring = false;
  EXPECT_FALSE(has(Tag::kHostOriginatedRisk));
}

TEST_F(HostRiskRules, NoHostRiskOfQueuedBubbles) {
  step.bubbles.host_part = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kHostOriginatedRisk));
  step.bubbles.host_part = {};
  EXPECT_FALSE(has(Tag::kHostOriginatedRisk));
}

TEST_F(HostRiskRules, HostRiskWhereTheFileDoesNotSayWhoLaunched) {
  step.bubbles.host_part = step.bubbles.queued_part = {};
  EXPECT_TRUE(has(Tag::kHostOriginatedRisk));
}

TEST_F(HostRiskRules, HostRiskByCoverageOrBySync) {
  step.bubbles.host_covered = us(400) - kPs;
  EXPECT_FALSE(has(Tag::kHostOriginatedRisk));
  step.bubbles.sync_covered = us(800);
  EXPECT_TRUE(has(Tag::kHostOriginatedRisk));
  step.bubbles.sync_covered = us(800) - kPs;
  EXPECT_FALSE(has(Tag::kHostOriginatedRisk));
}

TEST_F(TagRules, UntracedFromHalfOfTheBubbleTimeOn) {
  idle(ms(6));
  step.bubbles.total = ms(4);
  step.bubbles.untraced = ms(2);
  EXPECT_EQ(grounds(Tag::kUntracedHostBlockingRisk),
            (std::vector{Ground::kUnderfeed, Ground::kUntracedShare}));
  step.bubbles.untraced = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kUntracedHostBlockingRisk));
}

TEST_F(TagRules, UntracedByTheHeaviestBubbleIfThatIsHeavy) {
  idle(ms(6));
  step.bubbles.total = ms(6);
  step.bubbles.heaviest = ms(2);
  EXPECT_FALSE(has(Tag::kUntracedHostBlockingRisk));
  step.bubbles.heaviest_is_untraced = true;
  EXPECT_TRUE(has(Tag::kUntracedHostBlockingRisk));
  step.bubbles.heaviest = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kUntracedHostBlockingRisk));
}

TEST_F(TagRules, UntracedNeedsHighUnderfeed) {
  idle(ms(6) - kPs);
  step.bubbles.total = step.bubbles.untraced = step.bubbles.heaviest = ms(4);
  step.bubbles.heaviest_is_untraced = true;
  EXPECT_FALSE(has(Tag::kUntracedHostBlockingRisk));
}

TEST_F(TagRules, CommStallWhereCollectivesHardlyMoveData) {
  step.comm.elapsed = ms(10);
  step.comm.transit = ms(1) - kPs;
  EXPECT_EQ(grounds(Tag::kCommStallMasked), (std::vector{Ground::kLittleTransit}));
  step.comm.transit = ms(1);
  EXPECT_FALSE(has(Tag::kCommStallMasked));
  step.comm.transit = Time{};
  EXPECT_EQ(grounds(Tag::kCommStallMasked), (std::vector{Ground::kLittleTransit}));
}

TEST_F(TagRules, CollectivesOfUnknownTransitAreNoCommStall) {
  step.comm.elapsed = ms(50);
  step.comm.unmeasured = ms(40);
  step.comm.transit = ms(1);
  EXPECT_FALSE(has(Tag::kCommStallMasked));
  step.comm.transit = ms(1) - kPs;
  EXPECT_EQ(grounds(Tag::kCommStallMasked), (std::vector{Ground::kLittleTransit}));
}

TEST_F(TagRules, CommStallFromItsLimitOn) {
  step.comm.elapsed = ms(2);
  step.comm.transit = Time{};
  EXPECT_TRUE(has(Tag::kCommStallMasked));
  step.comm.elapsed = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kCommStallMasked));
}

TEST_F(TagRules, CommStallByNotificationsWhereTransitIsUnknown) {
  step.comm.elapsed = ms(10);
  step.comm.notify_wait = ms(5) + kPs;
  EXPECT_TRUE(has(Tag::kCommStallMasked));
  step.comm.notify_wait = ms(5);
  EXPECT_FALSE(has(Tag::kCommStallMasked));
}

TEST_F(TagRules, CommStallByNotificationsFromItsLimitOn) {
  step.comm.elapsed = ms(3);
  step.comm.notify_wait = ms(2);
  EXPECT_TRUE(has(Tag::kCommStallMasked));
  step.comm.notify_wait = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kCommStallMasked));
}

TEST_F(TagRules, KnownTransitCountsMoreThanNotifications) {
  step.comm.elapsed = step.comm.notify_wait = ms(10);
  step.comm.transit = ms(5);
  EXPECT_FALSE(has(Tag::kCommStallMasked));
}

TEST_F(TagRules, CommRiskFromItsShareOfBubblesOn) {
  step.bubbles.total = ms(10);
  step.bubbles.comm_labelled = ms(3);
  EXPECT_EQ(grounds(Tag::kCommSyncRisk), (std::vector{Ground::kCommShare}));
  step.bubbles.comm_labelled = ms(3) - kPs;
  EXPECT_FALSE(has(Tag::kCommSyncRisk));
}

TEST_F(TagRules, CommRiskOfAStall) {
  step.comm.elapsed = ms(10);
  step.comm.transit = Time{};
  EXPECT_TRUE(has(Tag::kCommSyncRisk));
}

TEST_F(TagRules, WaitTagsAsTheOperatorsSay) {
  step.has_wait_pollution = true;
  EXPECT_EQ(judged().tags, Tags{Tag::kWaitPollutionRisk});
  step.has_wait_pollution = false;
  step.has_wait_anchor = true;
  EXPECT_EQ(judged().tags, Tags{Tag::kWaitAnchorFalseHotspot});
  EXPECT_EQ(grounds(Tag::kWaitAnchorFalseHotspot), (std::vector{Ground::kWaitAnchor}));
}

TEST_F(TagRules, AicpuRiskFromOneHundredthOfTheStepOn) {
  step.aicpu.exposed_count = 1;
  step.aicpu.exposed = us(200);
  EXPECT_EQ(grounds(Tag::kAicpuExposedRisk), (std::vector{Ground::kExposedAicpu}));
  step.aicpu.exposed = us(200) - kPs;
  EXPECT_FALSE(has(Tag::kAicpuExposedRisk));
}

TEST_F(TagRules, AicpuRiskFromTwentyMicrosecondsOn) {
  step.gaps.service = us(1000);
  step.aicpu.exposed_count = 2;
  step.aicpu.exposed = us(20);
  EXPECT_TRUE(has(Tag::kAicpuExposedRisk));
  step.aicpu.exposed = us(20) - kPs;
  EXPECT_FALSE(has(Tag::kAicpuExposedRisk));
}

TEST_F(TagRules, AicpuRiskNeedsAnExposedOperatorAndSaysWhenItTouchesABubble) {
  step.aicpu.exposed = ms(1);
  step.aicpu.touches_bubble = true;
  EXPECT_FALSE(has(Tag::kAicpuExposedRisk));
  step.aicpu.exposed_count = 1;
  EXPECT_EQ(grounds(Tag::kAicpuExposedRisk).back(), Ground::kTouchesBubble);
}

TEST_F(TagRules, CopiesAreExposedFromTheirLimitOn) {
  step.gaps.exposed_copy = ms(2);
  EXPECT_EQ(grounds(Tag::kCopyExposed), (std::vector{Ground::kExposedCopies}));
  step.gaps.exposed_copy = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kCopyExposed));
}

TEST_F(TagRules, OutlierFromItsLimitAboveTheMedianOn) {
  step.outlier_excess = ms(2);
  EXPECT_EQ(grounds(Tag::kStepOutlier), (std::vector{Ground::kAboveMedian}));
  step.outlier_excess = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kStepOutlier));
}

TEST_F(TagRules, PartialCaptureWhereTheHeaviestGapTouchesTheEdge) {
  step.bubbles.heaviest = ms(2);
  EXPECT_FALSE(has(Tag::kPartialCaptureBoundary));
  step.bubbles.heaviest_touches_edge = true;
  EXPECT_EQ(grounds(Tag::kPartialCaptureBoundary), (std::vector{Ground::kGapAtEdge}));
  step.bubbles.heaviest = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kPartialCaptureBoundary));
}

TEST_F(TagRules, PartialCaptureOfAnEdgeStepWithFewerKernels) {
  step.is_edge = true;
  step.kernels = 89;
  EXPECT_EQ(grounds(Tag::kPartialCaptureBoundary), (std::vector{Ground::kFewKernels}));
  step.kernels = 90;
  EXPECT_FALSE(has(Tag::kPartialCaptureBoundary));
  step.kernels = 50;
  EXPECT_TRUE(has(Tag::kPartialCaptureBoundary));
  step.kernels = 49;
  EXPECT_FALSE(has(Tag::kPartialCaptureBoundary));
  step.is_edge = false;
  step.kernels = 89;
  EXPECT_FALSE(has(Tag::kPartialCaptureBoundary));
}

TEST_F(TagRules, VariableShapeAsTheGroupSays) {
  group.has_two_shapes = true;
  EXPECT_EQ(judged().tags, Tags{Tag::kVariableShapeSameTemplate});
}

TEST_F(TagRules, OpaqueGraphFromHalfOfTheIdleTimeOn) {
  idle(ms(5));
  step.opaque_graph_idle = us(2500);
  EXPECT_EQ(grounds(Tag::kGraphReplayOpaque), (std::vector{Ground::kOpaqueGraphs}));
  step.opaque_graph_idle = us(2500) - kPs;
  EXPECT_FALSE(has(Tag::kGraphReplayOpaque));
}

TEST_F(TagRules, OpaqueGraphFromAHeavyGapOn) {
  idle(ms(2));
  step.opaque_graph_idle = ms(2);
  EXPECT_TRUE(has(Tag::kGraphReplayOpaque));
  step.opaque_graph_idle = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kGraphReplayOpaque));
}

TEST_F(TagRules, ProfilerFromAFifthOfHeavyBubblesOn) {
  step.bubbles.total = ms(2);
  step.bubbles.overhead_covered = us(400);
  EXPECT_EQ(grounds(Tag::kProfilerOverheadSuspect), (std::vector{Ground::kProfilerShare}));
  step.bubbles.overhead_covered = us(400) - kPs;
  EXPECT_FALSE(has(Tag::kProfilerOverheadSuspect));
  step.bubbles.overhead_covered = ms(1);
  step.bubbles.total = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kProfilerOverheadSuspect));
}

TEST_F(TagRules, ProfilerFromTwentyFramesAKernelOnWhereTheDeviceStarves) {
  idle(ms(6));
  step.python_frames = 2000;
  EXPECT_EQ(grounds(Tag::kProfilerOverheadSuspect), (std::vector{Ground::kManyFrames}));
  step.python_frames = 1999;
  EXPECT_FALSE(has(Tag::kProfilerOverheadSuspect));
  step.python_frames = 2000;
  idle(ms(6) - kPs);
  EXPECT_FALSE(has(Tag::kProfilerOverheadSuspect));
}

TEST_F(TagRules, FramesOfAStepWithoutKernelsSayNothing) {
  idle(ms(20));
  step.kernels = 0;
  step.python_frames = 2000;
  EXPECT_FALSE(has(Tag::kProfilerOverheadSuspect));
}

TEST_F(TagRules, UnrecordedWorkFromAHeavyGapOn) {
  step.unrecorded_idle = ms(2);
  EXPECT_EQ(grounds(Tag::kUnrecordedWork), (std::vector{Ground::kUnrecordedWork}));
  step.unrecorded_idle = ms(2) - kPs;
  EXPECT_FALSE(has(Tag::kUnrecordedWork));
}

TEST_F(TagRules, ThresholdsDecide) {
  thresholds.high_underfeed = 0.4;
  idle(ms(6));
  EXPECT_FALSE(has(Tag::kDeviceIdleGapHeavy));
  idle(ms(8));
  EXPECT_EQ(grounds(Tag::kDeviceIdleGapHeavy), (std::vector{Ground::kUnderfeed}));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
