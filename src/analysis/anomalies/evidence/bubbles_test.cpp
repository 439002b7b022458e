// Gap metrics against a slow count of nanoseconds, and where each bubble lies.
#include "analysis/anomalies/evidence/bubbles.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/anomalies/timeline/global_gaps.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

Time us(std::int64_t value) { return {value * kPicosecondsPerMicrosecond}; }
constexpr std::int64_t kUs = 1000;  // nanoseconds

class BubblesTest : public testing::Test {
 protected:
  BubblesTest() : device_(test_.add_device("0")), stream_(test_.add_stream(device_, "7")) {}

  StepFrame& add_step(std::int64_t start_us, std::int64_t end_us, std::int64_t marker_end_us) {
    StepFrame step;
    step.window = StepWindow::kHost;
    step.start = us(start_us);
    step.end = us(end_us);
    step.marker_end = us(marker_end_us);
    steps_.push_back(step);
    return steps_.back();
  }
  void kernel(std::int64_t start_us, std::int64_t length_us) {
    test_.add(stream_, trace::Kind::kKernel, "k", start_us * kUs, length_us * kUs);
  }
  std::vector<Gap> find() {
    timeline_ = device_timelines(test_.trace).front();
    for (StepFrame& step : steps_) {
      for (std::uint32_t k = 0; k < timeline_.kernels.size(); ++k) {
        const Time start = timeline_.kernels[k].start;
        if (start >= step.start && start < step.end) step.kernels.push_back(k);
      }
    }
    FoundGaps found = find_gaps(test_.trace, timeline_, Thresholds(), steps_);
    by_step_ = std::move(found.by_step);
    return std::move(found.significant);
  }
  const MeasuredGaps& gaps(std::size_t i = 0) { return by_step_[i]; }

  trace::TestTrace test_;
  trace::DeviceId device_;
  trace::TrackId stream_;
  DeviceTimeline timeline_;
  std::vector<StepFrame> steps_;
  std::vector<MeasuredGaps> by_step_;
};

TEST_F(BubblesTest, MetricsAreThoseOfTheWindow) {
  add_step(0, 1000, 1000);
  kernel(100, 100);
  kernel(300, 200);
  kernel(700, 100);
  const std::vector<Gap> bubbles = find();
  EXPECT_EQ(gaps().service, us(1000));
  EXPECT_EQ(gaps().device_busy, us(400));
  EXPECT_EQ(gaps().underfeed, us(600));
  EXPECT_EQ(gaps().prelaunch, us(100));
  EXPECT_EQ(gaps().tail, us(200));
  EXPECT_EQ(gaps().inter_step, us(0));
  EXPECT_EQ(gaps().internal_total, us(300));
  EXPECT_EQ(gaps().largest_internal, us(200));
  EXPECT_EQ(gaps().bubble_count, 2U);
  EXPECT_EQ(gaps().significant_bubble_count, 4U);
  ASSERT_EQ(bubbles.size(), 4U);
  EXPECT_EQ(bubbles[0].scope, BubbleScope::kPrelaunch);
  EXPECT_EQ(bubbles[0].kernel_before, kNoKernel);
  EXPECT_EQ(bubbles[0].kernel_after, 0U);
  EXPECT_EQ(bubbles[1].scope, BubbleScope::kInternal);
  EXPECT_EQ(bubbles[1].kernel_before, 0U);
  EXPECT_EQ(bubbles[1].kernel_after, 1U);
  EXPECT_EQ(bubbles[1].position, 1U);
  EXPECT_EQ(bubbles[3].scope, BubbleScope::kTail);
  EXPECT_EQ(bubbles[3].kernel_after, kNoKernel);
}

TEST_F(BubblesTest, TheKernelBeforeIsTheOneThatEndedLast) {
  add_step(0, 1000, 1000);
  test_.add(stream_, trace::Kind::kKernel, "long", 0, 500 * kUs);
  test_.add(test_.add_stream(device_, "8"), trace::Kind::kKernel, "short", 100 * kUs, 10 * kUs);
  kernel(700, 300);
  const std::vector<Gap> bubbles = find();
  ASSERT_EQ(bubbles.size(), 1U);
  EXPECT_EQ(test_.trace.text(timeline_.kernels[bubbles[0].kernel_before].name), "long");
}

