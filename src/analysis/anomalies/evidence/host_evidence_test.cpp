// What is seen in a bubble, and who launched what ends it.
#include "analysis/anomalies/evidence/host_evidence.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/evidence/bubbles.h"
#include "analysis/anomalies/evidence/launch_split.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

Time ns(std::int64_t value) { return {value * kPicosecondsPerNanosecond}; }

// One bubble of 100 ns, from 100 on, in a step of 1000.
class HostEvidenceTest : public testing::Test {
 protected:
  HostEvidenceTest() : stream_(test_.add_stream(test_.add_device("0"), "7")), steps_(1) {
    steps_[0].start = ns(0);
    steps_[0].end = ns(1000);
    test_.add(stream_, trace::Kind::kKernel, "before", 50, 50);
  }

  trace::EventId host(trace::Kind kind, std::string_view name, std::int64_t start,
                      std::int64_t end) {
    return test_.add(test_.host, kind, name, start, end - start);
  }
  // The kernel that ends the bubble, launched by a call.
  trace::EventId launch(std::int64_t from, std::int64_t to) {
    const trace::EventId call = host(trace::Kind::kRuntimeCall, "cudaLaunchKernel", from, to);
    const trace::EventId kernel = test_.add(stream_, trace::Kind::kKernel, "after", 200, 50);
    test_.trace.flows.push_back({call, kernel, trace::Flow::Kind::kLaunch, {}});
    return call;
  }
  Bubble look() {
    if (test_.trace.flows.empty()) test_.add(stream_, trace::Kind::kKernel, "after", 200, 50);
    std::vector<Gap> gaps(1);
    gaps[0].start = ns(100);
    gaps[0].end = ns(200);
    gaps[0].kernel_before = 0;
    gaps[0].kernel_after = 1;
    const HostIndex index = index_hosts(test_.trace).front();
    const DeviceTimeline timeline = device_timelines(test_.trace).front();
    std::vector<LaunchSplit> launches =
        split_by_launch(test_.trace, timeline, index, DeviceIndex(test_.trace),
                        trace::find_launches(test_.trace), gaps);
    std::vector<trace::EventId> inside = ops_inside(test_.trace, index, steps_, gaps, launches);
    python_frames_ = count_python_frames(index, steps_).front();
    return join_bubbles(gaps, {.host = host_coverage(test_.trace, index, steps_, gaps),
                               .launches = std::move(launches),
                               .inside = std::move(inside),
                               .labels = {SoftLabels()},
                               .artefacts = {ArtefactMark()}})
        .front();
  }
  Time stage(const Bubble& bubble, LaunchStage stage) {
    return bubble.stages[static_cast<std::size_t>(stage)];
  }

  trace::TestTrace test_;
  trace::TrackId stream_;
  std::vector<StepFrame> steps_;
  std::uint64_t python_frames_ = 0;
};

TEST_F(HostEvidenceTest, LeavesAreClippedToTheBubble) {
  host(trace::Kind::kHostOp, "a", 50, 120);
  host(trace::Kind::kPython, "f", 150, 160);
  host(trace::Kind::kHostOp, "b", 190, 300);
  host(trace::Kind::kHostOp, "elsewhere", 400, 500);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.host_covered, ns(40));
  EXPECT_EQ(bubble.python_covered, ns(10));
  EXPECT_EQ(bubble.host_parallelism, 1.0);
  ASSERT_EQ(bubble.evidence_ops.size(), 3U);
  EXPECT_EQ(test_.trace.text(test_.trace.events.name[trace::index_of(bubble.evidence_ops[0])]),
            "a");
  EXPECT_EQ(python_frames_, 1U);
}

TEST_F(HostEvidenceTest, TheMarkerOfAStepIsNoOperator) {
  host(trace::Kind::kHostOp, "ProfilerStep#2", 100, 900);
  const trace::EventId op = host(trace::Kind::kHostOp, "aten::mm", 180, 199);
  launch(190, 195);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.outermost_op, op);
  EXPECT_EQ(stage(bubble, LaunchStage::kHost), ns(80));
}

