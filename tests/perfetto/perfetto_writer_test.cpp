// The Perfetto writer, seen through a decoder that shares no code and no constant with it.
#include "formats/perfetto/write/perfetto_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay.h"
#include "trace_maker_for_test.h"

namespace lockstep_test {
namespace {

using lockstep::Clock;
using lockstep::trace::Argument;
using lockstep::trace::EventId;
using lockstep::trace::Flow;
using lockstep::trace::Kind;
using lockstep::trace::Shape;
using lockstep::trace::TrackId;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr std::int64_t kNs = 1'000;

TEST(PerfettoWriter, SliceHasNameTimesCategoryAndTrack) {
  TraceMaker maker;
  const TrackId stream = maker.add_stream("0", "7", "NVIDIA H200");
  maker.add({{5 * kNs}, {3 * kNs}, maker.text("gemm"), maker.text("gpu"), stream, Kind::kKernel});
  maker.add_span(stream, "no category", 10 * kNs, 0);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  const ShownEvent& slice = shown.slice("gemm");
  EXPECT_EQ(slice.begin, 1'005U);
  EXPECT_EQ(slice.end, 1'008U);
  EXPECT_EQ(slice.category, "gpu");
  EXPECT_EQ(shown.path_of(slice.track_uuid), "GPU 0 NVIDIA H200/stream 7");
  EXPECT_EQ(shown.slice("no category").category, "kernel");
}

TEST(PerfettoWriter, ArgumentsKeepTheirTypes) {
  TraceMaker maker;
  const EventId event = maker.add({{},
                                   {kNs},
                                   maker.text("e"),
                                   {},
                                   maker.add_stream("0", "7"),
                                   Kind::kMemcpy,
                                   Shape::kSpan,
                                   41});
  const std::vector<Argument> arguments = {
      Argument::integer(maker.text("bytes"), -5),
      Argument::real(maker.text("bandwidth"), 0.1),
      Argument::boolean(maker.text("pinned"), true),
      Argument::string(maker.text("dtype"), maker.text("f\xC3\xBCnf")),
      Argument::json(maker.text("grid"), maker.text("[1, 2, 3]")),
  };
  maker.trace.arguments.set(event, arguments);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  EXPECT_THAT(shown.slice("e").arguments,
              UnorderedElementsAre(Pair("bytes", Value(std::int64_t{-5})),
                                   Pair("bandwidth", Value(0.1)), Pair("pinned", Value(true)),
                                   Pair("dtype", Value(std::string("f\xC3\xBCnf"))),
                                   Pair("grid", Value(std::string("json:[1, 2, 3]"))),
                                   Pair("lockstep.correlation", Value(std::int64_t{41}))));
  EXPECT_EQ(shown.slice("e").category, "memcpy");
}

TEST(PerfettoWriter, CorrelationAmongTheArgumentsIsNotRepeated) {
  TraceMaker maker;
  const EventId event = maker.add({{},
                                   {kNs},
                                   maker.text("e"),
                                   {},
                                   maker.add_stream("0", "7"),
                                   Kind::kKernel,
                                   Shape::kSpan,
                                   41});
  const std::vector<Argument> arguments = {Argument::integer(maker.text("correlation"), 41)};
  maker.trace.arguments.set(event, arguments);
  EXPECT_THAT(maker.shown().faults, IsEmpty());  // "argument twice" is a fault
}

TEST(PerfettoWriter, PicosecondsAreFlooredAndTold) {
  TraceMaker maker;
  const TrackId track = maker.add_stream("0", "7");
  maker.add_span(track, "a", 1'500, 1'600);  // [1.5, 3.1) ns
  maker.add_span(track, "b", 3'100, 900);    // touches a, ends at a whole nanosecond
  maker.add_span(track, "c", -1'200, 200);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  EXPECT_EQ(shown.slice("a").begin, 1'001U);
  EXPECT_EQ(shown.slice("a").end, 1'003U);
  EXPECT_EQ(shown.slice("b").begin, 1'003U);
  EXPECT_EQ(shown.slice("b").end, 1'004U);
  EXPECT_EQ(shown.slice("c").begin, 998U);
  EXPECT_EQ(shown.slice("c").end, 999U);
  EXPECT_THAT(shown.slice("a").arguments,
              Contains(Pair("lockstep.start_ps", Value(std::int64_t{500}))));
  EXPECT_THAT(shown.slice("a").arguments,
              Contains(Pair("lockstep.duration_ps", Value(std::int64_t{1'600}))));
  EXPECT_THAT(shown.slice("c").arguments,
              Contains(Pair("lockstep.start_ps", Value(std::int64_t{800}))));
}

TEST(PerfettoWriter, ANegativeDurationIsEmptyAndTold) {
  TraceMaker maker;
  maker.add_span(maker.add_stream("0", "7"), "backwards", 5 * kNs, -2 * kNs);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  EXPECT_EQ(shown.slice("backwards").begin, 1'005U);
  EXPECT_EQ(shown.slice("backwards").end, 1'005U);
  EXPECT_THAT(shown.slice("backwards").arguments,
              Contains(Pair("lockstep.duration_ps", Value(std::int64_t{-2'000}))));
}

TEST(PerfettoWriter, TimesBeforeZeroMoveEverythingOfThatClock) {
  TraceMaker maker;
  const TrackId track = maker.add_stream("0", "7");
  maker.add_span(track, "early", -1'500 * kNs, kNs);
  maker.add_span(track, "later", 0, kNs);
  const ShownTrace shown = maker.shown();
  EXPECT_EQ(shown.slice("early").begin, 0U);
  EXPECT_EQ(shown.slice("later").begin, 1'500U);
}

TEST(PerfettoWriter, EpochTimesAreShownAsTheyAre) {
  TraceMaker maker;
  maker.add_rank(0, {1'700'000'000'123'456'789, Clock::kEpoch});
  maker.add_span(maker.add_stream("0", "7"), "k", 1'000 * kNs, kNs);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  EXPECT_EQ(shown.slice("k").begin, 1'700'000'000'123'457'789U);
}

TEST(PerfettoWriter, FlowsJoinTheirPairs) {
  TraceMaker maker;
  const TrackId host = maker.add_thread("1", "2");
  const TrackId device = maker.add_stream("0", "7");
  const EventId launch = maker.add_span(host, "launch", 0, kNs);
  const EventId first = maker.add_span(device, "first", 5 * kNs, kNs);
  const EventId second = maker.add_span(device, "second", 6 * kNs, kNs);
  const EventId mark =
      maker.add({{9 * kNs}, {}, maker.text("mark"), {}, host, Kind::kAnnotation, Shape::kInstant});
  maker.add_flow(launch, first, Flow::Kind::kLaunch);
  maker.add_flow(launch, second, Flow::Kind::kLaunch);
  maker.add_flow(second, mark, Flow::Kind::kOther);
  maker.add_flow(lockstep::trace::kNoEvent, second, Flow::Kind::kOther);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  const auto& from = shown.slice("launch").flow_ids;
  const auto& to_first = shown.slice("first").flow_ids;
  const auto& to_second = shown.slice("second").flow_ids;
  ASSERT_EQ(from.size(), 2U);
  EXPECT_NE(from[0], from[1]);
  EXPECT_THAT(to_first, ElementsAre(from[0]));
  ASSERT_EQ(to_second.size(), 2U);
  EXPECT_EQ(to_second[0], from[1]);
  ASSERT_EQ(shown.instants.size(), 1U);
  EXPECT_THAT(shown.instants[0].flow_ids, ElementsAre(to_second[1]));
}

TEST(PerfettoWriter, EachNumberOfACounterIsATrack) {
  TraceMaker maker;
  const TrackId track = maker.add_thread("1", "2");
  for (int i = 0; i < 2; ++i) {
    const EventId sample = maker.add(
        {{i * kNs}, {}, maker.text("memory"), {}, track, Kind::kCounter, Shape::kCounter});
    const std::vector<Argument> arguments = {
        Argument::integer(maker.text("allocated"), 100 + i),
        Argument::real(maker.text("share"), 0.5),
        Argument::string(maker.text("unit"), maker.text("B")),
    };
    maker.trace.arguments.set(sample, arguments);
  }
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  ASSERT_EQ(shown.samples.size(), 4U);
  EXPECT_EQ(shown.path_of(shown.samples[0].track_uuid), "python3/memory allocated");
  EXPECT_EQ(shown.path_of(shown.samples[1].track_uuid), "python3/memory share");
  EXPECT_EQ(shown.samples[0].value, Value(std::int64_t{100}));
  EXPECT_THAT(shown.samples[0].arguments,
              UnorderedElementsAre(Pair("lockstep.shape", Value(std::string("counter"))),
                                   Pair("unit", Value(std::string("B")))));
  EXPECT_EQ(shown.samples[1].value, Value(0.5));
  EXPECT_EQ(shown.samples[2].value, Value(std::int64_t{101}));
  EXPECT_EQ(shown.samples[2].track_uuid, shown.samples[0].track_uuid);
  EXPECT_EQ(shown.samples[2].timestamp, 1'001U);
}

TEST(PerfettoWriter, NumbersThatAreKeptAsTextAreNumbers) {
  TraceMaker maker;
  const TrackId track = maker.add_thread("1", "2");
  const std::vector<Argument> arguments = {
      Argument::json(maker.text("exact"), maker.text("-0.12345678901234567890")),
      Argument::json(maker.text("list"), maker.text("[1]")),
      Argument::json(maker.text("nothing"), maker.text("null")),
      Argument::json(maker.text("words"), maker.text("-inf")),
  };
  maker.trace.arguments.set(maker.add_span(track, "e", 0, kNs), arguments);
  maker.trace.arguments.set(
      maker.add({{}, {}, maker.text("c"), {}, track, Kind::kCounter, Shape::kCounter}), arguments);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  EXPECT_THAT(shown.slice("e").arguments, Contains(Pair("exact", Value(-0.12345678901234568))));
  ASSERT_EQ(shown.samples.size(), 1U);
  EXPECT_EQ(shown.samples[0].value, Value(-0.12345678901234568));
  EXPECT_THAT(shown.samples[0].arguments,
              UnorderedElementsAre(Pair("list", Value(std::string("json:[1]"))),
                                   Pair("nothing", Value(std::string("json:null"))),
                                   Pair("words", Value(std::string("json:-inf"))),
                                   Pair("lockstep.shape", Value(std::string("counter")))));
}

TEST(PerfettoWriter, ACounterWithoutNumbersIsAnInstant) {
  TraceMaker maker;
  maker.add(
      {{}, {}, maker.text("odd"), {}, maker.add_thread("1", "2"), Kind::kCounter, Shape::kCounter});
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  ASSERT_EQ(shown.instants.size(), 1U);
  EXPECT_EQ(shown.instants[0].name, "odd");
}

TEST(PerfettoWriter, NamesAreUnicodeAndWrongBytesAreReplaced) {
  TraceMaker maker;
  const TrackId track = maker.add_stream("0", "7", "", "\xE6\xB5\x81 7");
  maker.add_span(track, "\xE6\xA0\xB8\xE5\xBF\x83", 0, kNs);
  maker.add_span(track, "bad \xFF", kNs, kNs);
  maker.add_span(track, "", 2 * kNs, kNs);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  EXPECT_EQ(shown.track_of(shown.slice("\xE6\xA0\xB8\xE5\xBF\x83")).name(), "\xE6\xB5\x81 7");
  EXPECT_EQ(shown.slice("bad \xEF\xBF\xBD").begin, 1'001U);
  EXPECT_EQ(shown.slice("").begin, 1'002U);
}

TEST(PerfettoWriter, AKindIsAnnotatedWhereACategoryTakesItsPlace) {
  TraceMaker maker;
  const TrackId track = maker.add_stream("0", "7");
  maker.add({{}, {kNs}, maker.text("e"), maker.text("gpu_memcpy"), track, Kind::kMemcpy});
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.slice("e").arguments,
              UnorderedElementsAre(Pair("lockstep.kind", Value(std::string("memcpy")))));
}

TEST(PerfettoWriter, WhatIsKnownOfACollectiveIsADictionary) {
  TraceMaker maker;
  const EventId event = maker.add_span(maker.add_stream("0", "7"), "nccl", 0, kNs);
  lockstep::trace::Collective& collective = maker.trace.collectives.emplace_back();
  collective.event = event;
  collective.op = maker.text("all_reduce");
  collective.bytes = 4096;
  collective.wait = lockstep::Time{7};
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  EXPECT_THAT(
      shown.slice("nccl").arguments,
      UnorderedElementsAre(
          Pair("lockstep.collective", Value(std::string("op=all_reduce bytes=4096 wait_ps=7 ")))));
}

// Viewers do not show a track that has no event and no child.
TEST(PerfettoWriter, TheHeaderIsATrackWithoutEvents) {
  TraceMaker maker;
  maker.add_span(maker.add_stream("0", "7"), "e", 0, kNs);
  const ShownTrace shown = maker.shown();
  std::uint64_t header = 0;
  for (const auto& [uuid, track] : shown.tracks) {
    if (track.name() == "lockstep") header = uuid;
  }
  ASSERT_NE(header, 0U);
  EXPECT_THAT(shown.tracks.at(header).description(), testing::StartsWith("{\"lockstep\":1,"));
  EXPECT_NE(shown.slice("e").track_uuid, header);
  for (const auto& [uuid, track] : shown.tracks) EXPECT_NE(track.parent_uuid(), header);
}

TEST(PerfettoWriter, AnEmptyTraceHasOnlyItsHeader) {
  EXPECT_EQ(TraceMaker().shown().tracks.size(), 1U);
  EXPECT_THAT(TraceMaker().shown().faults, IsEmpty());
}

TEST(PerfettoWriter, ManyPacketsAreFlushedOnTheWay) {
  TraceMaker maker;
  const TrackId track = maker.add_thread("1", "2");
  constexpr std::int64_t kCount = 50'000;
  for (std::int64_t i = 0; i < kCount; ++i) maker.add_span(track, std::to_string(i), i * kNs, kNs);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  ASSERT_EQ(shown.slices.size(), static_cast<std::size_t>(kCount));
  for (std::size_t i = 0; i < shown.slices.size(); ++i) {
    ASSERT_EQ(shown.slices[i].name, std::to_string(i));
  }
}

class FullSink : public lockstep::io::ByteSink {
 public:
  lockstep::Status write(std::string_view) override { return lockstep::output_error("x", "full"); }
  lockstep::Status close() override { return {}; }
};

TEST(PerfettoWriter, TheErrorOfTheSinkIsPassedOn) {
  TraceMaker maker;
  maker.add_span(maker.add_thread("1", "2"), "a", 0, kNs);
  FullSink sink;
  const lockstep::Status status = lockstep::formats::perfetto::write_perfetto(maker.trace, sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "full");
}

}  // namespace
}  // namespace lockstep_test
