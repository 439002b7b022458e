// Idle time that is none, and sums over what is.
#include "analysis/anomalies/evidence/artefacts.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/evidence/step_evidence.h"
#include "analysis/anomalies/timeline/times_for_test.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::int64_t kMs = 1'000'000;  // nanoseconds

// A step of 20 ms; a kernel until 1 ms, a bubble until 11 ms, a kernel until 20 ms.
class ArtefactsTest : public testing::Test {
 protected:
  ArtefactsTest() : stream_(test_.add_stream(test_.add_device("0"), "7")), steps_(1), bubbles_(1) {
    call_ = test_.add(test_.host, trace::Kind::kRuntimeCall, "hipLaunchKernel", kMs / 2, kMs / 10);
    test_.add(stream_, trace::Kind::kKernel, "before", 0, kMs);
    kernel_ = test_.add(stream_, trace::Kind::kKernel, "after", 11 * kMs, 9 * kMs);
    test_.trace.flows.push_back({call_, kernel_, trace::Flow::Kind::kLaunch, {}});
    steps_[0].end = ms(20);
    steps_[0].kernels = {0, 1};
    GapMetrics& gaps = facts_.gaps;
    gaps.service = ms(20);
    gaps.underfeed = ms(10);
    gaps.internal_total = ms(10);
    gaps.largest_internal = ms(10);
    Bubble& bubble = bubbles_[0];
    bubble.start = ms(1);
    bubble.end = ms(11);
    bubble.kernel_before = 0;
    bubble.kernel_after = 1;
    bubble.has_launch = true;
    bubble.launch_call = call_;
    bubble.queued_part = ms(8);
    bubble.host_part = ms(2);
    bubble.sync_covered = ms(5);
    bubble.labels = {SoftLabel::kSyncOrH2d};
  }

  // The marks of the bubbles and what follows for their step.
  std::vector<Artefact> mark() {
    const std::vector<Gap> gaps(bubbles_.begin(), bubbles_.end());
    const std::vector<HostCoverage> hosts(bubbles_.begin(), bubbles_.end());
    const std::vector<LaunchSplit> launches(bubbles_.begin(), bubbles_.end());
    const FoundArtefacts found =
        find_artefacts(DeviceIndex(test_.trace), device_timelines(test_.trace).front(),
                       Thresholds(), steps_, gaps, hosts, launches);
    for (std::size_t i = 0; i < bubbles_.size(); ++i)
      static_cast<ArtefactMark&>(bubbles_[i]) = found.marks[i];
    const MeasuredGaps measured = facts_.gaps;
    const StepArtefacts step =
        judge_gaps(std::span(&measured, 1), found.opaque_dispatch, bubbles_).front();
    static_cast<JudgedGaps&>(facts_.gaps) = step.judged;
    facts_.opaque_graph_idle = step.opaque_graph_idle;
    facts_.unrecorded_idle = step.unrecorded_idle;
    return list_artefacts(bubbles_);
  }
  Bubble& bubble() { return bubbles_[0]; }
  StepFacts& facts() { return facts_; }

  trace::TestTrace test_;
  trace::TrackId stream_;
  trace::EventId call_ = trace::kNoEvent;
  trace::EventId kernel_ = trace::kNoEvent;
  std::vector<StepFrame> steps_;
  StepFacts facts_;
  std::vector<Bubble> bubbles_;
};

TEST_F(ArtefactsTest, AWaitingHostOverAnEmptyDeviceIsUnrecordedWork) {
  const std::vector<Artefact> artefacts = mark();
  ASSERT_EQ(artefacts.size(), 1U);
  EXPECT_EQ(artefacts[0].tag, Tag::kUnrecordedWork);
  EXPECT_EQ(artefacts[0].idle, ms(10));
  EXPECT_EQ(artefacts[0].bubble, 0U);
  EXPECT_EQ(facts().unrecorded_idle, ms(10));
  EXPECT_EQ(facts().gaps.artefact_idle, ms(10));
  EXPECT_EQ(facts().gaps.judged_largest_internal, ms(0));
}

