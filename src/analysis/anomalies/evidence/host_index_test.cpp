// Nesting, leaves, and calls that wait.
#include "analysis/anomalies/evidence/host_index.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/anomalies/evidence/host_calls.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr algo::Interval ns(std::int64_t begin, std::int64_t end) {
  return {begin * kPicosecondsPerNanosecond, end * kPicosecondsPerNanosecond};
}

std::string leaf_names(const trace::Trace& trace, const HostThread& thread) {
  std::string names;
  for (const trace::EventId leaf : thread.leaves) {
    names += trace.text(trace.events.name[trace::index_of(leaf)]);
    names += ' ';
  }
  return names;
}

TEST(HostCalls, CallsOfAllRuntimesAreKnown) {
  const auto call = [](std::string_view name) {
    return host_call_named(name, trace::Kind::kRuntimeCall);
  };
  for (const std::string_view name :
       {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cuCtxSynchronize", "hipEventSynchronize",
        "AscendCL@aclrtSynchronizeStreamWithTimeout"})
    EXPECT_EQ(call(name), HostCall::kSynchronize) << name;
  for (const std::string_view name : {"cudaMemcpyAsync", "hipMemcpyWithStream", "aclrtMemcpyAsync"})
    EXPECT_EQ(call(name), HostCall::kCopy) << name;
  for (const std::string_view name : {"cudaStreamWaitEvent", "aclrtStreamWaitEvent", "Hccl@Launch"})
    EXPECT_EQ(call(name), HostCall::kCommunication) << name;
  for (const std::string_view name : {"cudaLaunchKernel", "cudaEventQuery", "cudaMalloc"})
    EXPECT_EQ(call(name), HostCall::kOther) << name;
}

TEST(HostCalls, OperatorsAreKnownByTheirWholeName) {
  const auto op = [](std::string_view name) { return host_call_named(name, trace::Kind::kHostOp); };
  EXPECT_EQ(op("aten::to"), HostCall::kMayWait);
  EXPECT_EQ(op("aten::topk"), HostCall::kOther);
  EXPECT_EQ(op("aten::broadcast_to"), HostCall::kOther);
  EXPECT_EQ(op("aten::copy_"), HostCall::kMayWait);
  EXPECT_EQ(op("c10d::allreduce_"), HostCall::kCommunication);
  EXPECT_EQ(op("nccl:all_reduce"), HostCall::kCommunication);
  EXPECT_EQ(op("cudaStreamSynchronize"), HostCall::kOther);
  EXPECT_EQ(host_call_named("c10d::allreduce_", trace::Kind::kPython), HostCall::kOther);
}

TEST(HostCalls, WhatTheReaderCallsSynchronisingIsSynchronising) {
  EXPECT_EQ(host_call_named("wait for stream", trace::Kind::kSynchronize), HostCall::kSynchronize);
}

TEST(HostCalls, OneNameOfSeveralKindsIsAskedForEach) {
  StringPool strings;
  const StringId wait = strings.intern("wait for stream");
  const StringId item = strings.intern("aten::item");
  HostCalls calls(strings);
  EXPECT_EQ(calls.of(wait, trace::Kind::kRuntimeCall), HostCall::kOther);
  EXPECT_EQ(calls.of(wait, trace::Kind::kSynchronize), HostCall::kSynchronize);
  EXPECT_EQ(calls.of(item, trace::Kind::kPython), HostCall::kOther);
  EXPECT_EQ(calls.of(item, trace::Kind::kHostOp), HostCall::kMayWait);
}

