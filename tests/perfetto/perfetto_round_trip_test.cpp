// Writer and reader together: what goes out comes back.
#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "packet_maker_for_test.h"
#include "trace_maker_for_test.h"

namespace lockstep_test {
namespace {

using lockstep::Clock;
using lockstep::trace::Argument;
using lockstep::trace::Event;
using lockstep::trace::EventId;
using lockstep::trace::Flow;
using lockstep::trace::Kind;
using lockstep::trace::Shape;
using lockstep::trace::Trace;
using lockstep::trace::TrackId;
using testing::ElementsAre;

ReadTrace through(const Trace& trace) {
  lockstep::io::MemorySink sink;
  EXPECT_TRUE(lockstep::formats::perfetto::write_perfetto(trace, sink).ok());
  return ReadTrace(std::string(sink.bytes()));
}

// Everything that an event is, as text, so that rows can be compared whatever their order.
std::string row_text(const Trace& trace, std::size_t i) {
  const lockstep::trace::EventTable& events = trace.events;
  std::string text =
      std::to_string(static_cast<std::uint32_t>(events.track[i])) + "|" +
      std::to_string(events.start[i].ps) + "|" + std::to_string(events.duration[i].ps) + "|" +
      std::string(trace.text(events.name[i])) + "|" + std::string(trace.text(events.category[i])) +
      "|" + std::string(name_of(events.kind[i])) + "|" +
      std::to_string(static_cast<int>(events.shape[i])) + "|" +
      std::to_string(events.correlation[i]);
  std::vector<std::string> arguments;
  for (const Argument& a : trace.arguments.of(EventId{static_cast<std::uint32_t>(i)})) {
    const bool is_text = a.type == Argument::Type::kString || a.type == Argument::Type::kJson;
    arguments.push_back(
        "|" + std::string(trace.text(a.key)) + "=" + std::to_string(static_cast<int>(a.type)) +
        ":" + (is_text ? std::string(trace.text(a.as_string())) : std::to_string(a.bits)));
  }
  std::ranges::sort(arguments);  // numbers of a counter come before its other arguments
  for (const std::string& argument : arguments) text += argument;
  return text;
}

std::vector<std::string> rows_of(const Trace& trace) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < trace.events.size(); ++i) rows.push_back(row_text(trace, i));
  std::ranges::sort(rows);
  return rows;
}

std::vector<std::string> flows_of(const Trace& trace) {
  std::vector<std::string> flows;
  for (const Flow& flow : trace.flows) {
    flows.push_back(
        row_text(trace, index_of(flow.from)) + " -> " + row_text(trace, index_of(flow.to)) + " " +
        std::to_string(static_cast<int>(flow.kind)) + " " + std::string(trace.text(flow.name)));
  }
  std::ranges::sort(flows);
  return flows;
}

