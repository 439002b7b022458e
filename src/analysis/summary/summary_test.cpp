// Claims on the figures of a summary, on traces built by hand.
#include "analysis/summary/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/summary/natural_order.h"
#include "trace/flow_binder.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::summary {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr WideTime ns(std::int64_t count) { return WideTime{count} * kPicosecondsPerNanosecond; }

std::uint64_t of_kind(const Summary& summary, trace::Kind kind) {
  return summary.by_kind[static_cast<std::size_t>(kind)];
}

struct OneStream : trace::TestTrace {
  OneStream() : device(add_device("0")), stream(add_stream(device, "7")) {}
  trace::DeviceId device;
  trace::TrackId stream;
};

TEST(Summary, EmptyTraceHasZeroOfEverything) {
  const Summary summary = summarize(trace::Trace{});
  EXPECT_EQ(summary.events, 0U);
  EXPECT_EQ(summary.span, 0);
  EXPECT_EQ(summary.device_busy, 0);
  EXPECT_FALSE(summary.origin_ns.has_value());
}

TEST(Summary, TheCheckAloneSaysTheSame) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "gemm", 0, 10);
  test.add(test.stream, trace::Kind::kKernel, "gemm", 5, 10);
  test.add(test.host, trace::Kind::kHostOp, "aten::mm", 0, 10);
  test.trace.diagnostics.add(trace::kUnmatchedFlow);
  const Diagnostics of_summary = summarize(test.trace).diagnostics;
  const Diagnostics alone = check(test.trace);
  ASSERT_EQ(alone.entries().size(), of_summary.entries().size());
  for (std::size_t i = 0; i < alone.entries().size(); ++i) {
    EXPECT_EQ(alone.entries()[i].kind, of_summary.entries()[i].kind);
    EXPECT_EQ(alone.entries()[i].count, of_summary.entries()[i].count);
  }
}

TEST(Summary, EventsAreTheSumOfKinds) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "gemm", 0, 10);
  test.add(test.stream, trace::Kind::kMemset, "Memset", 20, 10);
  test.add(test.host, trace::Kind::kHostOp, "aten::mm", 0, 10);
  test.add_instant(test.host, trace::Kind::kAnnotation, "mark", 5);
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.events, 4U);
  EXPECT_EQ(of_kind(summary, trace::Kind::kKernel), 1U);
  EXPECT_EQ(of_kind(summary, trace::Kind::kAnnotation), 1U);
  EXPECT_EQ(summary.host_events, 2U);
}

TEST(Summary, KernelsAreComputingCommunicationAndAiCpuOnDevices) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "gemm", 0, 10);
  test.add(test.stream, trace::Kind::kCommunication, "nccl", 20, 10);
  test.add(test.stream, trace::Kind::kAiCpu, "TopK", 40, 10);
  test.add(test.stream, trace::Kind::kMemcpy, "Memcpy", 60, 10);
  test.add(test.host, trace::Kind::kCommunication, "c10d::all_reduce", 0, 10);
  EXPECT_EQ(summarize(test.trace).kernels, 3U);
}

TEST(Summary, BusyIsTheUnionOfWorkAndNotItsSum) {
  OneStream test;
  const trace::TrackId other = test.add_stream(test.device, "8");
  test.add(test.stream, trace::Kind::kKernel, "a", 0, 100);
  test.add(test.stream, trace::Kind::kKernel, "b", 50, 100);
  test.add(other, trace::Kind::kMemcpy, "c", 120, 100);
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.device_busy, ns(220));
  EXPECT_THAT(
      summary.ranks[0].devices[0].streams,
      ElementsAre(Field(&StreamSummary::busy, ns(150)), Field(&StreamSummary::busy, ns(100))));
}

TEST(Summary, ComputingAndCommunicatingAreUnionsOfTheirOwn) {
  OneStream test;
  const trace::TrackId other = test.add_stream(test.device, "8");
  test.add(test.stream, trace::Kind::kKernel, "a", 0, 100);
  test.add(other, trace::Kind::kAiCpu, "b", 50, 100);
  test.add(other, trace::Kind::kCommunication, "c", 120, 100);
  test.add(test.stream, trace::Kind::kMemcpy, "d", 200, 100);
  test.add(other, trace::Kind::kDuplicate, "c", 500, 100);
  const DeviceSummary device = summarize(test.trace).ranks[0].devices[0];
  EXPECT_EQ(device.compute_busy, ns(150));
  EXPECT_EQ(device.communication_busy, ns(100));
  EXPECT_EQ(device.kernel_busy, ns(220));
  EXPECT_EQ(device.busy, ns(300));
  EXPECT_EQ(device.kernels, 3U);
}