TEST_F(ArtefactsTest, AHostThatIsLateIsNoArtefact) {
  bubble().queued_part = ms(8) - Time{1};
  EXPECT_TRUE(mark().empty());
  EXPECT_EQ(facts().gaps.judged_largest_internal, ms(10));
  EXPECT_EQ(facts().gaps.artefact_idle, ms(0));
}

TEST_F(ArtefactsTest, AHostThatDoesNotWaitIsNoArtefact) {
  bubble().sync_covered = ms(5) - Time{1};
  EXPECT_TRUE(mark().empty());
}

TEST_F(ArtefactsTest, ACopyInItIsWhatItWaitsFor) {
  bubble().copied = ms(5);
  EXPECT_TRUE(mark().empty());
}

TEST_F(ArtefactsTest, AShortCopyInItExplainsNothing) {
  bubble().copied = ms(5) - Time{1};
  EXPECT_EQ(mark().size(), 1U);
}

TEST_F(ArtefactsTest, WithoutKnownLaunchesNothingIsClaimed) {
  bubble().has_launch = false;
  EXPECT_TRUE(mark().empty());
}

TEST_F(ArtefactsTest, ShortGapsOfQueuedKernelsAreOrdinary) {
  bubble().end = bubble().start + ms(2) - Time{1};
  bubble().queued_part = bubble().length();
  bubble().sync_covered = bubble().length();
  EXPECT_TRUE(mark().empty());
}

TEST_F(ArtefactsTest, AtTheEndOfTheCaptureTheWaitAloneTells) {
  bubble().kernel_after = kNoKernel;
  bubble().has_launch = false;
  const std::vector<Artefact> artefacts = mark();
  ASSERT_EQ(artefacts.size(), 1U);
  EXPECT_EQ(artefacts[0].bubble, 0U);
}

TEST_F(ArtefactsTest, AGraphThatShowsNoKernelsIsOpaque) {
  test_.add(test_.host, trace::Kind::kRuntimeCall, "hipGraphLaunch", kMs * 9 / 10, kMs / 20);
  bubble().sync_covered = ms(0);
  const std::vector<Artefact> artefacts = mark();
  ASSERT_EQ(artefacts.size(), 1U);
  EXPECT_EQ(artefacts[0].tag, Tag::kGraphReplayOpaque);
  EXPECT_EQ(facts().opaque_graph_idle, ms(10));
}

TEST_F(ArtefactsTest, ACopyBehindAnOpaqueGraphIsNoLaunch) {
  test_.add(test_.host, trace::Kind::kRuntimeCall, "hipGraphLaunch", kMs * 8 / 10, kMs / 20);
  test_.add(test_.host, trace::Kind::kRuntimeCall, "hipMemcpyAsync", kMs * 9 / 10, kMs / 20);
  ASSERT_EQ(mark().size(), 1U);
  EXPECT_TRUE(bubble().is_opaque);
  test_.add(test_.host, trace::Kind::kRuntimeCall, "hipLaunchKernel", kMs * 19 / 20, kMs / 20);
  ASSERT_EQ(mark().size(), 1U);
  EXPECT_FALSE(bubble().is_opaque);
  EXPECT_TRUE(bubble().is_unrecorded);
}

TEST_F(ArtefactsTest, AHostThatWaitsForAnOpaqueGraphIsNotLate) {
  test_.add(test_.host, trace::Kind::kRuntimeCall, "hipGraphLaunch", kMs * 9 / 10, kMs / 20);
  bubble().queued_part = {};
  bubble().host_part = ms(10);
  const std::vector<Artefact> artefacts = mark();
  ASSERT_EQ(artefacts.size(), 1U);
  EXPECT_EQ(artefacts[0].tag, Tag::kGraphReplayOpaque);
  EXPECT_EQ(facts().unrecorded_idle, ms(0));
  bubble().sync_covered = ms(5) - Time{1};
  EXPECT_TRUE(mark().empty());
}

