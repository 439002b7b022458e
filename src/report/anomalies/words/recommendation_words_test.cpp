// Tests of how advice reads.
#include "report/anomalies/words/recommendation_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/verdict/recommendations_for_test.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::AdvisedDevice;
using analysis::anomalies::Bubble;
using analysis::anomalies::FindingKind;
using analysis::anomalies::Priority;
using analysis::anomalies::Recommendation;
using analysis::anomalies::recommendations_of;
using analysis::anomalies::SoftLabel;
using analysis::anomalies::steps_that_all_differ;
using analysis::anomalies::Tag;
using analysis::anomalies::TestSteps;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<RecommendationWords> told(const TestSteps& steps) {
  std::vector<RecommendationWords> words;
  for (const Recommendation& one : recommendations_of(steps))
    words.push_back(recommendation_words(steps.test.trace, one));
  return words;
}

struct Advised : AdvisedDevice {
  std::vector<RecommendationWords> all() { return told(steps); }
  RecommendationWords first() { return all().at(0); }
};

TEST(RecommendationWords, FollowTheLabelOfAGap) {
  const std::vector<std::pair<SoftLabel, const char*>> actions = {
      {SoftLabel::kSyncOrH2d, "pinned memory"},
      {SoftLabel::kCommWait, "Compare the ranks"},
      {SoftLabel::kUntracedHostBlocking, "Find what blocks the host"},
      {SoftLabel::kHostLaunchLag, "Shorten the host's way"},
      {SoftLabel::kPythonSerializationOrLock, "Take Python work off"},
      {SoftLabel::kInsufficientEvidence, "Record host operators"}};
  for (const auto& [label, action] : actions) {
    Advised advised;
    advised.add(FindingKind::kStepOutlier, label);
    const RecommendationWords one = advised.first();
    EXPECT_THAT(one.action, HasSubstr(action));
    const bool is_open =
        label == SoftLabel::kUntracedHostBlocking || label == SoftLabel::kInsufficientEvidence;
    EXPECT_EQ(one.evidence_gap.empty(), !is_open);
  }
}

TEST(RecommendationWords, NameTheOperatorOfARecurringStall) {
  Advised advised;
  advised.add_stall_in_operator();
  advised.block_in_operator();
  EXPECT_THAT(advised.first().action, HasSubstr("Look into aten::mm on the host"));
}

TEST(RecommendationWords, AnUnknownLaunchIsAGapOfEvidence) {
  Advised advised;
  advised.steps.device.bubbles[0].has_launch = false;
  advised.add(FindingKind::kStepOutlier);
  EXPECT_EQ(advised.first().evidence_gap, "Who launched the next kernel is not known.");
}

TEST(RecommendationWords, ACopyThatMakesAnOutlierIsAboutCopies) {
  Advised advised;
  advised.add(FindingKind::kStepOutlier, SoftLabel::kHostLaunchLag).scope.reset();
  EXPECT_THAT(advised.first().action, HasSubstr("pinned memory"));
}

TEST(RecommendationWords, ACollectiveThatMakesAnOutlierIsAboutThePeer) {
  Advised advised;
  advised.add_long_collective();
  EXPECT_THAT(advised.first().action, HasSubstr("the rank that enters the collective last"));
  EXPECT_THAT(advised.first().evidence_gap, HasSubstr("Only one rank was given"));
  advised.steps.test.add_rank(1);
  EXPECT_THAT(advised.first().evidence_gap, IsEmpty());
}

TEST(RecommendationWords, TheEdgeOfTheCaptureIsNotTheHosts) {
  Advised advised;
  advised.steps.device.bubbles[0].touches_edge = true;
  advised.add(FindingKind::kHeavyBubble, SoftLabel::kUntracedHostBlocking, Priority::kP3);
  EXPECT_THAT(advised.first().action, HasSubstr("Begin the capture earlier"));
}