TEST_F(BubblesTest, GapsBelowTheLimitAreCountedAndNotKept) {
  add_step(0, 100'000, 100'000);  // a thousandth is 100 us
  kernel(0, 50'000);
  kernel(50'099, 100);
  kernel(50'299, 49'701);
  const std::vector<Gap> bubbles = find();
  EXPECT_EQ(gaps().bubble_count, 2U);
  EXPECT_EQ(gaps().significant_bubble_count, 1U);
  ASSERT_EQ(bubbles.size(), 1U);
  EXPECT_EQ(bubbles[0].length(), us(100));
}

TEST_F(BubblesTest, KernelsAreClippedToTheWindow) {
  add_step(0, 100, 100);
  add_step(100, 200, 200);
  kernel(90, 20);
  find();
  EXPECT_EQ(gaps(0).device_busy, us(10));
  EXPECT_EQ(gaps(1).device_busy, us(10));
  EXPECT_EQ(gaps(0).tail, us(0));
  EXPECT_EQ(gaps(1).prelaunch, us(0));
}

TEST_F(BubblesTest, PrelaunchByLaunchIsNotHiddenByTheStepBefore) {
  add_step(0, 100, 100);
  add_step(100, 200, 200);
  kernel(90, 15);
  kernel(160, 20);
  find();
  EXPECT_EQ(gaps(1).prelaunch, us(0));
  EXPECT_EQ(gaps(1).prelaunch_launch, us(55));
  EXPECT_EQ(gaps(0).prelaunch_launch, us(90));
}

TEST_F(BubblesTest, PrelaunchByLaunchIsNothingWhileEarlierWorkRuns) {
  add_step(0, 100, 100);
  add_step(100, 200, 200);
  kernel(90, 50);
  test_.add(test_.add_stream(device_, "8"), trace::Kind::kKernel, "own", 120 * kUs, 50 * kUs);
  find();
  EXPECT_EQ(gaps(1).prelaunch_launch, us(0));
}

TEST_F(BubblesTest, AStepWithoutWorkIsAllPrelaunch) {
  add_step(0, 100, 100);
  add_step(100, 200, 200);
  kernel(120, 20);
  const std::vector<Gap> bubbles = find();
  EXPECT_EQ(gaps(0).prelaunch, us(100));
  EXPECT_EQ(gaps(0).tail, us(0));
  EXPECT_EQ(gaps(0).bubble_count, 0U);
  EXPECT_EQ(gaps(0).prelaunch_launch, us(100));
  EXPECT_EQ(bubbles[0].scope, BubbleScope::kPrelaunch);
}

TEST_F(BubblesTest, BehindTheMarkerIsBetweenSteps) {
  add_step(0, 1000, 600);
  add_step(1000, 2000, 1500);
  kernel(0, 500);
  kernel(1000, 100);
  const std::vector<Gap> bubbles = find();
  EXPECT_EQ(gaps(0).tail, us(500));
  EXPECT_EQ(gaps(0).inter_step, us(400));
  ASSERT_EQ(bubbles.size(), 3U);
  EXPECT_EQ(bubbles[0].scope, BubbleScope::kTail);
  EXPECT_EQ(bubbles[0].end, us(600));
  EXPECT_EQ(bubbles[1].scope, BubbleScope::kInterStep);
  EXPECT_EQ(bubbles[1].end, us(1000));
  // Nothing follows the last step.
  EXPECT_EQ(gaps(1).inter_step, us(0));
  EXPECT_EQ(bubbles[2].scope, BubbleScope::kTail);
}

TEST_F(BubblesTest, CopiesDoNotFillABubbleButAreSeenInIt) {
  add_step(0, 100, 100);
  kernel(0, 20);
  test_.add(stream_, trace::Kind::kMemcpy, "copy", 30 * kUs, 40 * kUs);
  kernel(80, 20);
  const std::vector<Gap> bubbles = find();
  ASSERT_EQ(bubbles.size(), 1U);
  EXPECT_EQ(bubbles[0].length(), us(60));
  EXPECT_EQ(bubbles[0].copied, us(40));
  EXPECT_EQ(gaps().any_busy, us(80));
  EXPECT_EQ(gaps().exposed_copy, us(40));
}

TEST_F(BubblesTest, GapsInsideOneGraphLaunchAreCountedApart) {
  add_step(0, 1000, 1000);
  const trace::EventId call =
      test_.add(test_.host, trace::Kind::kRuntimeCall, "cudaGraphLaunch", 0, 5, 1);
  for (const std::int64_t start : {0, 100, 300}) {
    const trace::EventId work =
        test_.add(stream_, trace::Kind::kKernel, "k", start * kUs, 50 * kUs, 1);
    test_.trace.flows.push_back({call, work, trace::Flow::Kind::kLaunch, {}});
  }
  test_.launch(stream_, "alone", 400 * kUs, 500 * kUs, 500 * kUs, 2);
  const std::vector<Gap> bubbles = find();
  EXPECT_EQ(gaps().dispatch_count, 2U);
  EXPECT_EQ(gaps().dispatch_total, us(200));
  EXPECT_EQ(gaps().internal_total, us(350));
  ASSERT_EQ(bubbles.size(), 1U);
  EXPECT_EQ(bubbles[0].start, us(350));
}

TEST_F(BubblesTest, TheEdgesOfAMarkedStepAreKnown) {
  test_.add(test_.host, trace::Kind::kHostOp, "op", 0, 1000 * kUs);
  test_.launch(stream_, "k", 10 * kUs, 100 * kUs, 100 * kUs, 1);
  add_step(0, 1000, 1000);
  const std::vector<Gap> marked = find();
  ASSERT_EQ(marked.size(), 2U);
  EXPECT_FALSE(marked[0].touches_edge);
  EXPECT_FALSE(marked[1].touches_edge);
}

TEST_F(BubblesTest, AMarkedStepTouchesTheEdgeWhenItsFirstKernelWasLaunchedBeforeTheCapture) {
  test_.add(test_.host, trace::Kind::kHostOp, "op", 0, 1000 * kUs);
  kernel(100, 10);
  test_.launch(stream_, "k", 150 * kUs, 200 * kUs, 800 * kUs, 1);
  add_step(0, 1000, 1000);
  const std::vector<Gap> bubbles = find();
  EXPECT_TRUE(bubbles[0].touches_edge);
  EXPECT_FALSE(bubbles[1].touches_edge);
}

// Every microsecond of a step is looked at.
RC_GTEST_PROP(BubbleProperties, MetricsAddUpAndAgreeWithABitmap, ()) {
  constexpr std::int64_t kWorld = 400;
  trace::TestTrace test;
  const trace::DeviceId device = test.add_device("0");
  const std::array<trace::TrackId, 2> streams = {test.add_stream(device, "1"),
                                                 test.add_stream(device, "2")};
  std::vector<bool> busy(kWorld, false);
  const auto kernels = *rc::gen::inRange(1, 12);
  for (int i = 0; i < kernels; ++i) {
    const auto start = *rc::gen::inRange<std::int64_t>(0, kWorld - 60);
    const auto length = *rc::gen::inRange<std::int64_t>(1, 60);
    test.add(streams[static_cast<std::size_t>(i) % 2], trace::Kind::kKernel, "k", start * kUs,
             length * kUs);
    for (std::int64_t t = start; t < start + length; ++t) busy[static_cast<std::size_t>(t)] = true;
  }
  const auto from = *rc::gen::inRange<std::int64_t>(0, kWorld / 2);
  const auto to = *rc::gen::inRange<std::int64_t>(from + 1, kWorld);
  std::vector<StepFrame> steps(1);
  steps[0].window = StepWindow::kHost;
  steps[0].start = us(from);
  steps[0].end = us(to);
  steps[0].marker_end = us(to);
  const FoundGaps found =
      find_gaps(test.trace, device_timelines(test.trace).front(), Thresholds(), steps);
  const MeasuredGaps& gaps = found.by_step[0];
  RC_ASSERT(gaps.device_busy == us(std::count(busy.begin() + from, busy.begin() + to, true)));
  RC_ASSERT(gaps.prelaunch + gaps.internal_total + gaps.tail == gaps.underfeed);
  for (const Gap& bubble : found.significant) {
    for (std::int64_t t = bubble.start.ps / us(1).ps; t < bubble.end.ps / us(1).ps; ++t)
      RC_ASSERT(!busy[static_cast<std::size_t>(t)]);
  }
}

TEST_F(BubblesTest, TheWholeDeviceIsMeasuredFromItsFirstToItsLastKernel) {
  for (int i = 0; i < 8; ++i) kernel(1000 * i + i * i, 10);
  find();
  const GlobalGaps global = global_gaps(timeline_);
  EXPECT_EQ(global.span, us(7059));
  EXPECT_EQ(global.busy, us(80));
  EXPECT_EQ(global.gap, us(6979));
  ASSERT_EQ(global.top.size(), 5U);
  EXPECT_EQ(global.largest, us(1003));
  EXPECT_EQ(global.top.front().end, us(7049).ps);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
