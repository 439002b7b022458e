// Markers, passes and the capture as steps.
#include "analysis/anomalies/steps/step_windows.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

Time ns(std::int64_t value) { return {value * kPicosecondsPerNanosecond}; }

class StepWindowsTest : public testing::Test {
 protected:
  StepWindowsTest() : stream_(test_.add_stream(test_.add_device("0"), "7")) {}

  std::vector<StepFrame> steps() {
    const cycles::Cycles cycles = cycles::find_cycles(test_.trace);
    std::vector<const cycles::StreamCycles*> streams;
    for (const cycles::StreamCycles& one : cycles.streams) {
      if (one.stream.device == trace::DeviceId{0}) streams.push_back(&one);
    }
    const DeviceTimeline timeline = device_timelines(test_.trace).front();
    return step_windows(test_.trace, timeline, StepMarkers(test_.trace).of(timeline.rank), streams,
                        "", empty_);
  }
  void launch(std::string_view name, std::int64_t call, std::int64_t start, std::int64_t length) {
    test_.launch(stream_, name, call, start, length, ++correlation_);
  }

  trace::TestTrace test_;
  trace::TrackId stream_;
  std::int64_t correlation_ = 0;
  EmptySteps empty_ = EmptySteps::kKeep;
};

TEST_F(StepWindowsTest, AMarkedStepReachesToTheNextMarker) {
  test_.add_step("ProfilerStep#1", 100, 180);
  test_.add_step("ProfilerStep#2", 200, 300);
  launch("a", 110, 120, 10);
  launch("b", 210, 220, 10);
  const std::vector<StepFrame> found = steps();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].marker, "ProfilerStep#1");
  EXPECT_EQ(found[0].window, StepWindow::kHost);
  EXPECT_EQ(found[0].start, ns(100));
  EXPECT_EQ(found[0].end, ns(200));
  EXPECT_EQ(found[0].marker_end, ns(180));
  EXPECT_EQ(found[1].end, ns(300));
  EXPECT_EQ(found[0].id, "0");
  EXPECT_EQ(found[1].id, "1");
}

TEST_F(StepWindowsTest, TheLastStepEndsWithItsLastKernel) {
  test_.add_step("Step#1", 100, 200);
  launch("a", 110, 150, 100);
  launch("later", 210, 260, 100);  // launched behind the marker: not its kernel
  const std::vector<StepFrame> found = steps();
  EXPECT_EQ(found[0].end, ns(250));
  EXPECT_EQ(found[0].kernels, (std::vector<std::uint32_t>{0}));
}

TEST_F(StepWindowsTest, WhatWasAskedForBeforeTheCaptureIsNoStepsWork) {
  const trace::TrackId unlaunched = test_.add_stream(trace::DeviceId{0}, "8");
  test_.add_step("ProfilerStep#1", 100, 400);
  test_.add(stream_, trace::Kind::kKernel, "leftover", 110, 10);
  launch("a", 130, 140, 10);
  test_.add(stream_, trace::Kind::kKernel, "launch not recorded", 160, 10);
  test_.add(unlaunched, trace::Kind::kKernel, "of a stream without launches", 180, 10);
  const std::vector<StepFrame> found = steps();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernels, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(found[0].device_window->first, ns(140));
}

TEST_F(StepWindowsTest, KernelsBelongToTheStepThatLaunchedThem) {
  test_.add_step("ProfilerStep#1", 100, 200);
  test_.add_step("ProfilerStep#2", 200, 400);
  launch("a", 110, 120, 10);
  launch("a", 190, 230, 10);  // runs in the second window
  launch("a", 210, 250, 10);
  const std::vector<StepFrame> found = steps();
  EXPECT_EQ(found[0].kernels, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(found[1].kernels, (std::vector<std::uint32_t>{2}));
  ASSERT_TRUE(found[0].device_window);
  EXPECT_EQ(found[0].device_window->first, ns(120));
  EXPECT_EQ(found[0].device_window->second, ns(240));
  EXPECT_EQ(found[0].device_shift(), ns(20));
}

TEST_F(StepWindowsTest, WithoutLaunchesKernelsBelongWhereTheyBegin) {
  test_.add_step("ProfilerStep#1", 100, 200);
  test_.add_step("ProfilerStep#2", 200, 400);
  test_.add(stream_, trace::Kind::kKernel, "early", 50, 10);
  test_.add(stream_, trace::Kind::kKernel, "a", 190, 30);
  test_.add(stream_, trace::Kind::kKernel, "b", 220, 30);
  const std::vector<StepFrame> found = steps();
  EXPECT_EQ(found[0].kernels, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(found[1].kernels, (std::vector<std::uint32_t>{2}));
}

TEST_F(StepWindowsTest, ProfilerStepsComeBeforeOtherMarkers) {
  test_.add_step("Iteration#1", 100, 150);
  test_.add_step("ProfilerStep#1", 100, 200);
  test_.add_step("Iteration#2", 150, 200);
  launch("a", 110, 120, 10);
  const std::vector<StepFrame> found = steps();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].marker, "ProfilerStep#1");
}