TEST(Summary, ComputingIsRightWhateverTheOrderOfTheFile) {
  OneStream test;
  test.add(test.stream, trace::Kind::kMemcpy, "copy", 500, 100);
  test.add(test.stream, trace::Kind::kCommunication, "c", 300, 10);
  test.add(test.stream, trace::Kind::kKernel, "a", 0, 1);
  const DeviceSummary device = summarize(test.trace).ranks[0].devices[0];
  EXPECT_EQ(device.compute_busy, ns(1));
  EXPECT_EQ(device.communication_busy, ns(10));
}

TEST(Summary, WaitsAndDeviceAnnotationsAreNotBusy) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "a", 0, 100);
  test.add(test.stream, trace::Kind::kEventWait, "wait", 200, 1000);
  test.add(test.stream, trace::Kind::kAnnotation, "prefill", 0, 5000);
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.device_busy, ns(100));
  EXPECT_EQ(summary.device_span, ns(100));
  EXPECT_EQ(summary.span, ns(5000));
}

TEST(Summary, PicosecondsAreAddedBeforeTheyAreFloored) {
  OneStream test;
  test.add_ps(test.stream, trace::Kind::kKernel, "a", 0, 700);
  test.add_ps(test.stream, trace::Kind::kKernel, "b", 1000, 700);
  EXPECT_EQ(summarize(test.trace).device_busy, 1400);
}

TEST(Summary, BusyOfDevicesIsAdded) {
  OneStream test;
  const trace::TrackId other = test.add_stream(test.add_device("1"), "7");
  test.add(test.stream, trace::Kind::kKernel, "a", 0, 100);
  test.add(other, trace::Kind::kKernel, "a", 0, 100);
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.device_busy, ns(200));
  EXPECT_EQ(summary.device_span, ns(100));
}