TEST_F(HostEvidenceTest, OfEquallyLongEventsTheEarlierIsNamedFirst) {
  const trace::EventId second = host(trace::Kind::kHostOp, "b", 150, 160);
  const trace::EventId first = host(trace::Kind::kHostOp, "a", 120, 130);
  EXPECT_EQ(look().evidence_ops, (std::vector{first, second}));
}

TEST_F(HostEvidenceTest, LeavesOfOneThreadThatOverlapCountOnce) {
  host(trace::Kind::kHostOp, "a", 110, 150);
  host(trace::Kind::kHostOp, "b", 140, 180);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.host_covered, ns(70));
  EXPECT_EQ(bubble.host_parallelism, 1.0);
}

TEST_F(HostEvidenceTest, ThreadsSideBySideCountOnceAndAreParallel) {
  host(trace::Kind::kHostOp, "a", 100, 150);
  test_.add(test_.add_host_thread("2"), trace::Kind::kHostOp, "b", 100, 50);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.host_covered, ns(50));
  EXPECT_EQ(bubble.host_parallelism, 2.0);
}

TEST_F(HostEvidenceTest, FramesAroundTheStepSayNothingButCallsDo) {
  host(trace::Kind::kPython, "main", 0, 1000);
  EXPECT_EQ(look().host_covered, ns(0));
  test_.add(test_.add_host_thread("2"), trace::Kind::kRuntimeCall, "cudaDeviceSynchronize", 0,
            1000);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.host_covered, ns(100));
  EXPECT_EQ(bubble.sync_covered, ns(100));
}

TEST_F(HostEvidenceTest, MarksAreTold) {
  host(trace::Kind::kRuntimeCall, "cudaStreamSynchronize", 110, 130);
  host(trace::Kind::kHostOp, "c10d::allreduce_", 140, 180);
  host(trace::Kind::kOverhead, "flush", 185, 195);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.sync_covered, ns(20));
  EXPECT_EQ(bubble.comm_covered, ns(40));
  EXPECT_EQ(bubble.overhead_covered, ns(10));
  EXPECT_EQ(bubble.host_covered, ns(60));
}

TEST_F(HostEvidenceTest, TheBubbleIsSplitWhereTheLaunchReturned) {
  const trace::EventId op = host(trace::Kind::kHostOp, "aten::mm", 130, 190);
  const trace::EventId call = launch(150, 160);
  const Bubble bubble = look();
  ASSERT_TRUE(bubble.has_launch);
  EXPECT_EQ(bubble.host_part, ns(60));
  EXPECT_EQ(bubble.queued_part, ns(40));
  EXPECT_EQ(bubble.launch_call, call);
  EXPECT_EQ(bubble.launch_op, op);
  EXPECT_EQ(stage(bubble, LaunchStage::kHost), ns(30));
  EXPECT_EQ(stage(bubble, LaunchStage::kOperator), ns(20));
  EXPECT_EQ(stage(bubble, LaunchStage::kCall), ns(10));
  EXPECT_EQ(stage(bubble, LaunchStage::kDevice), ns(40));
  EXPECT_EQ(bubble.late_stage, LaunchStage::kDevice);
}

TEST_F(HostEvidenceTest, AKernelLaunchedLongBeforeWasQueued) {
  launch(10, 20);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.host_part, ns(0));
  EXPECT_EQ(bubble.queued_part, ns(100));
}

TEST_F(HostEvidenceTest, ACallThatReturnsAfterTheKernelBeganIsAllHost) {
  launch(190, 230);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.host_part, ns(100));
  EXPECT_EQ(bubble.queued_part, ns(0));
  EXPECT_EQ(bubble.late_stage, LaunchStage::kHost);
}

TEST_F(HostEvidenceTest, WithoutALaunchThereIsNoSplit) {
  const Bubble bubble = look();
  EXPECT_FALSE(bubble.has_launch);
  EXPECT_EQ(bubble.host_part + bubble.queued_part, ns(0));
  EXPECT_EQ(bubble.late_stage, LaunchStage::kUnknown);
}