TEST_F(StepWindowsTest, AMarkerInsideAnotherOneIsNoStep) {
  test_.add_step("ProfilerStep#1", 100, 200);
  test_.add_step("ProfilerStep#1", 110, 190);  // of a second thread
  test_.add_step("ProfilerStep#2", 200, 300);
  launch("a", 110, 120, 10);
  EXPECT_EQ(steps().size(), 2U);
}

TEST_F(StepWindowsTest, MarkersOfAnotherRankAreNotMine) {
  launch("a", 110, 120, 10);
  test_.add_rank(1);
  test_.add_step("ProfilerStep#1", 100, 200);
  EXPECT_EQ(steps()[0].window, StepWindow::kPseudo);
}

TEST_F(StepWindowsTest, MarkersAroundNoWorkOfTheDeviceAreNotItsSteps) {
  test_.add_step("ProfilerStep#1", 100, 200);
  launch("a", 310, 320, 10);
  EXPECT_EQ(steps()[0].window, StepWindow::kPseudo);
}

TEST_F(StepWindowsTest, WithoutMarkersPassesAreSteps) {
  const std::vector<std::string> layer = {"gemm", "softmax", "norm", "flash_fwd", "copy", "add"};
  std::vector<std::string> body = {"embedding"};
  for (int i = 0; i < 4; ++i) body.insert(body.end(), layer.begin(), layer.end());
  body.insert(body.end(), {"final_norm", "argmax"});
  std::int64_t at = 0;
  for (int pass = 0; pass < 5; ++pass, at += 500) {
    for (const std::string& name : body) {
      test_.add(stream_, trace::Kind::kKernel, name, at, 50);
      at += 100;
    }
  }
  const std::vector<StepFrame> found = steps();
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].window, StepWindow::kDevice);
  EXPECT_EQ(found[0].number, 1U);
  EXPECT_EQ(found[4].number, 5U);
  EXPECT_EQ(found[4].phase, found[0].phase);
  EXPECT_EQ(found[0].start, ns(0));
  EXPECT_EQ(found[0].marker_end, ns(2650));
  EXPECT_EQ(found[0].end, ns(3200));
  EXPECT_EQ(found[0].end, found[1].start);
  EXPECT_EQ(found[4].end, found[4].marker_end);
  EXPECT_EQ(found[3].kernels.size(), 27U);
}

TEST_F(StepWindowsTest, WithoutAnythingAllKernelsAreOneStep) {
  test_.add(test_.host, trace::Kind::kHostOp, "op", 0, 10);
  test_.add(stream_, trace::Kind::kMemcpy, "copy", 50, 10);
  launch("a", 110, 120, 10);
  test_.add(test_.host, trace::Kind::kHostOp, "op", 900, 10);
  const std::vector<StepFrame> found = steps();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].marker, "");
  EXPECT_EQ(found[0].window, StepWindow::kPseudo);
  EXPECT_EQ(found[0].start, ns(120));
  EXPECT_EQ(found[0].end, ns(130));
  EXPECT_EQ(found[0].kernels.size(), 1U);
}

TEST_F(StepWindowsTest, StepsWithoutWorkCanBeLeftOut) {
  for (int i = 0; i < 1'000; ++i) {
    test_.add_step("ProfilerStep#" + std::to_string(i), 100 * i, 100 * i + 80);
  }
  launch("a", 310, 320, 10);
  launch("b", 50'010, 50'020, 10);
  const std::vector<StepFrame> all = steps();
  ASSERT_EQ(all.size(), 1'000U);
  empty_ = EmptySteps::kLeaveOut;
  const std::vector<StepFrame> found = steps();
  ASSERT_EQ(found.size(), 2U);
  for (const auto& [step, same] : {std::pair(0, 3), {1, 500}}) {
    EXPECT_EQ(found[step].marker, all[same].marker);
    EXPECT_EQ(found[step].start, all[same].start);
    EXPECT_EQ(found[step].end, all[same].end);
    EXPECT_EQ(found[step].marker_end, all[same].marker_end);
    EXPECT_EQ(found[step].kernels, all[same].kernels);
  }
}

TEST_F(StepWindowsTest, WorkBetweenMarkersIsTheStepsBeforeThemWhateverIsLeftOut) {
  test_.add_step("ProfilerStep#1", 100, 180);
  test_.add_step("ProfilerStep#2", 200, 280);
  launch("between", 190, 195, 10);
  empty_ = EmptySteps::kLeaveOut;
  ASSERT_EQ(steps().size(), 1U);
  EXPECT_EQ(steps()[0].kernels, (std::vector<std::uint32_t>{0}));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