TEST_F(ArtefactsTest, AnOpaqueGraphThatNobodyWaitsForExplainsNoTail) {
  test_.add(test_.host, trace::Kind::kRuntimeCall, "hipGraphLaunch", kMs * 9 / 10, kMs / 20);
  bubble().kernel_after = kNoKernel;
  bubble().has_launch = false;
  bubble().scope = BubbleScope::kTail;
  ASSERT_EQ(mark().size(), 1U);
  EXPECT_TRUE(bubble().is_opaque);
  bubble().sync_covered = ms(5) - Time{1};
  EXPECT_TRUE(mark().empty());
}

TEST_F(ArtefactsTest, AGraphOnAnotherDeviceIsNotOpaque) {
  const trace::EventId graph =
      test_.add(test_.host, trace::Kind::kRuntimeCall, "hipGraphLaunch", kMs * 9 / 10, kMs / 20);
  const trace::TrackId other = test_.add_stream(test_.add_device("1"), "7");
  const trace::EventId work = test_.add(other, trace::Kind::kKernel, "attention", 2 * kMs, kMs);
  test_.trace.flows.push_back({graph, work, trace::Flow::Kind::kLaunch, {}});
  bubble().sync_covered = ms(0);
  EXPECT_TRUE(mark().empty());
}

TEST_F(ArtefactsTest, ALaunchOnAnotherDeviceDoesNotEndAnOpaqueGraph) {
  test_.add(test_.host, trace::Kind::kRuntimeCall, "hipGraphLaunch", kMs * 8 / 10, kMs / 20);
  const trace::EventId call =
      test_.add(test_.host, trace::Kind::kRuntimeCall, "hipLaunchKernel", kMs * 9 / 10, kMs / 20);
  const trace::TrackId other = test_.add_stream(test_.add_device("1"), "7");
  const trace::EventId work = test_.add(other, trace::Kind::kKernel, "attention", 2 * kMs, kMs);
  test_.trace.flows.push_back({call, work, trace::Flow::Kind::kLaunch, {}});
  bubble().sync_covered = ms(0);
  ASSERT_EQ(mark().size(), 1U);
  EXPECT_TRUE(bubble().is_opaque);
}

TEST_F(ArtefactsTest, AGraphThatShowsItsKernelsIsNotOpaque) {
  const trace::EventId graph =
      test_.add(test_.host, trace::Kind::kRuntimeCall, "hipGraphLaunch", kMs * 9 / 10, kMs / 20);
  for (const std::string_view name : {"a", "b", "c"}) {
    const trace::EventId work = test_.add(stream_, trace::Kind::kKernel, name, 21 * kMs, kMs);
    test_.trace.flows.push_back({graph, work, trace::Flow::Kind::kLaunch, {}});
  }
  bubble().sync_covered = ms(0);
  EXPECT_TRUE(mark().empty());
}

TEST_F(ArtefactsTest, GapsInsideAnOpaqueGraphAreItsIdleTime) {
  const trace::EventId graph =
      test_.add(test_.host, trace::Kind::kRuntimeCall, "aclmdlRIExecuteAsync", 0, 5);
  for (std::int64_t i = 0; i < 3; ++i) {
    const trace::EventId work =
        test_.add(stream_, trace::Kind::kKernel, "attention", (30 + 4 * i) * kMs, kMs, 9);
    test_.trace.flows.push_back({graph, work, trace::Flow::Kind::kLaunch, {}});
  }
  bubbles_.clear();
  steps_[0].kernels = {0, 1, 2, 3, 4};
  mark();
  EXPECT_EQ(facts().opaque_graph_idle, ms(6));
}