TEST(HostIndex, OnlyLeavesAreSeenWork) {
  trace::TestTrace test;
  test.add(test.host, trace::Kind::kRuntimeCall, "call", 20, 10);
  test.add(test.host, trace::Kind::kPython, "frame", 0, 100);
  test.add(test.host, trace::Kind::kHostOp, "op", 10, 30);
  test.add(test.host, trace::Kind::kHostOp, "alone", 50, 10);
  test.add(test.host, trace::Kind::kAnnotation, "step", 0, 100);
  test.add(test.host, trace::Kind::kHostOp, "empty", 70, 0);
  const HostIndex host = index_hosts(test.trace).front();
  ASSERT_EQ(host.threads.size(), 1U);
  EXPECT_EQ(leaf_names(test.trace, host.threads[0]), "call alone ");
  EXPECT_TRUE(host.has_python);
  EXPECT_EQ(host.threads[0].parents, (std::vector<std::int32_t>{-1, 0, 1, 0}));
}

TEST(HostIndex, ALeafThatEndsBeforeAnEarlierOneIsLeftOut) {
  trace::TestTrace test;
  const trace::TrackId second = test.add_host_thread("2");
  test.add(test.host, trace::Kind::kHostOp, "a", 0, 50);
  test.add(test.host, trace::Kind::kHostOp, "b", 40, 40);
  test.add(second, trace::Kind::kHostOp, "c", 40, 5);
  const HostIndex host = index_hosts(test.trace).front();
  EXPECT_EQ(leaf_names(test.trace, host.threads[0]), "a b ");
  EXPECT_EQ(leaf_names(test.trace, host.threads[1]), "c ");
}

TEST(HostIndex, AnOperatorWaitsOnlyWithAWaitingCallInside) {
  trace::TestTrace test;
  test.add(test.host, trace::Kind::kHostOp, "aten::to", 0, 50);
  test.add(test.host, trace::Kind::kHostOp, "aten::copy_", 5, 40);
  test.add(test.host, trace::Kind::kRuntimeCall, "cudaLaunchKernel", 10, 10);
  EXPECT_TRUE(index_hosts(test.trace).front().threads[0].syncs.empty());
  test.add(test.host, trace::Kind::kRuntimeCall, "cudaMemcpyAsync", 22, 10);
  EXPECT_EQ(index_hosts(test.trace).front().threads[0].syncs, (std::vector{ns(0, 50)}));
}

TEST(HostIndex, AnotherOperatorBetweenDoesNotWait) {
  trace::TestTrace test;
  test.add(test.host, trace::Kind::kHostOp, "aten::to", 0, 50);
  test.add(test.host, trace::Kind::kHostOp, "my_op", 5, 40);
  test.add(test.host, trace::Kind::kRuntimeCall, "cudaStreamSynchronize", 10, 10);
  EXPECT_EQ(index_hosts(test.trace).front().threads[0].syncs, (std::vector{ns(10, 20)}));
}

TEST(HostIndex, ThreadsRanksAndOverheadAreApart) {
  trace::TestTrace test;
  const trace::TrackId other = test.add_host_thread("2");
  test.add(test.host, trace::Kind::kHostOp, "a", 0, 10);
  test.add(other, trace::Kind::kHostOp, "c10d::allreduce_", 0, 10);
  test.add(other, trace::Kind::kOverhead, "buffer flush", 20, 10);
  test.add_rank(1);
  test.add(test.host, trace::Kind::kPython, "f", 0, 10);
  const std::vector<HostIndex> hosts = index_hosts(test.trace);
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].threads.size(), 2U);
  EXPECT_EQ(hosts[0].threads[1].comms, (std::vector{ns(0, 10)}));
  EXPECT_EQ(hosts[0].overhead, (std::vector{ns(20, 30)}));
  EXPECT_FALSE(hosts[0].has_python);
  EXPECT_EQ(hosts[1].threads.size(), 1U);
  EXPECT_TRUE(hosts[1].has_python);
  EXPECT_EQ(hosts[1].thread_of(test.trace, trace::EventId{0}), nullptr);
}

TEST(HostIndex, EventsAreFoundAmongThoseOfOneStart) {
  trace::TestTrace test;
  test.add(test.host, trace::Kind::kHostOp, "outer", 10, 50);
  const trace::EventId inner = test.add(test.host, trace::Kind::kHostOp, "inner", 10, 20);
  const trace::EventId elsewhere = test.add(test.host, trace::Kind::kAnnotation, "mark", 10, 20);
  const HostIndex host = index_hosts(test.trace).front();
  EXPECT_EQ(host.threads[0].index_of_event(test.trace, inner), 1);
  EXPECT_EQ(host.threads[0].index_of_event(test.trace, elsewhere), -1);
}

