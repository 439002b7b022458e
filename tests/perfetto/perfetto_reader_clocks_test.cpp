// Clocks, and events of the time before tracks had descriptors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packet_maker_for_test.h"

namespace lockstep_test {
namespace {

using lockstep::Clock;
using lockstep::trace::Kind;
using perfetto::TrackEvent;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr std::uint64_t kBoot = 5'000'000'000;
constexpr std::uint64_t kReal = 1'700'000'000'000'000'000;

perfetto::TracePacket& last(PacketMaker& maker) {
  return *maker.trace.mutable_packet(maker.trace.packet_size() - 1);
}

void instant(PacketMaker& maker, std::string_view name, std::uint64_t time,
             std::optional<std::uint32_t> clock = {}) {
  maker.event(TrackEvent::TYPE_INSTANT, 1, time, name);
  if (clock) last(maker).set_timestamp_clock_id(*clock);
}

TEST(PerfettoClocks, ASnapshotWithTheRealTimePutsTheOriginOnTheEpoch) {
  PacketMaker maker;
  maker.clocks({{1, kReal}, {6, kBoot}});
  instant(maker, "a", kBoot + 100);
  instant(maker, "b", kReal + 150, 1);
  const ReadTrace read(maker);
  EXPECT_EQ(read.trace.ranks[0].origin.clock, Clock::kEpoch);
  EXPECT_EQ(read.start_ns("a"), static_cast<std::int64_t>(kReal) + 100);
  EXPECT_EQ(read.start_ns("b"), static_cast<std::int64_t>(kReal) + 150);
}

TEST(PerfettoClocks, WithoutTheRealTimeItIsTheTimeSinceBoot) {
  PacketMaker maker;
  maker.clocks({{3, kBoot - 7}, {6, kBoot}});
  instant(maker, "a", kBoot + 100);
  instant(maker, "b", kBoot + 100, 3);
  const ReadTrace read(maker);
  EXPECT_EQ(read.trace.ranks[0].origin.clock, Clock::kBoot);
  EXPECT_EQ(read.start_ns("a"), static_cast<std::int64_t>(kBoot) + 100);
  EXPECT_EQ(read.start_ns("b"), static_cast<std::int64_t>(kBoot) + 107);
}

TEST(PerfettoClocks, WithoutAnySnapshotNothingIsKnownOfTheClock) {
  PacketMaker maker;
  instant(maker, "a", kBoot);
  EXPECT_EQ(ReadTrace(maker).trace.ranks[0].origin.clock, Clock::kUnknown);
  PacketMaker epoch;
  instant(epoch, "a", kReal);
  EXPECT_EQ(ReadTrace(epoch).trace.ranks[0].origin.clock, Clock::kEpoch);
}

TEST(PerfettoClocks, APacketWithoutAClockCountsInThePrimaryOne) {
  PacketMaker maker;
  maker.clocks({{6, 2'000'000}, {3, 1'000'000}});
  last(maker).mutable_clock_snapshot()->set_primary_trace_clock(3);
  instant(maker, "silent", 1'500'000);
  instant(maker, "monotonic", 1'500'000, 3);
  instant(maker, "boot", 1'500'000, 6);
  const ReadTrace read(maker);
  EXPECT_EQ(read.start_ns("silent"), 1'500'000);
  EXPECT_EQ(read.start_ns("monotonic"), 1'500'000);
  EXPECT_EQ(read.start_ns("boot"), 500'000);
}

TEST(PerfettoClocks, APairThatIsLongerThan64BitsIsOutOfRange) {
  PacketMaker maker;
  const auto at = [&](PacketType type, std::int64_t us) {
    TrackEvent& event = maker.event(type, 1, 0, type == TrackEvent::TYPE_SLICE_END ? "" : "e");
    last(maker).clear_timestamp();
    event.set_timestamp_absolute_us(us);
  };
  for (int i = 0; i < 3; ++i) at(TrackEvent::TYPE_INSTANT, 1'000);
  at(TrackEvent::TYPE_SLICE_END, 9'000'000'000'000'000);
  at(TrackEvent::TYPE_SLICE_BEGIN, -9'000'000'000'000'000);  // out of order: paired by time
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 3U);
  EXPECT_EQ(read.count_of("time_out_of_range"), 1U);
  EXPECT_EQ(read.count_of("negative_duration"), 0U);
}

TEST(PerfettoClocks, APairOverBothSidesOfTheOriginIsNotLongerThanATimeCanBe) {
  constexpr std::uint64_t kDayNs = 86'400'000'000'000;
  PacketMaker maker;
  maker.event(TrackEvent::TYPE_INSTANT, 1, 200 * kDayNs, "origin");
  maker.event(TrackEvent::TYPE_SLICE_BEGIN, 1, 101 * kDayNs, "e");
  maker.event(TrackEvent::TYPE_SLICE_END, 1, 299 * kDayNs, "");
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 1U);
  EXPECT_EQ(read.count_of("time_out_of_range"), 1U);
}

TEST(PerfettoClocks, TheLastSnapshotAtOrBeforeATimeCounts) {
  PacketMaker maker;
  maker.clocks({{3, 1'000}, {6, 2'000}});
  maker.clocks({{3, 2'000}, {6, 3'500}});
  instant(maker, "origin", 2'000);
  instant(maker, "before all", 500, 3);
  instant(maker, "first", 1'999, 3);
  instant(maker, "second", 2'000, 3);
  const ReadTrace read(maker);
  EXPECT_EQ(read.start_ns("before all"), 1'500);
  EXPECT_EQ(read.start_ns("first"), 2'999);
  EXPECT_EQ(read.start_ns("second"), 3'500);
}

TEST(PerfettoClocks, TheWayMayGoOverOtherClocks) {
  PacketMaker maker;
  maker.clocks({{6, 10'000}, {3, 1'000}});
  maker.clocks({{3, 1'000}, {200, 50}});
  instant(maker, "origin", 10'000);
  instant(maker, "far", 60, 200);
  EXPECT_EQ(ReadTrace(maker).start_ns("far"), 10'010);
}

TEST(PerfettoClocks, IncrementalClocksBelongToASequenceAndCountInUnits) {
  PacketMaker maker;
  for (const std::uint32_t sequence : {1U, 2U}) {
    maker.clocks({{6, 10'000 * sequence}, {64, 10 * sequence}});
    last(maker).set_trusted_packet_sequence_id(sequence);
    last(maker).set_sequence_flags(1);
    auto& clock = *last(maker).mutable_clock_snapshot()->mutable_clocks(1);
    clock.set_is_incremental(true);
    clock.set_unit_multiplier_ns(1'000);
    last(maker).mutable_trace_packet_defaults()->set_timestamp_clock_id(64);
  }
  instant(maker, "a", 3);
  instant(maker, "b", 4);
  instant(maker, "c", 1);
  last(maker).set_trusted_packet_sequence_id(2);
  const ReadTrace read(maker);
  EXPECT_EQ(read.start_ns("a"), 13'000);
  EXPECT_EQ(read.start_ns("b"), 17'000);
  EXPECT_EQ(read.start_ns("c"), 21'000);
}

TEST(PerfettoClocks, AClockThatNothingRelatesIsCounted) {
  PacketMaker maker;
  maker.clocks({{1, kReal}, {6, kBoot}});
  instant(maker, "a", kBoot);
  instant(maker, "b", 5, 77);
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 1U);
  EXPECT_EQ(read.count_of("unknown_clock"), 1U);
}

TEST(PerfettoClocks, AFileInOneUnrelatedClockIsReadInIt) {
  PacketMaker maker;
  instant(maker, "a", 1'000, 3);
  instant(maker, "b", 1'500, 3);
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 2U);
  EXPECT_EQ(read.start_ns("b"), 1'500);
}

TEST(PerfettoClocks, OneBrokenTimeAtTheFrontDoesNotLoseTheOthers) {
  PacketMaker maker;
  instant(maker, "broken", 5);
  for (int i = 0; i < 5; ++i) instant(maker, "fine", kReal + static_cast<std::uint64_t>(i));
  instant(maker, "beyond", ~0ULL);
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 5U);
  EXPECT_EQ(read.count_of("time_out_of_range"), 2U);
  EXPECT_EQ(read.trace.ranks[0].origin.ns, static_cast<std::int64_t>(kReal));
}

TEST(PerfettoClocks, AnEventWithoutATimeIsCounted) {
  PacketMaker maker;
  instant(maker, "a", kBoot);
  instant(maker, "b", 1);
  last(maker).clear_timestamp();
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 1U);
  EXPECT_EQ(read.count_of("missing_time"), 1U);
}

class PerfettoLegacy : public testing::Test {
 protected:
  PerfettoLegacy() {
    auto& thread = *maker.packet().mutable_thread_descriptor();
    thread.set_pid(7);
    thread.set_tid(8);
    thread.set_thread_name("old");
    thread.set_reference_timestamp_us(1'000);
  }

  perfetto::LegacyEvent& add(char phase, std::int64_t time_us, std::string_view name) {
    perfetto::TrackEvent& event = *maker.packet().mutable_track_event();
    event.set_timestamp_absolute_us(time_us);
    if (!name.empty()) event.set_name(std::string(name));
    event.add_categories("cat");
    perfetto::LegacyEvent& legacy = *event.mutable_legacy_event();
    legacy.set_phase(phase);
    return legacy;
  }

  PacketMaker maker;
};

TEST_F(PerfettoLegacy, SpansOfAllPhasesLieOnTheThreadOfTheSequence) {
  add('B', 2'000, "pair");
  add('X', 2'001, "whole").set_duration_us(5);
  add('E', 2'100, "");
  add('i', 2'200, "mark");
  const ReadTrace read(maker);
  EXPECT_EQ(read.duration_ns("pair"), 100'000);
  EXPECT_EQ(read.duration_ns("whole"), 5'000);
  EXPECT_EQ(read.place("pair"), "host 7/8");
  EXPECT_EQ(read.trace.text(read.trace.tracks[0].name), "old");
  EXPECT_EQ(read.size(), 3U);
}

TEST_F(PerfettoLegacy, TimesCountOnFromTheReferenceOfTheThread) {
  for (int i = 0; i < 2; ++i) {
    perfetto::TrackEvent& event = *maker.packet().mutable_track_event();
    event.set_timestamp_delta_us(5);
    event.set_name(i == 0 ? "a" : "b");
    event.mutable_legacy_event()->set_phase('i');
  }
  const ReadTrace read(maker);
  EXPECT_EQ(read.start_ns("a"), 1'005'000);
  EXPECT_EQ(read.start_ns("b"), 1'010'000);
}

TEST_F(PerfettoLegacy, AsyncSpansPairByIdAcrossThreads) {
  add('b', 2'000, "x").set_global_id(1);
  add('b', 2'001, "y").set_global_id(2);
  add('e', 2'010, "x").set_global_id(1);
  perfetto::LegacyEvent& other = add('e', 2'020, "y");
  other.set_global_id(2);
  other.set_tid_override(99);
  const ReadTrace read(maker);
  EXPECT_EQ(read.duration_ns("x"), 10'000);
  EXPECT_EQ(read.duration_ns("y"), 19'000);
}

TEST_F(PerfettoLegacy, FlowEventsBindToTheSpanAroundThem) {
  add('X', 2'000, "from").set_duration_us(10);
  add('s', 2'001, "").set_unscoped_id(3);
  perfetto::LegacyEvent& to = add('X', 3'000, "to");
  to.set_duration_us(10);
  to.set_tid_override(9);
  perfetto::LegacyEvent& finish = add('f', 3'001, "");
  finish.set_unscoped_id(3);
  finish.set_tid_override(9);
  perfetto::LegacyEvent& out = add('X', 4'000, "out");
  out.set_bind_id(11);
  out.set_flow_direction(2);
  perfetto::LegacyEvent& in = add('X', 5'000, "in");
  in.set_bind_id(11);
  in.set_flow_direction(1);
  EXPECT_THAT(ReadTrace(maker).flows(), UnorderedElementsAre("from~to", "out~in"));
}

TEST_F(PerfettoLegacy, MetadataIsPassedOverAndUnknownPhasesAreCounted) {
  add('i', 2'000, "mark");
  add('M', 2'000, "thread_name");
  add('?', 2'000, "odd");
  add('N', 2'000, "an object");
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 1U);
  EXPECT_EQ(read.count_of("unknown_event_type"), 1U);
  EXPECT_EQ(read.count_of("unused_phase"), 1U);
}

TEST_F(PerfettoLegacy, AnEndWithANameLeavesWhatIsInsideUnfinished) {
  add('B', 2'000, "outer");
  add('B', 2'001, "inner");
  add('E', 2'100, "outer");
  add('E', 2'100, "nobody");
  const ReadTrace read(maker);
  EXPECT_EQ(read.size(), 1U);
  EXPECT_EQ(read.duration_ns("outer"), 100'000);
  EXPECT_EQ(read.count_of("unfinished_span"), 1U);
  EXPECT_EQ(read.count_of("end_without_begin"), 1U);
}

}  // namespace
}  // namespace lockstep_test
