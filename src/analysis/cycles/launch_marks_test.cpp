// Which kernels annotations and graph launches begin with.
#include "analysis/cycles/launch_marks.h"

#include <gtest/gtest.h>

#include "analysis/summary/test_trace.h"

namespace lockstep {
namespace {

using Kernels = std::vector<std::uint32_t>;

TEST(LaunchMarks, GoByLaunchAndNotByTheTimeOnTheDevice) {
  TestTrace test;
  const TrackId stream = test.add_stream(test.add_device("0"), "7");
  // Launched at 0, 20, 40, 60; run much later.
  for (int i = 0; i < 4; ++i) test.launch(stream, "k", 20 * i, 1000 + 10 * i, 5, i);
  test.add(test.host, Kind::kAnnotation, "step 1", 15, 20);
  test.add(test.host, Kind::kAnnotation, "step 22", 55, 20);
  const std::vector<MarkClass> marks =
      launch_marks(test.trace, MarkWindows(test.trace), kernel_streams(test.trace).at(0));
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks[0].name, "step #");
  EXPECT_EQ(marks[0].first_kernels, (Kernels{1, 3}));
}

TEST(LaunchMarks, MarkedStepsCountAndTheLongestClassIsFirst) {
  TestTrace test;
  const TrackId stream = test.add_stream(test.add_device("0"), "7");
  for (int i = 0; i < 4; ++i) test.launch(stream, "k", 20 * i, 1000 + 10 * i, 5, i);
  for (int i = 0; i < 4; ++i) test.add(test.host, Kind::kAnnotation, "op", 20 * i, 5);
  test.add_step("ProfilerStep#1", 0, 40);
  test.add_step("ProfilerStep#2", 40, 90);
  const std::vector<MarkClass> marks =
      launch_marks(test.trace, MarkWindows(test.trace), kernel_streams(test.trace).at(0));
  ASSERT_EQ(marks.size(), 2U);
  EXPECT_EQ(marks[0].name, "ProfilerStep##");
  EXPECT_EQ(marks[0].first_kernels, (Kernels{0, 2}));
  EXPECT_EQ(marks[1].first_kernels, (Kernels{0, 1, 2, 3}));
}

TEST(LaunchMarks, OneMarkSeparatesNothing) {
  TestTrace test;
  const TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.launch(stream, "k", 0, 1000, 5, 1);
  test.add(test.host, Kind::kAnnotation, "all", 0, 50);
  EXPECT_TRUE(
      launch_marks(test.trace, MarkWindows(test.trace), kernel_streams(test.trace).at(0)).empty());
}

TEST(LaunchMarks, OtherRanksAndDeviceCopiesDoNotCount) {
  TestTrace test;
  const TrackId stream = test.add_stream(test.add_device("0"), "7");
  for (int i = 0; i < 2; ++i) test.launch(stream, "k", 20 * i, 1000 + 10 * i, 5, i);
  for (int i = 0; i < 2; ++i) test.add(stream, Kind::kAnnotation, "copy", 20 * i, 20);
  test.add_rank(1);
  for (int i = 0; i < 2; ++i) test.add(test.host, Kind::kAnnotation, "other", 20 * i, 20);
  EXPECT_TRUE(
      launch_marks(test.trace, MarkWindows(test.trace), kernel_streams(test.trace).at(0)).empty());
}

TEST(GraphLaunchMarks, AreCallsThatRanSeveralKernels) {
  KernelStream stream;
  stream.names = {0, 0, 0, 0, 0, 0};
  stream.launched_by = {EventId{1}, EventId{2}, EventId{2}, kNoEvent, kNoEvent, EventId{5}};
  EXPECT_EQ(graph_launch_marks(stream), (Kernels{1}));
}

}  // namespace
}  // namespace lockstep
