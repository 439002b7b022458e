// Each check of health: one case that turns it on and one that just does not.
#include "analysis/summary/health.h"

#include <gtest/gtest.h>

#include "analysis/summary/summary.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::summary {
namespace {

std::uint64_t count(const trace::TestTrace& test, const DiagnosticKind& kind) {
  return summarize(test.trace).diagnostics.count_of(kind);
}

// One stream and `launches` launches with their kernels, 1 us apart.
struct LaunchedKernels : trace::TestTrace {
  explicit LaunchedKernels(int launches, std::int64_t first_ns = 0)
      : stream(add_stream(add_device("0"), "7")) {
    for (int i = 0; i < launches; ++i) {
      launch(stream, "gemm", first_ns + i * 1000, first_ns + i * 1000 + 100, 500, 1 + i);
    }
  }
  void lost_launch(std::int64_t at_ns, std::int64_t correlation) {
    add(host, trace::Kind::kRuntimeCall, "cudaLaunchKernel", at_ns, 5, correlation);
  }
  trace::TrackId stream;
};

TEST(Health, CleanTraceHasNoDiagnostics) {
  EXPECT_TRUE(summarize(LaunchedKernels(5).trace).diagnostics.entries().empty());
}

TEST(Health, KernelThatBeginsBeforeThePreviousEndsOverlaps) {
  LaunchedKernels test(1);
  test.launch(test.stream, "next", 10, 599, 500, 2);
  EXPECT_EQ(count(test, kStreamOverlap), 1U);
  EXPECT_EQ(count(test, kStreamOverlapLarge), 0U);
}

TEST(Health, TouchingKernelsDoNotOverlap) {
  LaunchedKernels test(1);
  test.launch(test.stream, "next", 10, 600, 500, 2);
  EXPECT_EQ(count(test, kStreamOverlap), 0U);
}

TEST(Health, KernelsOfTwoStreamsDoNotOverlap) {
  LaunchedKernels test(1);
  const trace::TrackId other = test.add_stream(trace::DeviceId{0}, "8");
  test.launch(other, "next", 10, 100, 500, 2);
  EXPECT_EQ(count(test, kStreamOverlap), 0U);
}

TEST(Health, OutlastingTheNextKernelByMoreThanTenMicrosecondsIsLarge) {
  LaunchedKernels test(0);
  test.launch(test.stream, "long", 0, 100, 20'000, 1);
  test.launch(test.stream, "next", 10, 200, 9'899, 2);
  EXPECT_EQ(count(test, kStreamOverlapLarge), 1U);
}

TEST(Health, OutlastingTheNextKernelByTenMicrosecondsIsNotLarge) {
  LaunchedKernels test(0);
  test.launch(test.stream, "long", 0, 100, 20'000, 1);
  test.launch(test.stream, "next", 10, 200, 9'900, 2);
  EXPECT_EQ(count(test, kStreamOverlapLarge), 0U);
  EXPECT_EQ(count(test, kStreamOverlap), 1U);
}

TEST(Health, EarlierKernelWrittenLaterIsOutOfOrder) {
  LaunchedKernels test(2, 10'000);
  test.launch(test.stream, "late", 0, 100, 500, 9);
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.diagnostics.count_of(kOutOfOrder), 1U);
  EXPECT_EQ(summary.diagnostics.count_of(kStreamOverlap), 0U);
  const Diagnostic& found = summary.diagnostics.entries().front();
  EXPECT_EQ(found.example, "stream 7");
  EXPECT_EQ(found.first.unit, Place::Unit::kTime);
  EXPECT_EQ(found.first.at, 100'000U);
}

TEST(Health, EqualStartsAreInOrder) {
  LaunchedKernels test(1);
  test.launch(test.stream, "same", 10, 100, 500, 2);
  EXPECT_EQ(count(test, kOutOfOrder), 0U);
}

TEST(Health, DeviceWorkWithoutFlowIsSeenWhereOthersHaveOne) {
  LaunchedKernels test(3);
  test.add(test.stream, trace::Kind::kKernel, "orphan", 9'000, 10);
  EXPECT_EQ(count(test, kDeviceWorkWithoutLaunch), 1U);
}

TEST(Health, LongNamesOfExamplesAreCut) {
  LaunchedKernels test(3);
  test.add(test.stream, trace::Kind::kKernel, std::string(1000, 'x'), 9'000, 10);
  EXPECT_EQ(summarize(test.trace).diagnostics.entries().front().example,
            std::string(60, 'x') + "...");
}

TEST(Health, LongNamesOfExamplesAreCutBetweenCharacters) {
  LaunchedKernels test(3);
  test.add(test.stream, trace::Kind::kKernel, std::string(59, 'x') + "\u00E4\u00F6", 9'000, 10);
  EXPECT_EQ(summarize(test.trace).diagnostics.entries().front().example,
            std::string(59, 'x') + "...");
}

TEST(Health, DeviceWorkWithoutFlowIsNormalWhereNoFlowsAreRecorded) {
  LaunchedKernels test(3);
  test.add(test.stream, trace::Kind::kKernel, "orphan", 9'000, 10);
  test.trace.flows.truncate(0);
  EXPECT_EQ(count(test, kDeviceWorkWithoutLaunch), 0U);
}

TEST(Health, FlowsOfOneRankSayNothingOfAnother) {
  LaunchedKernels test(3);
  test.add_rank(1);
  test.add(test.add_stream(test.add_device("0"), "7"), trace::Kind::kKernel, "orphan", 9'000, 10);
  EXPECT_EQ(count(test, kDeviceWorkWithoutLaunch), 0U);
}

TEST(Health, LaunchWhoseCorrelationNoDeviceEventHasIsSeen) {
  LaunchedKernels test(3);
  test.lost_launch(50'000, 99);
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.diagnostics.count_of(kLaunchWithoutDeviceWork), 1U);
  EXPECT_FALSE(summary.diagnostics.has_loss());
}

TEST(Health, LaunchWithoutCorrelationCannotBeJudged) {
  LaunchedKernels test(3);
  test.lost_launch(50'000, trace::kNoCorrelation);
  EXPECT_EQ(count(test, kLaunchWithoutDeviceWork), 0U);
}

TEST(Health, ThreeLostLaunchesAtTheStartAreAMissingPrefix) {
  LaunchedKernels test(2, 10'000);
  for (int i = 0; i < 3; ++i) test.lost_launch(i, 100 + i);
  test.lost_launch(90'000, 200);
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.diagnostics.count_of(kMissingDevicePrefix), 3U);
  EXPECT_EQ(summary.diagnostics.count_of(kLaunchWithoutDeviceWork), 1U);
  EXPECT_TRUE(summary.diagnostics.has_loss());
}

TEST(Health, TwoLostLaunchesAtTheStartAreNot) {
  LaunchedKernels test(2, 10'000);
  for (int i = 0; i < 2; ++i) test.lost_launch(i, 100 + i);
  EXPECT_EQ(count(test, kMissingDevicePrefix), 0U);
  EXPECT_EQ(count(test, kLaunchWithoutDeviceWork), 2U);
}

TEST(Health, LostLaunchesAtTheEndAreNoPrefix) {
  LaunchedKernels test(2);
  for (int i = 0; i < 5; ++i) test.lost_launch(90'000 + i, 100 + i);
  EXPECT_EQ(count(test, kMissingDevicePrefix), 0U);
}

TEST(Health, LaunchesThatMayHaveGoneIntoAGraphAreNotLost) {
  LaunchedKernels test(2, 10'000);
  test.add(test.host, trace::Kind::kRuntimeCall, "cudaStreamBeginCapture", 0, 1);
  for (int i = 0; i < 3; ++i) test.lost_launch(1 + i, 100 + i);
  EXPECT_EQ(count(test, kMissingDevicePrefix), 0U);
  EXPECT_EQ(count(test, kLaunchWithoutDeviceWork), 3U);
}

TEST(Health, KernelsOfAGraphAreCounted) {
  LaunchedKernels test(2);
  test.add(test.host, trace::Kind::kRuntimeCall, "cudaGraphLaunch", 5'000, 5, 77);
  for (int i = 0; i < 4; ++i) {
    test.add(test.stream, trace::Kind::kKernel, "node", 6'000 + i * 100, 50, 77);
  }
  EXPECT_EQ(count(test, kGraphLaunch), 4U);
  EXPECT_EQ(count(test, kLaunchWithoutDeviceWork), 0U);
}

TEST(Health, GraphLaunchWithoutKernelsIsALaunchWithoutWork) {
  LaunchedKernels test(2);
  test.add(test.host, trace::Kind::kRuntimeCall, "cudaGraphLaunch", 5'000, 5, 77);
  EXPECT_EQ(count(test, kGraphLaunch), 0U);
  EXPECT_EQ(count(test, kLaunchWithoutDeviceWork), 1U);
}

TEST(Health, TraceWithoutDeviceEventsIsCpuOnly) {
  trace::TestTrace test;
  test.add(test.host, trace::Kind::kHostOp, "aten::add", 0, 10);
  EXPECT_EQ(count(test, kNoDeviceEvents), 1U);
  EXPECT_FALSE(summarize(test.trace).diagnostics.has_loss());
}

TEST(Health, OneCopyMakesATraceNotCpuOnly) {
  trace::TestTrace test;
  test.add(test.add_stream(test.add_device("0"), "7"), trace::Kind::kMemcpy, "Memcpy HtoD", 0, 10);
  EXPECT_EQ(count(test, kNoDeviceEvents), 0U);
}

TEST(Health, LaunchesWithoutAnyDeviceEventAreALoss) {
  trace::TestTrace test;
  test.add(test.host, trace::Kind::kRuntimeCall, "cudaLaunchKernel", 0, 5, 1);
  EXPECT_EQ(count(test, kNoDeviceEvents), 0U);
  EXPECT_EQ(count(test, kNoKernelsDespiteLaunches), 1U);
  EXPECT_TRUE(summarize(test.trace).diagnostics.has_loss());
}

TEST(Health, FindingsNameTheInputOfTheirRank) {
  LaunchedKernels test(3);
  test.add_rank(1);
  test.add(test.host, trace::Kind::kHostOp, "aten::add", 0, 10);
  const Summary summary = summarize(test.trace);
  ASSERT_EQ(summary.diagnostics.entries().size(), 1U);
  EXPECT_EQ(summary.diagnostics.entries().front().source, "rank1.json");
}

}  // namespace
}  // namespace lockstep::analysis::summary