TEST(Summary, RanksOfDifferentZerosHaveNoSpanTogether) {
  trace::TestTrace test;
  test.trace.ranks[0].origin = {1'000, Clock::kEpoch};
  test.add(test.host, trace::Kind::kHostOp, "a", 0, 10);
  test.add_rank(1, {5, Clock::kUnknown});
  test.add(test.host, trace::Kind::kHostOp, "b", 500, 30);
  EXPECT_EQ(summarize(test.trace, {}).span, 30'000);
  test.trace.ranks[1].origin = test.trace.ranks[0].origin;
  EXPECT_EQ(summarize(test.trace, {}).span, 530'000);
}

TEST(Summary, ProfilersOwnSpanIsLeftOut) {
  OneStream test;
  const trace::TrackId spans = test.add_host_thread("PyTorch Profiler");
  test.add(test.host, trace::Kind::kHostOp, "aten::mm", 100, 50);
  test.add(spans, trace::Kind::kAnnotation, "PyTorch Profiler (0)", 0, 9000, trace::kNoCorrelation,
           "Trace");
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.span, ns(50));
  EXPECT_EQ(summary.host_threads, 1U);
  EXPECT_EQ(summary.host_events, 2U);
  EXPECT_THAT(summary.annotations, IsEmpty());
}

TEST(Summary, InstantsMakeNeitherSpanNorThread) {
  trace::TestTrace test;
  test.add_instant(test.host, trace::Kind::kAnnotation, "mark", 5'000);
  const Summary summary = summarize(test.trace);
  EXPECT_EQ(summary.span, 0);
  EXPECT_EQ(summary.host_threads, 0U);
}

TEST(Summary, SpanFarFromTheOriginDoesNotOverflow) {
  trace::TestTrace test;
  test.add_ps(test.host, trace::Kind::kHostOp, "early", -kMaxDistanceFromOriginPs, 1);
  test.add_ps(test.host, trace::Kind::kHostOp, "late", kMaxDistanceFromOriginPs, 1);
  EXPECT_EQ(summarize(test.trace).span, WideTime{kMaxDistanceFromOriginPs} * 2 + 1);
}

TEST(Summary, DevicesWithoutEventsAreNotListed) {
  OneStream test;
  test.add_device("1");
  test.add_stream(test.device, "8");
  test.add(test.stream, trace::Kind::kKernel, "a", 0, 100);
  const Summary summary = summarize(test.trace);
  ASSERT_EQ(summary.ranks[0].devices.size(), 1U);
  EXPECT_EQ(summary.ranks[0].devices[0].name, "NVIDIA H200");
  EXPECT_EQ(summary.ranks[0].devices[0].streams.size(), 1U);
}

TEST(Summary, StreamsAreListedByValue) {
  OneStream test;
  const trace::TrackId twenty = test.add_stream(test.device, "20");
  const trace::TrackId lane = test.add_stream(test.device, "lane");
  for (const trace::TrackId track : {lane, twenty, test.stream}) {
    test.add(track, trace::Kind::kKernel, "a", 0, 1);
  }
  EXPECT_THAT(summarize(test.trace).ranks[0].devices[0].streams,
              ElementsAre(Field(&StreamSummary::id, "7"), Field(&StreamSummary::id, "20"),
                          Field(&StreamSummary::id, "lane")));
}

TEST(Summary, RanksAreListedByNumberAndUnknownOnesLast) {
  trace::TestTrace test;
  test.trace.ranks[0].number = std::nullopt;
  test.add_rank(10);
  test.add_rank(2);
  EXPECT_THAT(summarize(test.trace).ranks,
              ElementsAre(Field(&RankSummary::number, 2), Field(&RankSummary::number, 10),
                          Field(&RankSummary::number, std::nullopt)));
}

TEST(Summary, OriginIsGivenOnlyWhenAllRanksShareIt) {
  trace::TestTrace test;
  test.trace.ranks[0].origin = {5, Clock::kBoot};
  test.add_rank(1, {5, Clock::kBoot});
  EXPECT_EQ(summarize(test.trace).origin_ns, 5);
  test.add_rank(2, {6, Clock::kBoot});
  EXPECT_FALSE(summarize(test.trace).origin_ns.has_value());
  EXPECT_EQ(summarize(test.trace).clock, Clock::kBoot);
}

TEST(Summary, ClocksThatDifferAreNoCommonClock) {
  trace::TestTrace test;
  test.trace.ranks[0].origin = {5, Clock::kEpoch};
  test.add_rank(1, {5, Clock::kBoot});
  EXPECT_EQ(summarize(test.trace).clock, Clock::kUnknown);
  EXPECT_FALSE(summarize(test.trace).origin_ns.has_value());
}

TEST(Summary, KernelsAreAddedByNameAndSortedByTotal) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "small", 0, 10);
  test.add(test.stream, trace::Kind::kKernel, "gemm", 20, 30);
  test.add(test.stream, trace::Kind::kKernel, "small", 60, 15);
  const Summary summary = summarize(test.trace);
  ASSERT_EQ(summary.top_kernels.size(), 2U);
  EXPECT_EQ(summary.top_kernels[0].name, "gemm");
  EXPECT_EQ(summary.top_kernels[1].count, 2U);
  EXPECT_EQ(summary.top_kernels[1].total, ns(25));
  EXPECT_EQ(summary.top_kernels[1].min.ps, ns(10));
  EXPECT_EQ(summary.top_kernels[1].max.ps, ns(15));
  EXPECT_EQ(summary.kernel_time, ns(55));
}

TEST(Summary, SpellingsOfOneNameAreOneKernel) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "_ZN3foo3barEf", 0, 10);
  test.add(test.stream, trace::Kind::kKernel, "_ZN3foo3barEf.kd", 20, 30);
  test.add(test.stream, trace::Kind::kKernel, "gemm", 60, 15);
  test.add(test.stream, trace::Kind::kKernel, "foo::bar(float)", 80, 5);
  test.add(test.stream, trace::Kind::kKernel, "gemm [clone .kd]", 90, 1);
  const Summary summary = summarize(test.trace, {.top = 1});
  ASSERT_EQ(summary.top_kernels.size(), 1U);
  EXPECT_EQ(summary.kernel_names, 2U);
  EXPECT_EQ(summary.top_kernels[0].name, "foo::bar(float)");
  EXPECT_EQ(summary.top_kernels[0].count, 3U);
  EXPECT_EQ(summary.top_kernels[0].total, ns(45));
  EXPECT_EQ(summary.top_kernels[0].min.ps, ns(5));
  EXPECT_EQ(summary.top_kernels[0].max.ps, ns(30));
  EXPECT_EQ(summary.kernel_time, ns(61));
}

TEST(Summary, EqualTotalsAreSortedByDemangledNameAlsoAtTheCut) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "_Z4aaaav", 0, 10);  // aaaa()
  test.add(test.stream, trace::Kind::kKernel, "Middle", 20, 10);
  test.add(test.stream, trace::Kind::kKernel, "zzz", 40, 10);
  const Summary summary = summarize(test.trace, {.top = 2});
  EXPECT_THAT(summary.top_kernels, ElementsAre(Field(&KernelNameSummary::name, "Middle"),
                                               Field(&KernelNameSummary::name, "aaaa()")));
  EXPECT_EQ(summary.kernel_names, 3U);
}