TEST_F(ArtefactsTest, GapsAtTheEdgeAreNotJudged) {
  bubble().touches_edge = true;
  bubble().scope = BubbleScope::kPrelaunch;
  bubble().sync_covered = ms(0);
  facts().gaps.prelaunch = ms(10);
  EXPECT_TRUE(mark().empty());
  EXPECT_EQ(facts().gaps.judged_prelaunch, ms(0));
  EXPECT_EQ(facts().gaps.artefact_idle, ms(10));
}

TEST_F(ArtefactsTest, TheTailReachesToTheNextStep) {
  facts().gaps.tail = ms(9);
  facts().gaps.inter_step = ms(4);
  bubble().scope = BubbleScope::kInterStep;
  bubble().end = bubble().start + ms(4);
  bubble().sync_covered = ms(0);
  mark();
  EXPECT_EQ(facts().gaps.judged_tail, ms(9));
}

TEST_F(ArtefactsTest, SumsLeaveArtefactsAndEdgesOut) {
  Bubble other = bubble();
  other.start = ms(12);
  other.end = ms(15);
  other.host_part = ms(3);
  other.queued_part = ms(0);
  other.labels = {SoftLabel::kUntracedHostBlocking};
  Bubble edge = other;
  edge.touches_edge = true;
  edge.end = ms(16);
  bubbles_.push_back(other);
  bubbles_.push_back(edge);
  bubble().is_unrecorded = true;
  const StepBubbles step = sum_up_bubbles(bubbles_, Thresholds(), steps_).front();
  const BubbleEvidence& sum = step.evidence;
  EXPECT_EQ(sum.total, ms(3));
  EXPECT_EQ(sum.host_part, ms(3));
  EXPECT_EQ(sum.untraced, ms(3));
  EXPECT_EQ(sum.heaviest, ms(4));
  EXPECT_TRUE(sum.heaviest_touches_edge);
  EXPECT_EQ(step.labels, SoftLabels{SoftLabel::kUntracedHostBlocking});
}

TEST_F(ArtefactsTest, WithoutAHeavyBubbleMostOfTheTimeGivesTheLabels) {
  bubbles_.clear();
  for (int i = 0; i < 3; ++i) {
    Bubble small;
    small.start = ms(i);
    small.end = ms(i + 1);
    small.labels = {i == 0 ? SoftLabel::kCommWait : SoftLabel::kHostLaunchLag};
    bubbles_.push_back(small);
  }
  const StepBubbles step = sum_up_bubbles(bubbles_, Thresholds(), steps_).front();
  EXPECT_EQ(step.labels, SoftLabels{SoftLabel::kHostLaunchLag});
  EXPECT_EQ(step.evidence.comm_labelled, ms(1));
}

TEST_F(ArtefactsTest, CollectivesAreSummedWithTheirTransitAndWaits) {
  const trace::TrackId plane = test_.add_stream(trace::DeviceId{0}, "plane");
  const trace::EventId one =
      test_.add(plane, trace::Kind::kCommunication, "all_reduce", 30 * kMs, 10 * kMs);
  test_.add(plane, trace::Kind::kCommunication, "all_gather", 50 * kMs, 4 * kMs);
  test_.add(plane, trace::Kind::kEventWait, "Notify_Wait", 31 * kMs, 3 * kMs);
  test_.add(plane, trace::Kind::kEventWait, "EVENT_WAIT", 35 * kMs, 3 * kMs);
  steps_[0].kernels = {0, 1, 2, 3};
  const auto sum = [&] {
    return sum_up_communication(DeviceIndex(test_.trace), device_timelines(test_.trace).front(),
                                steps_)
        .front();
  };
  EXPECT_EQ(sum().elapsed, ms(14));
  EXPECT_EQ(sum().notify_wait, ms(3));
  EXPECT_FALSE(sum().transit);
  trace::Collective known;
  known.event = one;
  known.transit = ms(2);
  test_.trace.collectives.push_back(known);
  EXPECT_EQ(sum().transit, ms(2));
  EXPECT_EQ(sum().measured(), ms(10));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
