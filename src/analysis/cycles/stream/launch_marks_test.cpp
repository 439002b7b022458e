// Which kernels annotations and graph launches begin with.
#include "analysis/cycles/stream/launch_marks.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

using Kernels = std::vector<std::uint32_t>;

TEST(LaunchMarks, GoByLaunchAndNotByTheTimeOnTheDevice) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  // Launched at 0, 20, 40, 60; run much later.
  for (int i = 0; i < 4; ++i) test.launch(stream, "k", 20 * i, 1000 + 10 * i, 5, i);
  test.add(test.host, trace::Kind::kAnnotation, "step 1", 15, 20);
  test.add(test.host, trace::Kind::kAnnotation, "step 22", 55, 20);
  const std::vector<MarkClass> marks =
      launch_marks(test.trace, MarkWindows(test.trace), kernel_streams(test.trace).at(0));
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_EQ(marks[0].name, "step #");
  EXPECT_EQ(marks[0].first_kernels, (Kernels{1, 3}));
}

TEST(LaunchMarks, MarkedStepsCountAndTheLongestClassIsFirst) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  for (int i = 0; i < 4; ++i) test.launch(stream, "k", 20 * i, 1000 + 10 * i, 5, i);
  for (int i = 0; i < 4; ++i) test.add(test.host, trace::Kind::kAnnotation, "op", 20 * i, 5);
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
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.launch(stream, "k", 0, 1000, 5, 1);
  test.add(test.host, trace::Kind::kAnnotation, "all", 0, 50);
  EXPECT_TRUE(
      launch_marks(test.trace, MarkWindows(test.trace), kernel_streams(test.trace).at(0)).empty());
}

TEST(LaunchMarks, OtherRanksAndDeviceCopiesDoNotCount) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  for (int i = 0; i < 2; ++i) test.launch(stream, "k", 20 * i, 1000 + 10 * i, 5, i);
  for (int i = 0; i < 2; ++i) test.add(stream, trace::Kind::kAnnotation, "copy", 20 * i, 20);
  test.add_rank(1);
  for (int i = 0; i < 2; ++i) test.add(test.host, trace::Kind::kAnnotation, "other", 20 * i, 20);
  EXPECT_TRUE(
      launch_marks(test.trace, MarkWindows(test.trace), kernel_streams(test.trace).at(0)).empty());
}

TEST(GraphLaunchMarks, AreCallsThatRanSeveralKernels) {
  KernelStream stream;
  stream.names = {0, 0, 0, 0, 0, 0};
  stream.launched_by = {trace::EventId{1}, trace::EventId{2}, trace::EventId{2},
                        trace::kNoEvent,   trace::kNoEvent,   trace::EventId{5}};
  EXPECT_EQ(graph_launch_marks(stream), (Kernels{1}));
}

// Window by window, as slowly as can be.
MarkClass marked_slowly(const trace::TestTrace& test, const KernelStream& stream) {
  MarkClass mark;
  const trace::EventTable& events = test.trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] != trace::Kind::kAnnotation) continue;
    mark.total += events.duration[i];
    std::optional<std::pair<Time, std::uint32_t>> first;
    for (std::uint32_t k = 0; k < stream.size(); ++k) {
      const Time launch = events.start[trace::index_of(stream.launched_by[k])];
      if (launch < events.start[i] || launch >= events.end(i)) continue;
      ++mark.kernels;
      first = std::min(first.value_or(std::pair(launch, k)), std::pair(launch, k));
    }
    if (first) mark.first_kernels.push_back(first->second);
  }
  std::ranges::sort(mark.first_kernels);
  const auto repeated = std::ranges::unique(mark.first_kernels);
  mark.first_kernels.erase(repeated.begin(), repeated.end());
  return mark;
}

TEST(LaunchMarks, FewKernelsInManyWindowsAreFoundAsManyInFew) {
  std::mt19937 engine(3);
  for (int turn = 0; turn < 200; ++turn) {
    trace::TestTrace test;
    const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
    const auto below = [&](int limit) { return static_cast<std::int64_t>(engine() % limit); };
    const auto kernels = 1 + below(12);
    for (std::int64_t i = 0; i < kernels; ++i) {
      test.launch(stream, "k", below(60), 1000 + 10 * i, 5, i);
    }
    const auto windows = 1 + below(24);
    for (std::int64_t i = 0; i < windows; ++i) {
      test.add(test.host, trace::Kind::kAnnotation, "op", below(60), below(20));
    }
    const KernelStream one = kernel_streams(test.trace).at(0);
    const MarkClass expected = marked_slowly(test, one);
    const std::vector<MarkClass> marks = launch_marks(test.trace, MarkWindows(test.trace), one);
    if (expected.first_kernels.size() < 2) {
      EXPECT_TRUE(marks.empty()) << turn;
      continue;
    }
    ASSERT_EQ(marks.size(), 1U) << turn;
    EXPECT_EQ(marks[0].first_kernels, expected.first_kernels) << turn;
    EXPECT_EQ(marks[0].kernels, expected.kernels) << turn;
    EXPECT_EQ(marks[0].total, expected.total) << turn;
  }
}

TEST(LaunchMarks, OfVeryManyNamesOnlyTheLongestAreAsked) {
  trace::TestTrace test;
  for (int i = 0; i < 3'000; ++i) {
    // Names differ by letters: numbers make no class.
    std::string name;
    for (int rest = i; name.size() < 4; rest /= 16) name += static_cast<char>('a' + rest % 16);
    for (int twice = 0; twice < 2; ++twice) {
      test.add(test.host, trace::Kind::kAnnotation, name, 10 * i, i == 2'500 ? 9 : 1);
    }
  }
  const MarkWindows windows(test.trace);
  EXPECT_EQ(windows.of(trace::RankId{0}).size(), 1024U);
  EXPECT_TRUE(windows.of(trace::RankId{0}).contains("emja"));
  EXPECT_EQ(windows.asked_classes(), 1024U);
  EXPECT_EQ(windows.all_classes(), 3'000U);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