TEST(Summary, TopZeroListsNoKernel) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "gemm", 0, 10);
  EXPECT_THAT(summarize(test.trace, {.top = 0}).top_kernels, IsEmpty());
}

TEST(Summary, StepsAreSortedByRankThenStart) {
  trace::TestTrace test;
  test.trace.ranks[0].number = 4;
  test.add_step("ProfilerStep#9", 0, 10);
  test.add_rank(3);
  test.add_step("ProfilerStep#2", 20, 30);
  test.add_step("ProfilerStep#1", 10, 20);
  EXPECT_THAT(summarize(test.trace).steps,
              ElementsAre(Field(&StepSummary::name, "ProfilerStep#1"),
                          Field(&StepSummary::name, "ProfilerStep#2"),
                          Field(&StepSummary::name, "ProfilerStep#9")));
}

TEST(Summary, AllWorkIsLaunchedWhereEveryLaunchIsKnown) {
  OneStream test;
  EXPECT_FALSE(summarize(test.trace).is_all_launched) << "there is no work";
  test.launch(test.stream, "a", 10, 20, 10, 1);
  EXPECT_TRUE(summarize(test.trace).is_all_launched);
  test.add_rank(1);
  EXPECT_TRUE(summarize(test.trace).is_all_launched) << "a rank without work lacks none";
  test.add(test.add_stream(test.add_device("0"), "7"), trace::Kind::kKernel, "b", 0, 5);
  EXPECT_FALSE(summarize(test.trace).is_all_launched);
}

TEST(Summary, StepsAreNotAnnotations) {
  trace::TestTrace test;
  test.add_step("train", 0, 10);
  test.add(test.host, trace::Kind::kAnnotation, "train", 0, 10);
  test.add(test.host, trace::Kind::kAnnotation, "ProfilerStep#1", 0, 10);
  test.add(test.host, trace::Kind::kAnnotation, "decode", 0, 10);
  test.add(test.host, trace::Kind::kAnnotation, "decode", 10, 10);
  test.add(test.host, trace::Kind::kAnnotation, "prefill", 0, 10);
  test.add(test.host, trace::Kind::kAnnotation, "argmax", 0, 10);
  const Summary summary = summarize(test.trace);
  ASSERT_EQ(summary.annotations.size(), 3U);
  EXPECT_EQ(summary.annotations[0].name, "decode");
  EXPECT_EQ(summary.annotations[0].count, 2U);
  EXPECT_EQ(summary.annotations[1].name, "argmax");
}

TEST(Summary, DeviceCopiesOfAnnotationsAreNotCounted) {
  OneStream test;
  test.add(test.host, trace::Kind::kAnnotation, "decode", 0, 10);
  test.add(test.stream, trace::Kind::kAnnotation, "decode", 0, 10);
  EXPECT_EQ(summarize(test.trace).annotations[0].count, 1U);
}

TEST(Summary, CollectivesAreAddedByOperation) {
  OneStream test;
  const StringId reduce = test.trace.strings.intern("all_reduce");
  const StringId gather = test.trace.strings.intern("all_gather");
  for (const auto& [op, duration] :
       {std::pair(reduce, 10), std::pair(gather, 50), std::pair(reduce, 20)}) {
    trace::Collective collective;
    collective.event = test.add(test.stream, trace::Kind::kCommunication, "nccl", 0, duration);
    collective.op = op;
    test.trace.collectives.push_back(collective);
  }
  const Summary summary = summarize(test.trace);
  ASSERT_EQ(summary.collectives.size(), 2U);
  EXPECT_EQ(summary.collectives[0].op, "all_gather");
  EXPECT_EQ(summary.collectives[1].count, 2U);
  EXPECT_EQ(summary.collectives[1].total, ns(30));
}

TEST(Summary, NamesAreValidUtf8) {
  OneStream test;
  test.add(test.stream, trace::Kind::kKernel, "bad\xFFname", 0, 10);
  EXPECT_EQ(summarize(test.trace).top_kernels[0].name, "bad\xEF\xBF\xBDname");
}

TEST(NaturalOrder, NumbersComeByValueBeforeText) {
  EXPECT_TRUE(comes_before("7", "20"));
  EXPECT_TRUE(comes_before("-1", "0"));
  EXPECT_TRUE(comes_before("20", "a"));
  EXPECT_FALSE(comes_before("a", "20"));
  EXPECT_FALSE(comes_before("7", "7"));
  EXPECT_TRUE(comes_before("07", "7"));
}

}  // namespace
}  // namespace lockstep::analysis::summary
