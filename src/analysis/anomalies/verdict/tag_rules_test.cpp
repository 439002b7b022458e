// Each rule: one step that turns it on and one that just does not.
#include "analysis/anomalies/verdict/tag_rules.h"

#include <vector>

#include <gtest/gtest.h>

#include "analysis/anomalies/verdict/tag_rules_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

struct TagRules : testing::Test, JudgedStep {
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

  // The tag is there from `limit` on, and not one picosecond below.
  void expect_from(Time limit, auto& value, Tag tag) {
    value = limit;
    EXPECT_TRUE(has(tag)) << name_of(tag);
    value = limit - kPs;
    EXPECT_FALSE(has(tag)) << name_of(tag);
  }
  void expect_from(Time limit, auto& value, Tag tag, const std::vector<Ground>& because) {
    value = limit;
    EXPECT_EQ(grounds(tag), because) << name_of(tag);
    expect_from(limit, value, tag);
  }
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
  idle_with_heavy_gaps();
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
  idle_with_artefacts();
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
  idle_with_heavy_gaps();
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

struct HostRiskRules : TagRules {
  HostRiskRules() { risk_by_host(); }
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
  expect_from(us(800), step.bubbles.sync_covered, Tag::kHostOriginatedRisk);
}

TEST_F(TagRules, UntracedFromHalfOfTheBubbleTimeOn) {
  untraced(ms(2));
  expect_from(ms(2), step.bubbles.untraced, Tag::kUntracedHostBlockingRisk,
              {Ground::kUnderfeed, Ground::kUntracedShare});
}

TEST_F(TagRules, UntracedByTheHeaviestBubbleIfThatIsHeavy) {
  idle(ms(6));
  step.bubbles.total = ms(6);
  step.bubbles.heaviest = ms(2);
  EXPECT_FALSE(has(Tag::kUntracedHostBlockingRisk));
  step.bubbles.heaviest_is_untraced = true;
  expect_from(ms(2), step.bubbles.heaviest, Tag::kUntracedHostBlockingRisk);
}

TEST_F(TagRules, UntracedNeedsHighUnderfeed) {
  idle(ms(6) - kPs);
  step.bubbles.total = step.bubbles.untraced = step.bubbles.heaviest = ms(4);
  step.bubbles.heaviest_is_untraced = true;
  EXPECT_FALSE(has(Tag::kUntracedHostBlockingRisk));
}

TEST_F(TagRules, CommStallWhereCollectivesHardlyMoveData) {
  collectives(ms(10), ms(1) - kPs);
  EXPECT_EQ(grounds(Tag::kCommStallMasked), (std::vector{Ground::kLittleTransit}));
  step.comm.transit = ms(1);
  EXPECT_FALSE(has(Tag::kCommStallMasked));
  step.comm.transit = Time{};
  EXPECT_EQ(grounds(Tag::kCommStallMasked), (std::vector{Ground::kLittleTransit}));
}

TEST_F(TagRules, CollectivesOfUnknownTransitAreNoCommStall) {
  collectives(ms(10), ms(1), ms(40));
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
  expect_from(ms(2), step.comm.notify_wait, Tag::kCommStallMasked);
}

TEST_F(TagRules, KnownTransitCountsMoreThanNotifications) {
  step.comm.elapsed = step.comm.notify_wait = ms(10);
  step.comm.transit = ms(5);
  EXPECT_FALSE(has(Tag::kCommStallMasked));
}

TEST_F(TagRules, CommRiskFromItsShareOfBubblesOn) {
  step.bubbles.total = ms(10);
  expect_from(ms(3), step.bubbles.comm_labelled, Tag::kCommSyncRisk, {Ground::kCommShare});
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
  expect_from(us(200), step.aicpu.exposed, Tag::kAicpuExposedRisk, {Ground::kExposedAicpu});
}

TEST_F(TagRules, AicpuRiskFromTwentyMicrosecondsOn) {
  step.gaps.service = us(1000);
  step.aicpu.exposed_count = 2;
  expect_from(us(20), step.aicpu.exposed, Tag::kAicpuExposedRisk);
}

TEST_F(TagRules, AicpuRiskNeedsAnExposedOperatorAndSaysWhenItTouchesABubble) {
  step.aicpu.exposed = ms(1);
  step.aicpu.touches_bubble = true;
  EXPECT_FALSE(has(Tag::kAicpuExposedRisk));
  step.aicpu.exposed_count = 1;
  EXPECT_EQ(grounds(Tag::kAicpuExposedRisk).back(), Ground::kTouchesBubble);
}

TEST_F(TagRules, CopiesAreExposedFromTheirLimitOn) {
  expect_from(ms(2), step.gaps.exposed_copy, Tag::kCopyExposed, {Ground::kExposedCopies});
}

TEST_F(TagRules, OutlierFromItsLimitAboveTheMedianOn) {
  expect_from(ms(2), step.outlier_excess, Tag::kStepOutlier, {Ground::kAboveMedian});
}

TEST_F(TagRules, PartialCaptureWhereTheHeaviestGapTouchesTheEdge) {
  step.bubbles.heaviest = ms(2);
  EXPECT_FALSE(has(Tag::kPartialCaptureBoundary));
  step.bubbles.heaviest_touches_edge = true;
  expect_from(ms(2), step.bubbles.heaviest, Tag::kPartialCaptureBoundary, {Ground::kGapAtEdge});
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
  expect_from(us(2500), step.opaque_graph_idle, Tag::kGraphReplayOpaque, {Ground::kOpaqueGraphs});
}

TEST_F(TagRules, OpaqueGraphFromAHeavyGapOn) {
  idle(ms(2));
  expect_from(ms(2), step.opaque_graph_idle, Tag::kGraphReplayOpaque);
}

TEST_F(TagRules, ProfilerFromAFifthOfHeavyBubblesOn) {
  step.bubbles.total = ms(2);
  expect_from(us(400), step.bubbles.overhead_covered, Tag::kProfilerOverheadSuspect,
              {Ground::kProfilerShare});
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
  expect_from(ms(2), step.unrecorded_idle, Tag::kUnrecordedWork, {Ground::kUnrecordedWork});
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
