// Tests of how reasons of tags read.
#include "report/anomalies/words/reason_words.h"

#include <string>

#include <gtest/gtest.h>

#include "analysis/anomalies/verdict/tag_rules_for_test.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::AnomalyRules;
using analysis::anomalies::JudgedStep;
using analysis::anomalies::kPs;
using analysis::anomalies::ms;
using analysis::anomalies::Tag;
using analysis::anomalies::TagReason;
using analysis::anomalies::us;

struct ReasonWords : testing::Test, JudgedStep {
  std::string reason(Tag tag, AnomalyRules rules = AnomalyRules::kRulebook) const {
    for (const TagReason& one : judged(rules).reasons) {
      if (one.tag == tag) return reason_words(one, thresholds);
    }
    return "";
  }
};

TEST_F(ReasonWords, DeviceIdleFromAnUnderfeedOfThreeTenthsOn) {
  idle(ms(6));
  EXPECT_EQ(reason(Tag::kDeviceIdleGapHeavy), "underfeed ratio 0.300 >= 0.3");
}

TEST_F(ReasonWords, DeviceIdleDoesNotCountArtefactsAndDispatchGaps) {
  idle_with_artefacts();
  EXPECT_EQ(reason(Tag::kDeviceIdleGapHeavy),
            "underfeed ratio without dispatch gaps and artefacts 0.300 >= 0.3");
}

TEST_F(ReasonWords, AHeavyGapIsToldWithItsLimit) {
  internal_gap(ms(2));
  EXPECT_EQ(reason(Tag::kDeviceIdleGapHeavy), "largest internal bubble 2.000 ms >= 2.000 ms");
}

TEST_F(ReasonWords, DeviceIdleNamesAllItsReasons) {
  idle_with_heavy_gaps();
  EXPECT_EQ(reason(Tag::kDeviceIdleGapHeavy),
            "underfeed ratio 0.400 >= 0.3; largest internal bubble 3.000 ms >= 2.000 ms; tail gap "
            "2.000 ms >= 2.000 ms");
  EXPECT_EQ(reason(Tag::kDeviceIdleGapHeavy, AnomalyRules::kScript),
            "underfeed ratio 0.400 >= 0.3");
}

TEST_F(ReasonWords, PrelaunchFromTheHeavyLimitOn) {
  prelaunch_gap(ms(2));
  EXPECT_EQ(reason(Tag::kPrelaunchGapHeavy), "prelaunch gap 2.000 ms >= 2.000 ms");
}

TEST_F(ReasonWords, TailFromTheHeavyLimitOn) {
  tail_gap(ms(2));
  EXPECT_EQ(reason(Tag::kTailGapHeavy), "tail gap 2.000 ms >= 2.000 ms");
}

TEST_F(ReasonWords, RecurringAsTheGroupSays) {
  group.is_recurring = true;
  EXPECT_EQ(reason(Tag::kRecurringBubblePattern),
            "bubbles at the same place in at least 0.6 of the 10 steps of its group");
  group.steps = 1;
  EXPECT_EQ(reason(Tag::kRecurringBubblePattern),
            "bubbles at the same place in at least 0.6 of the 1 step of its group");
}

TEST_F(ReasonWords, HostRiskFromTheseOn) {
  risk_by_host();
  EXPECT_EQ(reason(Tag::kHostOriginatedRisk),
            "underfeed ratio 0.300 >= 0.3, recurring; host coverage of bubbles 0.100 >= 0.1");
}

TEST_F(ReasonWords, UntracedFromHalfOfTheBubbleTimeOn) {
  untraced(ms(2));
  EXPECT_EQ(reason(Tag::kUntracedHostBlockingRisk),
            "underfeed ratio 0.300 >= 0.3; untraced share of bubbles 0.500 >= 0.5");
}

TEST_F(ReasonWords, CommStallWhereCollectivesHardlyMoveData) {
  collectives(ms(10), ms(1) - kPs);
  EXPECT_EQ(reason(Tag::kCommStallMasked),
            "collectives of 10.000 ms move data for 1.000 ms: share 0.100 < 0.1, stall 9.000 ms "
            ">= 2.000 ms");
  step.comm.transit = Time{};
  EXPECT_EQ(reason(Tag::kCommStallMasked),
            "collectives of 10.000 ms move data for 0 ns: share 0.000 < 0.1, stall 10.000 ms >= "
            "2.000 ms, if transit was measured at all");
}