// A leaf is an event that contains no other; properly nested events, in any order of the file.
RC_GTEST_PROP(HostIndexProperties, LeavesAreEventsWithoutOthersInside, ()) {
  struct Span {
    std::int64_t start, end;
  };
  std::vector<Span> spans;
  std::vector<Span> open = {{0, 200}};
  const int count = *rc::gen::inRange(1, 20);
  for (int i = 0; i < count; ++i) {
    const Span in = open[*rc::gen::inRange<std::size_t>(0, open.size())];
    if (in.end - in.start < 4) continue;
    const auto from = *rc::gen::inRange(in.start, in.end - 1);
    const auto to = *rc::gen::inRange(from + 1, in.end);
    const bool crosses = std::ranges::any_of(spans, [&](const Span& s) {
      return (s.start < from && from < s.end && s.end < to) ||
             (from < s.start && s.start < to && to < s.end) || (s.start == from && s.end == to);
    });
    if (crosses) continue;
    spans.push_back({from, to});
    open.push_back({from, to});
  }
  trace::TestTrace test;
  for (const Span& span : spans)
    test.add(test.host, trace::Kind::kHostOp, "op", span.start, span.end - span.start);
  std::vector<std::int64_t> expected;
  for (const Span& a : spans) {
    const bool has_child = std::ranges::any_of(
        spans, [&](const Span& b) { return &a != &b && b.start >= a.start && b.end <= a.end; });
    if (!has_child) expected.push_back(a.start);
  }
  std::ranges::sort(expected);
  std::vector<std::int64_t> found;
  for (const HostIndex& host : index_hosts(test.trace)) {
    for (const HostThread& thread : host.threads) {
      for (const trace::EventId leaf : thread.leaves)
        found.push_back(floor_ns(test.trace.events.start[trace::index_of(leaf)]));
    }
  }
  RC_ASSERT(found == expected);
}

TEST(HostIndex, OfVeryManyThreadsTheBusiestAreEvidence) {
  trace::TestTrace test;
  for (int t = 0; t < 1'500; ++t) {
    const trace::TrackId thread = test.add_host_thread("t" + std::to_string(t));
    const int events = t % 3 == 0 ? 2 : 1;
    for (int i = 0; i < events; ++i) test.add(thread, trace::Kind::kHostOp, "op", 100 * i, 10);
  }
  const HostIndex host = index_hosts(test.trace).front();
  EXPECT_EQ(host.threads.size(), 1'500U);
  ASSERT_EQ(host.evidence.size(), kMostEvidenceThreads);
  EXPECT_TRUE(std::ranges::is_sorted(host.evidence));
  for (std::uint32_t t = 0; t < 1'500; t += 3) {
    EXPECT_TRUE(std::ranges::binary_search(host.evidence, t)) << t;
  }
}

TEST(HostIndex, EventsThatBeginTogetherAreFoundByTheirPlace) {
  trace::TestTrace test;
  std::vector<trace::EventId> events;
  for (int i = 0; i < 300; ++i)
    events.push_back(test.add(test.host, trace::Kind::kHostOp, "op", 100, 10 + i % 7));
  const HostIndex host = index_hosts(test.trace).front();
  for (const trace::EventId event : events) {
    const std::int32_t at = host.threads[0].index_of_event(test.trace, event);
    ASSERT_GE(at, 0);
    EXPECT_EQ(host.threads[0].events[static_cast<std::size_t>(at)], event);
  }
  const trace::EventId other =
      test.add(test.add_host_thread("2"), trace::Kind::kHostOp, "op", 100, 10);
  EXPECT_EQ(host.threads[0].index_of_event(test.trace, other), -1);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
