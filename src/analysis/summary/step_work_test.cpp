#include "analysis/summary/step_work.h"

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::analysis::summary {
namespace {

constexpr Time ns(std::int64_t count) { return Time{count * kPicosecondsPerNanosecond}; }

struct OneStream : trace::TestTrace {
  OneStream() : stream(add_stream(add_device("0"), "7")) {}
  trace::TrackId stream;
};

void expect_work(const StepWork& work, std::uint64_t kernels, std::int64_t start_ns,
                 std::int64_t end_ns) {
  EXPECT_EQ(work.kernels, kernels);
  ASSERT_TRUE(work.window.has_value());
  EXPECT_EQ(work.window->start, ns(start_ns));
  EXPECT_EQ(work.window->end, ns(end_ns));
}

TEST(StepWork, WorkBelongsToTheStepThatLaunchedIt) {
  OneStream test;
  test.add_step("ProfilerStep#1", 0, 100);
  test.add_step("ProfilerStep#2", 100, 200);
  test.launch(test.stream, "a", 10, 150, 300, 1);  // runs while the host is in the second step
  test.launch(test.stream, "b", 110, 450, 20, 2);
  test.launch(test.stream, "c", 120, 480, 10, 3);
  const std::vector<StepWork> work = work_of_steps(test.trace);
  ASSERT_EQ(work.size(), 2U);
  expect_work(work[0], 1, 150, 450);
  expect_work(work[1], 2, 450, 490);
}

TEST(StepWork, WithoutLaunchesWorkBelongsToTheStepInWhichItBegan) {
  OneStream test;
  test.add_step("ProfilerStep#1", 0, 100);
  test.add_step("ProfilerStep#2", 100, 200);
  test.add(test.stream, trace::Kind::kKernel, "a", 90, 20);
  const std::vector<StepWork> work = work_of_steps(test.trace);
  expect_work(work[0], 1, 90, 110);
  EXPECT_EQ(work[1].kernels, 0U);
  EXPECT_FALSE(work[1].window.has_value());
}

TEST(StepWork, WhatWasAskedForBeforeTheCaptureIsNoStepsWork) {
  OneStream test;
  test.add_step("ProfilerStep#1", 0, 100);
  test.add(test.stream, trace::Kind::kKernel, "early", 5, 10);
  test.launch(test.stream, "a", 10, 20, 10, 1);
  test.add(test.stream, trace::Kind::kKernel, "unknown", 40, 10);
  expect_work(work_of_steps(test.trace)[0], 2, 20, 50);
}

TEST(StepWork, TheInnermostOfSeveralOpenStepsHasIt) {
  OneStream test;
  test.add_step("Step#1", 0, 100);
  test.add_step("ProfilerStep#1", 10, 90);
  test.launch(test.stream, "a", 20, 30, 10, 1);
  test.launch(test.stream, "b", 95, 96, 4, 2);
  const std::vector<StepWork> work = work_of_steps(test.trace);
  expect_work(work[0], 1, 96, 100);
  expect_work(work[1], 1, 30, 40);
}

TEST(StepWork, CopiesAndHostWorkAreNoKernels) {
  OneStream test;
  test.add_step("ProfilerStep#1", 0, 100);
  test.add(test.stream, trace::Kind::kMemcpy, "copy", 20, 10);
  test.add(test.host, trace::Kind::kKernel, "odd", 20, 10);
  EXPECT_EQ(work_of_steps(test.trace)[0].kernels, 0U);
}

TEST(StepWork, StepsOfOneRankTakeNothingFromAnother) {
  OneStream test;
  test.add_step("ProfilerStep#1", 0, 100);
  test.add_rank(1);
  const trace::TrackId other = test.add_stream(test.add_device("0"), "7");
  test.launch(other, "a", 10, 20, 10, 1);
  EXPECT_EQ(work_of_steps(test.trace)[0].kernels, 0U);
}

}  // namespace
}  // namespace lockstep::analysis::summary