TEST_F(ReasonWords, CollectivesOfUnknownTransitAreLeftOut) {
  collectives(ms(10), ms(1) - kPs, ms(40));
  EXPECT_EQ(reason(Tag::kCommStallMasked),
            "collectives of 10.000 ms move data for 1.000 ms: share 0.100 < 0.1, stall 9.000 ms "
            ">= 2.000 ms");
}

TEST_F(ReasonWords, CommRiskFromItsShareOfBubblesOn) {
  step.bubbles.total = ms(10);
  step.bubbles.comm_labelled = ms(3);
  EXPECT_EQ(reason(Tag::kCommSyncRisk), "communication share of bubbles 0.300 >= 0.3");
}

TEST_F(ReasonWords, WaitTagsAsTheOperatorsSay) {
  step.has_wait_anchor = true;
  EXPECT_EQ(reason(Tag::kWaitAnchorFalseHotspot),
            "an operator has wait ratio > 0.95, mean duration < 10 us and rank <= 10");
}

TEST_F(ReasonWords, AicpuRiskFromOneHundredthOfTheStepOn) {
  step.aicpu.exposed_count = 1;
  step.aicpu.exposed = us(200);
  EXPECT_EQ(reason(Tag::kAicpuExposedRisk), "exposed AI CPU time 200.000 us >= 200.000 us");
}

TEST_F(ReasonWords, AicpuRiskNeedsAnExposedOperatorAndSaysWhenItTouchesABubble) {
  step.aicpu.exposed = ms(1);
  step.aicpu.touches_bubble = true;
  step.aicpu.exposed_count = 1;
  EXPECT_TRUE(reason(Tag::kAicpuExposedRisk).ends_with("it touches a bubble"));
}

TEST_F(ReasonWords, CopiesAreExposedFromTheirLimitOn) {
  step.gaps.exposed_copy = ms(2);
  EXPECT_EQ(reason(Tag::kCopyExposed), "exposed copies 2.000 ms >= 2.000 ms");
}

TEST_F(ReasonWords, OutlierFromItsLimitAboveTheMedianOn) {
  step.outlier_excess = ms(2);
  EXPECT_EQ(reason(Tag::kStepOutlier), "above the median of its group by 2.000 ms >= 2.000 ms");
}

TEST_F(ReasonWords, PartialCaptureWhereTheHeaviestGapTouchesTheEdge) {
  step.bubbles.heaviest = ms(2);
  step.bubbles.heaviest_touches_edge = true;
  EXPECT_EQ(reason(Tag::kPartialCaptureBoundary),
            "gap at the edge of the capture 2.000 ms >= 2.000 ms");
}

TEST_F(ReasonWords, PartialCaptureOfAnEdgeStepWithFewerKernels) {
  step.is_edge = true;
  step.kernels = 89;
  EXPECT_EQ(reason(Tag::kPartialCaptureBoundary),
            "edge step has 89 kernels < 0.9 of the median 100");
  step.kernels = 1;
  group.median_kernels = 2;
  EXPECT_EQ(reason(Tag::kPartialCaptureBoundary), "edge step has 1 kernel < 0.9 of the median 2");
}

TEST_F(ReasonWords, OpaqueGraphFromHalfOfTheIdleTimeOn) {
  idle(ms(5));
  step.opaque_graph_idle = us(2500);
  EXPECT_TRUE(reason(Tag::kGraphReplayOpaque).ends_with("0.500 >= 0.5"));
}

TEST_F(ReasonWords, ProfilerFromAFifthOfHeavyBubblesOn) {
  step.bubbles.total = ms(2);
  step.bubbles.overhead_covered = us(400);
  EXPECT_EQ(reason(Tag::kProfilerOverheadSuspect), "profiler's share of bubbles 0.200 >= 0.2");
}

TEST_F(ReasonWords, ProfilerFromTwentyFramesAKernelOnWhereTheDeviceStarves) {
  idle(ms(6));
  step.python_frames = 2000;
  EXPECT_EQ(reason(Tag::kProfilerOverheadSuspect),
            "20.0 Python frames recorded for each kernel >= 20");
}

TEST_F(ReasonWords, UnrecordedWorkFromAHeavyGapOn) {
  step.unrecorded_idle = ms(2);
  EXPECT_EQ(reason(Tag::kUnrecordedWork), "idle time that is unrecorded work 2.000 ms >= 2.000 ms");
}

TEST_F(ReasonWords, ThresholdsDecide) {
  thresholds.high_underfeed = 0.4;
  idle(ms(8));
  EXPECT_EQ(reason(Tag::kDeviceIdleGapHeavy), "underfeed ratio 0.400 >= 0.4");
}

}  // namespace
}  // namespace lockstep::report::anomalies
