// What tables and databases know and Chrome JSON has no place for: written so that it is read
// again.
#include <array>

#include <gmock/gmock.h>

#include "formats/chrome_json/reading_for_test.h"
#include "formats/chrome_json/write/chrome_json_writer.h"
#include "formats/shared/rank_builder.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;

constexpr WideTime kMs = WideTime{1'000'000'000};

// A trace of another format, with a call and a kernel in each of two processes.
class Kept : public testing::Test {
 protected:
  Kept() : rank(trace, "x.db", "nsys", trace::KeepArguments::kAll) {}

  trace::EventId call(std::string_view process, std::int64_t correlation, WideTime start) {
    trace::Event row;
    row.name = rank.intern("cudaLaunchKernel");
    row.kind = trace::Kind::kRuntimeCall;
    row.correlation = correlation;
    row.track = rank.host_thread(rank.process(process), "7");
    return rank.add_span(row, origin + start, origin + start + kMs);
  }
  trace::EventId kernel(std::string_view process, std::int64_t correlation, WideTime start) {
    trace::Event row;
    row.name = rank.intern("add");
    row.kind = trace::Kind::kKernel;
    row.correlation = correlation;
    row.track = rank.stream(rank.process(process), rank.device("0"), "7");
    return rank.add_span(row, origin + start, origin + start + kMs);
  }
  trace::EventId annotation(std::string_view name, WideTime start, WideTime end) {
    trace::Event row;
    row.name = rank.intern(name);
    row.kind = trace::Kind::kAnnotation;
    row.track = rank.host_thread(rank.process("4711"), "7");
    return rank.add_span(row, origin + start, origin + end);
  }

  [[nodiscard]] std::string written() {
    io::MemorySink sink;
    EXPECT_TRUE(write_chrome_json(trace, sink).ok());
    return sink.bytes();
  }
  // Written, read, written and read once more: what the second time leaves out is lost too.
  [[nodiscard]] trace::Trace again() {
    trace::Trace read = read_every_way(written());
    io::MemorySink sink;
    EXPECT_TRUE(write_chrome_json(read, sink).ok());
    return read_every_way(sink.bytes());
  }
  static std::vector<std::string> steps_of(const trace::Trace& trace) {
    std::vector<std::string> steps;
    for (const trace::Step& step : trace.steps) {
      steps.push_back(std::string(trace.text(step.name)) + " " +
                      std::to_string(step.start.ps / std::int64_t{kMs}) + "-" +
                      std::to_string(step.end.ps / std::int64_t{kMs}));
    }
    return steps;
  }

  trace::Trace trace;
  shared::RankBuilder rank;
  WideTime origin = WideTime{1'000'000} * kMs;
};

TEST_F(Kept, TheKindOfClockAndItsZero) {
  for (const Clock clock : {Clock::kBoot, Clock::kSession, Clock::kUnknown}) {
    trace = {};
    trace.ranks.push_back({{}, "x.db", "nsys", {}, {}});
    trace.processes.emplace_back();
    trace.tracks.emplace_back();
    trace.events.add({{5'000'000}, {1'000'000}, rank.intern("x"), {}, {}});
    for (const std::int64_t ns : {std::int64_t{0}, std::int64_t{1'000'000'000'000}}) {
      trace.ranks[0].origin = {ns, clock};
      const trace::Trace read = again();
      EXPECT_EQ(read.ranks[0].origin.clock, clock) << name_of(clock);
      // Times count from the earliest event: absolute ones are what they were.
      EXPECT_EQ(read.ranks[0].origin.ns + read.events.start[0].ps / kPicosecondsPerNanosecond,
                ns + 5'000)
          << name_of(clock);
    }
  }
}

// Kineto has words for few of them.
TEST_F(Kept, WhatIsNoWorkStaysWhatItIs) {
  kernel("4711", 1, WideTime{0});
  const trace::ProcessId derived = rank.process("99");
  trace.processes[trace::index_of(derived)].name = rank.intern("Overlap Analysis");
  trace::Event row;
  for (const trace::Kind kind : {trace::Kind::kEventWait, trace::Kind::kEventRecord,
                                 trace::Kind::kDuplicate, trace::Kind::kOverhead}) {
    row.kind = kind;
    row.name = rank.intern(name_of(kind));
    row.track = rank.stream(rank.process("4711"), rank.device("0"), "7");
    rank.add_span(row, origin + 2 * kMs, origin + 3 * kMs);
  }
  row.kind = trace::Kind::kDuplicate;
  row.name = rank.intern("Computing");
  row.track = rank.host_thread(derived, "0");
  rank.add_span(row, origin, origin + kMs);
  const trace::Trace read = again();
  EXPECT_EQ(read.ranks[0].format, "kineto");
  EXPECT_EQ(read.devices.size(), 1U);
  for (std::size_t i = 0; i < read.events.size(); ++i) {
    const std::string_view name = read.text(read.events.name[i]);
    EXPECT_EQ(read.on_device(i), name != "Computing") << name;
    if (name == "add") continue;
    EXPECT_EQ(name_of(read.events.kind[i]), name == "Computing" ? "duplicate" : name);
  }
}

TEST_F(Kept, StepsOfTables) {
  rank.set_origin(origin, Clock::kEpoch);
  kernel("4711", 1, kMs);
  rank.finish();
  rank.add_step(rank.intern("ProfilerStep#3"), Time{0}, Time{std::int64_t{5 * kMs}});
  rank.add_step(rank.intern("warm-up"), Time{std::int64_t{5 * kMs}}, Time{std::int64_t{6 * kMs}});
  EXPECT_THAT(steps_of(again()), ElementsAre("ProfilerStep#3 0-5", "warm-up 5-6"));
}

TEST_F(Kept, StepsThatEventsMarkAreNotWrittenTwice) {
  rank.set_origin(origin, Clock::kEpoch);
  annotation("ProfilerStep#3", 0, 5 * kMs);
  annotation("ProfilerStep#4", 5 * kMs, 9 * kMs);
  rank.finish();
  const trace::Trace read = again();
  EXPECT_EQ(read.events.size(), 2U);
  EXPECT_THAT(steps_of(read), ElementsAre("ProfilerStep#3 0-5", "ProfilerStep#4 5-9"));
}

TEST_F(Kept, RangesThatPeopleNumberedStaySteps) {
  rank.set_origin(origin, Clock::kEpoch);
  for (int i = 0; i < 3; ++i) {
    annotation("train_step_" + std::to_string(i), i * 2 * kMs, (i * 2 + 1) * kMs);
  }
  rank.finish();
  const trace::Trace read = again();
  EXPECT_EQ(read.events.size(), 3U);
  EXPECT_THAT(steps_of(read),
              ElementsAre("train_step_0 0-1", "train_step_1 2-3", "train_step_2 4-5"));
}

TEST_F(Kept, ACorrelationOfAnotherProcessJoinsNothing) {
  rank.set_origin(origin, Clock::kEpoch);
  const trace::EventId launch = call("4711", 1, kMs);
  const trace::EventId own = kernel("4711", 1, 3 * kMs);
  call("4712", 9, kMs);
  kernel("4712", 1, 6 * kMs);  // its call was before the capture
  rank.finish();
  ASSERT_EQ(trace.flows.size(), 1U);
  const trace::Trace read = again();
  ASSERT_EQ(read.flows.size(), 1U);
  EXPECT_EQ(read.flows[0].from, launch);
  EXPECT_EQ(read.flows[0].to, own);
}

TEST_F(Kept, AnArrowToTheDeviceThatIsNoLaunch) {
  rank.set_origin(origin, Clock::kEpoch);
  call("4711", 1, 2 * kMs);
  const trace::EventId work = kernel("4711", 1, 5 * kMs);
  rank.finish();
  const trace::EventId op = annotation("aten::add", kMs, 4 * kMs);
  rank.add_flow(op, work, trace::Flow::Kind::kOther, rank.intern("async_npu"));
  const trace::Trace read = again();
  ASSERT_EQ(read.flows.size(), 2U);
  EXPECT_EQ(read.flows[0].kind, trace::Flow::Kind::kLaunch);
  EXPECT_EQ(read.flows[1].kind, trace::Flow::Kind::kOther);
  EXPECT_EQ(read.text(read.flows[1].name), "async_npu");
  EXPECT_EQ(read.flows[1].to, work);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
