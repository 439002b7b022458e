// What is written is read again as the same model.
#include "formats/xspace/write/xspace_writer.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "formats/shared/rank_builder.h"
#include "formats/xspace/xspace_for_test.h"

namespace lockstep::formats::xspace {
namespace {

std::string written(const trace::Trace& trace) {
  io::MemorySink sink;
  const Status status = write_xspace(trace, sink);
  EXPECT_TRUE(status.ok());
  return sink.bytes();
}

void expect_same(const trace::Trace& trace) {
  const Reading read = read_space(written(trace));
  ASSERT_TRUE(read.status.ok()) << read.status.error().text();
  EXPECT_EQ(all_of(read.trace), all_of(trace));
  EXPECT_FALSE(read.trace.diagnostics.has_loss());
}

// A rank with one of everything.
void add_rank(trace::Trace& trace, std::int64_t origin_ns, Clock clock) {
  shared::RankBuilder builder(trace, "made", "kineto", trace::KeepArguments::kAll);
  builder.set_origin(WideTime{origin_ns} * 1000, clock);
  const WideTime zero = builder.origin();
  builder.rank().number = 3;
  builder.rank().metadata.push_back({"schemaVersion", "1"});
  const trace::ProcessId host = builder.process("4711");
  builder.at(host).name = builder.intern("python3");
  builder.at(host).labels = builder.intern("CPU");
  const trace::ProcessId gpu = builder.process("0");
  const trace::DeviceId device = builder.device("0");
  builder.at(device).name = builder.intern("Test GPU");
  static_cast<void>(builder.device("1"));  // idle
  const trace::TrackId thread = builder.host_thread(host, "4712");
  const trace::TrackId named = builder.host_thread(host, "PyTorch Profiler");
  const trace::TrackId stream = builder.stream(gpu, device, "7");
  builder.at(stream).name = builder.intern("stream 7 ");
  const trace::TrackId lane = builder.stream(gpu, device, "hccl (group) (1)");

  const auto add = [&](trace::TrackId track, std::string_view name, trace::Kind kind,
                       std::int64_t start, std::int64_t duration,
                       std::int64_t correlation = trace::kNoCorrelation,
                       std::string_view category = {}) {
    trace::Event row;
    row.track = track;
    row.name = builder.intern(name);
    row.kind = kind;
    row.category = builder.intern(category);
    row.correlation = correlation;
    return builder.add_span(row, zero + start, zero + start + duration);
  };
  add(thread, "ProfilerStep#4", trace::Kind::kAnnotation, -5'000, 90'000'001, trace::kNoCorrelation,
      "user_annotation");
  const trace::EventId op = add(thread, "aten::mm", trace::Kind::kHostOp, 0, 500'000);
  add(thread, "cudaLaunchKernel", trace::Kind::kRuntimeCall, 10, 1'234, 11, "cuda_runtime");
  add(thread, "cuLaunchKernel", trace::Kind::kRuntimeCall, 20'000, 1, 12, "cuda_driver");
  add(named, "gc", trace::Kind::kPython, 1, 0);
  const trace::EventId gemm = add(stream, "gemm", trace::Kind::kKernel, 2'000'003, 7, 11);
  add(stream, "Memcpy HtoD", trace::Kind::kMemcpy, 3'000'000, 8, 12);
  add(stream, "Memset (Device)", trace::Kind::kMemset, 3'100'000, 8);
  add(stream, "gemm", trace::Kind::kDuplicate, 2'000'003, 7);
  add(stream, "Event Wait", trace::Kind::kEventWait, 3'200'000, 8);
  add(stream, "Stream Sync", trace::Kind::kSynchronize, 3'300'000, 8);
  const trace::EventId sum =
      add(lane, "ncclDevKernel_AllReduce_Sum(x)", trace::Kind::kKernel, 4'000'000, 9);
  const std::vector<trace::Argument> arguments = {
      trace::Argument::integer(builder.intern("stream"), 7),
      trace::Argument::integer(builder.intern("correlation_id"), -11),
      trace::Argument::real(builder.intern("occupancy"), 0.1),
      trace::Argument::boolean(builder.intern("blocking"), true),
      trace::Argument::string(builder.intern("flow"), builder.intern("aten::mm")),
      trace::Argument::json(builder.intern("grid"), builder.intern("[1,2,3]"))};
  builder.set_arguments(gemm, arguments);
  trace::Collective& collective = builder.collective_of(sum);
  collective.group = builder.intern("tp");
  collective.dtype = builder.intern("BFloat16");
  collective.sequence = 0;
  collective.elements_in = 4096;
  collective.bytes = 8192;
  collective.wait = Time{77};
  trace::Event counter;
  counter.track = thread;
  counter.name = builder.intern("GPU power");
  const trace::EventId sample = builder.add_point(counter, zero + 5, trace::Shape::kCounter);
  const std::vector<trace::Argument> values = {
      trace::Argument::real(builder.intern("watts"), 12.5)};
  builder.set_arguments(sample, values);
  trace::Event mark;
  mark.track = thread;
  mark.kind = trace::Kind::kAnnotation;
  mark.name = builder.intern("here");
  builder.add_point(mark, zero + 6, trace::Shape::kInstant);
  builder.add_step(builder.intern("train#7"), Time{-5}, Time{9});
  builder.add_flow(op, sum, trace::Flow::Kind::kOther, builder.intern("fwdbwd"));
  builder.add_flow(op, sum, trace::Flow::Kind::kLaunch);
  builder.finish();
}

TEST(XSpaceWriter, OneOfEverythingComesBack) {
  trace::Trace trace;
  add_rank(trace, 1'763'193'600'123'456'789, Clock::kEpoch);
  expect_same(trace);
}

TEST(XSpaceWriter, RanksOfDifferentClocksComeBack) {
  trace::Trace trace;
  add_rank(trace, 1'763'193'600'123'456'789, Clock::kEpoch);
  add_rank(trace, 1'763'193'600'999'999'999, Clock::kEpoch);
  add_rank(trace, 55, Clock::kSession);
  add_rank(trace, 1'000'000'000'000, Clock::kBoot);
  expect_same(trace);
}

TEST(XSpaceWriter, ATraceOfASessionHasNoStartOfTheProfile) {
  trace::Trace trace;
  add_rank(trace, 0, Clock::kSession);
  expect_same(trace);
  EXPECT_EQ(written(trace).find("profile_start_time"), std::string::npos);
}

TEST(XSpaceWriter, ADeviceWithoutAnIdComesBackWithoutOne) {
  trace::Trace trace;
  shared::RankBuilder builder(trace, "made", "x", trace::KeepArguments::kAll);
  builder.set_origin(0, Clock::kSession);
  trace::Event row;
  row.track = builder.stream(builder.process("1"), builder.device(""), "7");
  row.name = builder.intern("gemm");
  row.kind = trace::Kind::kKernel;
  builder.add_span(row, 5, 6);
  builder.finish();
  expect_same(trace);
}

TEST(XSpaceWriter, WhatAProfilerWroteComesBack) { expect_same(read_space(sample_space()).trace); }

TEST(XSpaceWriter, PlanesAreNamedAsViewersKnowThem) {
  trace::Trace trace;
  add_rank(trace, 1'763'193'600'123'456'789, Clock::kEpoch);
  const std::string bytes = written(trace);
  for (const std::string_view name : {"/host:CPU", "/device:GPU:0", "/device:GPU:1",
                                      "Task Environment", "Stream #7(Compute,Memcpy,Memset)"}) {
    EXPECT_NE(bytes.find(name), std::string::npos) << name;
  }
}

TEST(XSpaceWriter, AnEmptyTraceIsOurFault) {
  io::MemorySink sink;
  EXPECT_EQ(write_xspace(trace::Trace{}, sink).error().code, ErrorCode::kInternal);
}

TEST(XSpaceWriter, TextThatIsNoUtf8IsRepaired) {
  trace::Trace trace;
  shared::RankBuilder builder(trace, "made", "x", trace::KeepArguments::kAll);
  builder.set_origin(0, Clock::kSession);
  trace::Event row;
  row.track = builder.host_thread(builder.process("1"), "2");
  row.name = builder.intern("a\xFF");
  builder.add_span(row, 5, 6);
  builder.finish();
  const Reading read = read_space(written(trace));
  EXPECT_EQ(read.trace.text(read.trace.events.name[0]), "a\xEF\xBF\xBD");
}

// Any trace: random tracks, kinds, times, arguments and arrows.
trace::Trace arbitrary_trace() {
  trace::Trace trace;
  const auto clock = *rc::gen::element(Clock::kEpoch, Clock::kSession, Clock::kUnknown);
  shared::RankBuilder builder(trace, "made", "x", trace::KeepArguments::kAll);
  builder.set_origin(
      WideTime{*rc::gen::inRange<std::int64_t>(0, INT64_C(2'000'000'000'000'000'000))} * 1000,
      clock);
  std::vector<trace::TrackId> tracks;
  const auto ids = std::vector<std::string>{"0", "7", "-3", "main", "XLA Ops", "a(b)", "Stream #1"};
  for (int i = 0; i < 4; ++i) {
    const trace::ProcessId process = builder.process(*rc::gen::elementOf(ids));
    const std::string id = *rc::gen::elementOf(ids);
    const bool on_device = *rc::gen::arbitrary<bool>();
    const trace::TrackId track =
        on_device ? builder.stream(process, builder.device(*rc::gen::elementOf(ids)), id)
                  : builder.host_thread(process, id);
    if (*rc::gen::arbitrary<bool>())
      builder.at(track).name = builder.intern(*rc::gen::elementOf(ids));
    tracks.push_back(track);
  }
  std::vector<trace::EventId> events;
  const int count = *rc::gen::inRange(0, 20);
  for (int i = 0; i < count; ++i) {
    trace::Event row;
    row.track = *rc::gen::elementOf(tracks);
    row.name = builder.intern(*rc::gen::elementOf(ids));
    row.category = builder.intern(*rc::gen::element<std::string>("", "cpu_op", "x"));
    row.kind = static_cast<trace::Kind>(*rc::gen::inRange<int>(0, trace::kKindCount));
    row.correlation = *rc::gen::inRange<std::int64_t>(-1, 4);
    // No two start together: of calls with one correlation the earliest launches, and between equal
    // ones the order of rows would decide, which a file does not keep.
    const WideTime start =
        builder.origin() + *rc::gen::inRange<std::int64_t>(-10'000, 10'000'000'000) * 100 + i + 1;
    const int shape = *rc::gen::inRange(0, 6);
    const trace::EventId id =
        shape == 0   ? builder.add_point(row, start, trace::Shape::kInstant)
        : shape == 1 ? builder.add_point(row, start, trace::Shape::kCounter)
                     : builder.add_span(row, start,
                                        start + *rc::gen::inRange<std::int64_t>(0, 1'000'000'000));
    if (id == trace::kNoEvent) continue;
    std::vector<trace::Argument> arguments;
    if (*rc::gen::arbitrary<bool>()) {
      const StringId key = builder.intern(*rc::gen::elementOf(ids));
      arguments = {trace::Argument::integer(key, *rc::gen::arbitrary<std::int64_t>()),
                   trace::Argument::string(key, builder.intern(*rc::gen::elementOf(ids))),
                   trace::Argument::boolean(key, *rc::gen::arbitrary<bool>()),
                   trace::Argument::json(key, builder.intern("[1]"))};
    }
    builder.set_arguments(id, arguments);
    events.push_back(id);
  }
  builder.finish();
  for (int i = 0; i < 3 && events.size() > 1; ++i) {
    const trace::EventId from = *rc::gen::elementOf(events);
    const trace::EventId to = *rc::gen::elementOf(events);
    if (from != to) builder.add_flow(from, to, trace::Flow::Kind::kOther, builder.intern("x"));
  }
  return trace;
}

TEST(XSpaceWriter, TimesBeyondSixtyFourBitsStopThere) {
  trace::Trace trace;
  add_rank(trace, 1'700'000'000'000'000'000, Clock::kEpoch);
  trace.ranks[0].origin.ns = std::numeric_limits<std::int64_t>::max() - 1;
  // profile_stop_time, which would lie behind.
  EXPECT_THAT(written(trace),
              testing::HasSubstr(number_field(3, std::numeric_limits<std::int64_t>::max())));
}

TEST(XSpaceWriter, EveryRankAndProcessOfManyComesBack) {
  constexpr std::int64_t kRanks = 200;
  trace::Trace trace;
  for (std::int64_t i = 0; i < kRanks; ++i) {
    shared::RankBuilder builder(trace, "made", "kineto", trace::KeepArguments::kAll);
    builder.set_origin(1'000, Clock::kSession);
    trace::Event row;
    row.track = builder.stream(builder.process("1"), builder.device("0"), "7");
    row.name = builder.intern("k");
    row.kind = trace::Kind::kKernel;
    builder.add_span(row, 1'000, 2'000);
    row.track = builder.host_thread(builder.process("1"), "t");
    row.kind = trace::Kind::kHostOp;
    builder.add_span(row, 1'000, 2'000);
  }
  const Reading read = read_space(written(trace));
  ASSERT_TRUE(read.status.ok());
  EXPECT_EQ(all_of(read.trace), all_of(trace));
}

TEST(XSpaceWriterProperty, AnyTraceComesBack) {
  EXPECT_TRUE(rc::check([] {
    const trace::Trace trace = arbitrary_trace();
    const Reading read = read_space(written(trace));
    RC_ASSERT(read.status.ok());
    RC_ASSERT(all_of(read.trace) == all_of(trace));
  }));
}

}  // namespace
}  // namespace lockstep::formats::xspace