TEST(RecommendationWords, LaunchBoundDependsOnTheStack) {
  const std::vector<std::pair<const char*, const char*>> actions = {{"kineto", "torch.compile"},
                                                                    {"ascend_text", "aclgraph"},
                                                                    {"xspace", "one jit"},
                                                                    {"nsys", "fused kernels"}};
  for (const auto& [format, action] : actions) {
    Advised advised;
    advised.steps.test.trace.ranks[0].format = format;
    advised.add(FindingKind::kLaunchBound, SoftLabel::kHostLaunchLag, Priority::kP2);
    EXPECT_THAT(advised.first().action, HasSubstr(action));
  }
}

TEST(RecommendationWords, OfStarvedDevicesCommunicationAndArtefacts) {
  const std::vector<std::pair<FindingKind, const char*>> actions = {
      {FindingKind::kStarved, "dependencies between streams"},
      {FindingKind::kCommStall, "find the rank that comes last"},
      {FindingKind::kArtefact, "Do not read the idle share as idleness"}};
  for (const auto& [kind, action] : actions) {
    Advised advised;
    advised.add(kind);
    EXPECT_THAT(advised.first().action, HasSubstr(action));
  }
}

TEST(RecommendationWords, CollectivesWithoutTransitWaitOnlyIfItWasMeasured) {
  for (const Priority priority : {Priority::kP1, Priority::kP2}) {
    Advised advised;
    advised.add(FindingKind::kCommStall, SoftLabel::kCommWait, priority);
    EXPECT_THAT(advised.first().action,
                StartsWith(priority == Priority::kP1 ? "The collectives wait" : "If transit was"));
  }
}

TEST(RecommendationWords, CopiesOnTheDeviceNeedNoPinnedMemory) {
  for (const bool is_inside : {true, false}) {
    Advised advised;
    advised.add_exposed_copy(is_inside ? "Memcpy DtoD" : "Memcpy HtoD");
    EXPECT_THAT(advised.first().action, HasSubstr(is_inside ? "views" : "pinned memory"));
  }
}

TEST(RecommendationWords, TheSameAdviceForSeveralTargetsIsOne) {
  Advised advised;
  advised.add_outliers_of_six_groups();
  ASSERT_EQ(advised.all().size(), 1U);
  EXPECT_EQ(advised.first().target, "g0, g1, g2 and 3 more");
  EXPECT_EQ(advised.first().evidence_gap, "Who launched the next kernel is not known.");
}

TEST(RecommendationWords, WaitAnchorsAndPollutedWaitsAreNoHotspots) {
  Advised advised;
  advised.add_wait_anchor("fill");
  advised.pollute_wait_anchor();
  advised.steps.device.groups[0].dominant_tags = {Tag::kWaitPollutionRisk};
  EXPECT_THAT(advised.first().action, HasSubstr("inside communication"));
}

TEST(RecommendationWords, SmallKernelsMatterWhereTheHostIsTheLimit) {
  Advised advised;
  advised.steps.device.ops.small.matters = true;
  advised.add(FindingKind::kLaunchBound, SoftLabel::kHostLaunchLag, Priority::kP2);
  ASSERT_EQ(advised.all().size(), 2U);
  EXPECT_THAT(advised.all()[1].action, HasSubstr("0 of 0 kernels cost 0 ns of launch gaps"));
  advised.steps.device.ops.small.count = 1;
  advised.steps.device.ops.small.all = 6;
  EXPECT_THAT(advised.all()[1].action, HasSubstr("1 of 6 kernels costs 0 ns of launch gaps"));
}

TEST(RecommendationWords, OpenFindingsAskForStacksAndSamples) {
  Advised advised;
  advised.steps.device.requires_host_followup = true;
  advised.steps.test.trace.events.kind[1] = trace::Kind::kAnnotation;
  EXPECT_THAT(advised.first().action, HasSubstr("with_stack=True"));
  for (Bubble& bubble : advised.steps.device.bubbles) bubble.host_covered = {};
  ASSERT_EQ(advised.all().size(), 2U);
  EXPECT_THAT(advised.all()[1].action, HasSubstr("Sample the host's threads"));
}

TEST(RecommendationWords, StepsThatAllDifferAskForShapes) {
  const TestSteps steps = steps_that_all_differ();
  const auto all = told(steps);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].action, HasSubstr("record_shapes=True"));
}

}  // namespace
}  // namespace lockstep::report::anomalies