TEST(PerfettoRoundTrip, RanksProcessesDevicesAndTracksComeBack) {
  TraceMaker maker;
  maker.add_rank(3, {1'763'193'600'123'456'789, Clock::kEpoch});
  maker.trace.ranks[0].number_from = lockstep::trace::RankEvidence::kMetadata;
  maker.trace.ranks[0].metadata = {{"schemaVersion", "1"}, {"trace_id", "\"A \\\"B\\\"\""}};
  const TrackId thread = maker.add_thread("Spans", "PyTorch Profiler", "main");
  maker.trace.processes[0].id.is_number = false;
  maker.trace.processes[0].labels = maker.text("CPU");
  maker.trace.tracks[0].sort_index = -7;
  const TrackId stream = maker.add_stream("0", "7", "NVIDIA H200");
  (void)maker.add_stream("0", "8");  // without an event
  maker.add_rank(5, {17, Clock::kSession});
  const TrackId other = maker.add_stream("1", "7");
  maker.add_span(thread, "a", 0, 1'000);
  maker.add_span(stream, "b", 0, 1'000);
  maker.add_span(other, "c", -5'000, 1'000);
  const ReadTrace read = through(maker.trace);
  const Trace& before = maker.trace;
  const Trace& after = read.trace;
  ASSERT_EQ(after.ranks.size(), 2U);
  EXPECT_EQ(after.ranks[0].number, 3);
  EXPECT_EQ(after.ranks[0].number_from, lockstep::trace::RankEvidence::kMetadata);
  EXPECT_EQ(after.ranks[0].origin.ns, 1'763'193'600'123'456'789);
  EXPECT_EQ(after.ranks[0].origin.clock, Clock::kEpoch);
  EXPECT_EQ(after.ranks[1].origin.clock, Clock::kSession);
  EXPECT_EQ(after.ranks[1].origin.ns, 17);
  ASSERT_EQ(after.ranks[0].metadata.size(), 2U);
  EXPECT_EQ(after.ranks[0].metadata[1].json, before.ranks[0].metadata[1].json);
  ASSERT_EQ(after.processes.size(), before.processes.size());
  EXPECT_EQ(after.text(after.processes[0].id.text), "Spans");
  EXPECT_FALSE(after.processes[0].id.is_number);
  EXPECT_EQ(after.text(after.processes[0].labels), "CPU");
  EXPECT_EQ(after.processes[0].sort_index, 5);
  ASSERT_EQ(after.devices.size(), 3U);
  EXPECT_EQ(after.text(after.devices[0].name), "NVIDIA H200");
  ASSERT_EQ(after.tracks.size(), 4U);
  EXPECT_EQ(after.text(after.tracks[0].name), "main");
  EXPECT_EQ(after.tracks[0].sort_index, -7);
  EXPECT_EQ(after.text(after.tracks[2].id.text), "8");
  EXPECT_EQ(rows_of(after), rows_of(before));
  EXPECT_FALSE(after.diagnostics.has_loss());
}

TEST(PerfettoRoundTrip, StepsAndCollectivesComeBack) {
  TraceMaker maker;
  const TrackId stream = maker.add_stream("0", "7");
  const EventId event = maker.add_span(stream, "nccl", 500, 1'001);
  maker.trace.steps.push_back({maker.text("train#3"), {}, {5}, {7'000}});
  lockstep::trace::Collective collective;
  collective.event = event;
  collective.op = maker.text("all_reduce");
  collective.group = maker.text("tp");
  collective.dtype = maker.text("bf16");
  collective.sequence = 9;
  collective.elements_in = 10;
  collective.elements_out = 11;
  collective.bytes = 12;
  collective.transit = lockstep::Time{13};
  collective.wait = lockstep::Time{14};
  collective.idle = lockstep::Time{15};
  maker.trace.collectives.push_back(collective);
  const ReadTrace read = through(maker.trace);
  ASSERT_EQ(read.trace.steps.size(), 1U);
  EXPECT_EQ(read.trace.text(read.trace.steps[0].name), "train#3");
  EXPECT_EQ(read.trace.steps[0].end.ps, 7'000);
  ASSERT_EQ(read.trace.collectives.size(), 1U);
  const lockstep::trace::Collective& back = read.trace.collectives[0];
  EXPECT_EQ(back.event, event);
  EXPECT_EQ(read.trace.text(back.op), "all_reduce");
  EXPECT_EQ(read.trace.text(back.group), "tp");
  EXPECT_EQ(read.trace.text(back.dtype), "bf16");
  EXPECT_THAT((std::vector{*back.sequence, *back.elements_in, *back.elements_out, *back.bytes,
                           back.transit->ps, back.wait->ps, back.idle->ps}),
              ElementsAre(9, 10, 11, 12, 13, 14, 15));
}

TEST(PerfettoRoundTrip, CorrelationIsWhatTheEventHasWhateverItsArgumentsSay) {
  TraceMaker maker;
  const TrackId stream = maker.add_stream("0", "7");
  for (const std::int64_t correlation : {-1, 0, 41}) {
    for (const bool has_argument : {false, true}) {
      Event event{{}, {1'000}, maker.text("e"), maker.text("kernel"), stream, Kind::kKernel};
      event.correlation = correlation;
      const EventId id = maker.add(event);
      const std::vector<Argument> arguments = {Argument::integer(maker.text("correlation"), 41)};
      if (has_argument) maker.trace.arguments.set(id, arguments);
    }
  }
  EXPECT_EQ(rows_of(through(maker.trace).trace), rows_of(maker.trace));
}

TEST(PerfettoRoundTrip, CountersComeBackAsOneEvent) {
  TraceMaker maker;
  const TrackId track = maker.add_thread("1", "2");
  for (int i = 0; i < 3; ++i) {
    Event event{{1'500}, {}, maker.text("memory"), maker.text("gpu"), track, Kind::kCounter};
    event.shape = Shape::kCounter;
    const std::vector<Argument> arguments = {Argument::integer(maker.text("used"), i),
                                             Argument::real(maker.text("share"), 0.1 * i),
                                             Argument::string(maker.text("unit"), maker.text("B"))};
    const EventId id = maker.add(event);
    if (i < 2) maker.trace.arguments.set(id, arguments);  // the last has no number
  }
  EXPECT_EQ(rows_of(through(maker.trace).trace), rows_of(maker.trace));
}

TEST(PerfettoRoundTrip, AFileThatIsCutBetweenPacketsIsFoundOut) {
  TraceMaker maker;
  const TrackId thread = maker.add_thread("1", "2");
  maker.add_span(thread, "first", 0, 1'000);
  maker.add_span(thread, "second", 2'000, 1'000);
  lockstep::io::MemorySink sink;
  ASSERT_TRUE(lockstep::formats::perfetto::write_perfetto(maker.trace, sink).ok());
  perfetto::Trace packets;
  ASSERT_TRUE(packets.ParseFromString(std::string(sink.bytes())));
  packets.mutable_packet()->DeleteSubrange(packets.packet_size() - 2, 2);
  const ReadTrace read(packets.SerializeAsString());
  EXPECT_EQ(read.size(), 1U);
  EXPECT_EQ(read.count_of("missing_events"), 1U);
}

TEST(PerfettoRoundTrip, TwoFilesInOneStreamAreTwoRanks) {
  std::string bytes;
  for (const std::string name : {"a", "b"}) {
    TraceMaker maker;
    maker.add_rank(name == "a" ? 0 : 1, {1'000, Clock::kUnknown});
    if (name == "b") maker.add_span(maker.add_thread("7", "8"), "host", 0, 1'000);
    maker.add_span(maker.add_stream("0", name), name, 0, 1'000);
    lockstep::io::MemorySink sink;
    ASSERT_TRUE(lockstep::formats::perfetto::write_perfetto(maker.trace, sink).ok());
    bytes += sink.bytes();
  }
  const ReadTrace read(bytes);
  ASSERT_EQ(read.trace.ranks.size(), 2U);
  EXPECT_EQ(read.trace.ranks[1].number, 1);
  EXPECT_EQ(read.place("a"), "device 0/0/a");
  EXPECT_EQ(read.place("b"), "device 0/0/b");
  EXPECT_EQ(read.place("host"), "host 7/8");
  EXPECT_FALSE(read.trace.diagnostics.has_loss());
}

TEST(PerfettoRoundTrip, ASecondTripChangesNothing) {
  TraceMaker maker;
  const TrackId stream = maker.add_stream("0", "7", "H200");
  for (int i = 0; i < 50; ++i) maker.add_span(stream, "k", i * 700, 900 + i);
  lockstep::io::MemorySink first;
  lockstep::io::MemorySink second;
  ASSERT_TRUE(lockstep::formats::perfetto::write_perfetto(maker.trace, first).ok());
  const ReadTrace once(std::string(first.bytes()));
  ASSERT_TRUE(lockstep::formats::perfetto::write_perfetto(once.trace, second).ok());
  const ReadTrace twice(std::string(second.bytes()));
  EXPECT_EQ(rows_of(twice.trace), rows_of(once.trace));
}

struct AnyEvent {
  int track = 0;
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;
  int name = 0;
  int category = 0;
  int kind = 0;
  int shape = 0;
  std::int64_t correlation = 0;
};

rc::Gen<AnyEvent> any_event() {
  return rc::gen::build<AnyEvent>(
      rc::gen::set(&AnyEvent::track, rc::gen::inRange(0, 3)),
      rc::gen::set(&AnyEvent::start_ps, rc::gen::map(rc::gen::inRange(-20, 100),
                                                     [](int n) { return std::int64_t{n} * 250; })),
      rc::gen::set(
          &AnyEvent::duration_ps,
          rc::gen::map(rc::gen::inRange(0, 60), [](int n) { return std::int64_t{n} * 250; })),
      rc::gen::set(&AnyEvent::name, rc::gen::inRange(0, 4)),
      rc::gen::set(&AnyEvent::category, rc::gen::inRange(0, 3)),
      rc::gen::set(&AnyEvent::kind,
                   rc::gen::inRange(0, static_cast<int>(lockstep::trace::kKindCount))),
      rc::gen::set(&AnyEvent::shape, rc::gen::inRange(0, 2)),
      rc::gen::set(&AnyEvent::correlation, rc::gen::inRange<std::int64_t>(-1, 5)));
}

RC_GTEST_PROP(PerfettoRoundTrip, EveryEventAndFlowComesBackAsItWas, ()) {
  const auto drawn = *rc::gen::container<std::vector<AnyEvent>>(any_event());
  TraceMaker maker;
  const std::vector<TrackId> tracks = {maker.add_stream("0", "7"), maker.add_thread("1", "2"),
                                       maker.add_stream("0", "8")};
  const std::vector<std::string> names = {"", "gemm", "ProfilerStep#1", "nccl"};
  const std::vector<std::string> categories = {"", "kernel", "made up"};
  for (const AnyEvent& any : drawn) {
    Event event;
    event.start = lockstep::Time{any.start_ps};
    event.shape = any.shape == 0 ? Shape::kSpan : Shape::kInstant;
    event.duration = lockstep::Time{event.shape == Shape::kSpan ? any.duration_ps : 0};
    event.name = maker.text(names[static_cast<std::size_t>(any.name)]);
    event.category = maker.text(categories[static_cast<std::size_t>(any.category)]);
    event.track = tracks[static_cast<std::size_t>(any.track)];
    event.kind = static_cast<Kind>(any.kind);
    event.correlation = any.correlation;
    maker.add(event);
  }
  const auto size = static_cast<int>(drawn.size());
  const auto arrows = *rc::gen::container<std::vector<std::tuple<int, int, bool>>>(
      rc::gen::tuple(rc::gen::inRange(0, std::max(size, 1)), rc::gen::inRange(0, std::max(size, 1)),
                     rc::gen::arbitrary<bool>()));
  for (const auto& [from, to, is_launch] : arrows) {
    if (from == to || size == 0) continue;
    maker.trace.flows.push_back({EventId{static_cast<std::uint32_t>(from)},
                                 EventId{static_cast<std::uint32_t>(to)},
                                 is_launch ? Flow::Kind::kLaunch : Flow::Kind::kOther,
                                 maker.text(is_launch ? "" : "fwdbwd")});
  }
  const ReadTrace read = through(maker.trace);
  RC_ASSERT(read.status.ok());
  RC_ASSERT(rows_of(read.trace) == rows_of(maker.trace));
  RC_ASSERT(flows_of(read.trace) == flows_of(maker.trace));
  RC_ASSERT(!read.trace.diagnostics.has_loss());
}

}  // namespace
}  // namespace lockstep_test