TEST_F(HostEvidenceTest, TheOuterOperatorIsKnownToo) {
  const trace::EventId outer = host(trace::Kind::kHostOp, "aten::linear", 105, 195);
  const trace::EventId inner = host(trace::Kind::kHostOp, "aten::addmm", 140, 190);
  launch(150, 160);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.launch_op, inner);
  EXPECT_EQ(bubble.outermost_op, outer);
  EXPECT_EQ(stage(bubble, LaunchStage::kHost), ns(5));
  EXPECT_EQ(bubble.late_stage, LaunchStage::kOperator);
}

TEST_F(HostEvidenceTest, AnOperatorThatHadBegunBeforeIsNotTheOuterOne) {
  host(trace::Kind::kHostOp, "forward", 20, 900);
  const trace::EventId inner = host(trace::Kind::kHostOp, "aten::mm", 130, 190);
  launch(150, 160);
  const Bubble bubble = look();
  EXPECT_EQ(bubble.outermost_op, inner);
  EXPECT_EQ(stage(bubble, LaunchStage::kHost), ns(30));
}

TEST_F(HostEvidenceTest, TimeInTheQueueOfASecondThreadIsAStageOfItsOwn) {
  const trace::EventId op = host(trace::Kind::kHostOp, "aten::add", 100, 115);
  const trace::EventId enqueue = host(trace::Kind::kHostOp, "Enqueue", 105, 110);
  const trace::TrackId second = test_.add_host_thread("2");
  const trace::EventId dequeue = test_.add(second, trace::Kind::kHostOp, "Dequeue", 170, 25);
  const trace::EventId call = test_.add(second, trace::Kind::kRuntimeCall, "Node@launch", 180, 10);
  const trace::EventId kernel = test_.add(stream_, trace::Kind::kKernel, "after", 200, 50);
  test_.trace.flows.push_back({call, kernel, trace::Flow::Kind::kLaunch, {}});
  const StringId queue = test_.trace.strings.intern("async_task_queue");
  test_.trace.flows.push_back({enqueue, dequeue, trace::Flow::Kind::kOther, queue});
  const Bubble bubble = look();
  EXPECT_EQ(bubble.launch_op, op);
  EXPECT_EQ(stage(bubble, LaunchStage::kTaskQueue), ns(60));
  EXPECT_EQ(bubble.late_stage, LaunchStage::kTaskQueue);
  EXPECT_EQ(stage(bubble, LaunchStage::kDevice), ns(10));
}

TEST_F(HostEvidenceTest, WithoutACallTheConnectedOperatorLaunched) {
  const trace::EventId op = host(trace::Kind::kHostOp, "aten::add", 110, 140);
  const trace::EventId kernel = test_.add(stream_, trace::Kind::kKernel, "after", 200, 50);
  const StringId arrow = test_.trace.strings.intern("async_npu");
  test_.trace.flows.push_back({op, kernel, trace::Flow::Kind::kOther, arrow});
  const Bubble bubble = look();
  EXPECT_TRUE(bubble.has_launch);
  EXPECT_EQ(bubble.launch_op, op);
  EXPECT_EQ(bubble.queued_part, ns(60));
}

TEST_F(HostEvidenceTest, ABubbleSitsInTheInnermostEventThatSpansMostOfIt) {
  host(trace::Kind::kHostOp, "model", 0, 900);
  const trace::EventId attention = host(trace::Kind::kHostOp, "attention", 95, 198);
  host(trace::Kind::kHostOp, "empty", 120, 130);
  launch(190, 195);
  EXPECT_EQ(look().inside_op, attention);
}

TEST_F(HostEvidenceTest, TheFrameAroundTheStepIsNotWhereItSits) {
  host(trace::Kind::kPython, "main", 0, 1000);
  EXPECT_EQ(look().inside_op, trace::kNoEvent);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
