// Where the Perfetto writer puts threads, streams and ranks, seen through a decoder of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay.h"
#include "trace_maker_for_test.h"

namespace lockstep_test {
namespace {

using lockstep::Clock;
using lockstep::trace::TrackId;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kNs = 1'000;

TEST(PerfettoWriterTracks, HostThreadsStandUnderTheirProcess) {
  TraceMaker maker;
  const TrackId thread = maker.add_thread("966", "967", "worker");
  maker.trace.tracks[0].sort_index = 3;
  maker.add_span(thread, "op", 0, kNs);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  const auto& track = shown.track_of(shown.slice("op"));
  EXPECT_EQ(shown.path_of(track.uuid()), "python3/worker");
  EXPECT_EQ(track.thread().pid(), 966);
  EXPECT_EQ(track.thread().tid(), 967);
  EXPECT_EQ(track.thread().thread_name(), "worker");
  EXPECT_EQ(track.thread().legacy_sort_index(), 3);
  const auto& process = shown.tracks.at(track.parent_uuid()).process();
  EXPECT_EQ(process.pid(), 966);
  EXPECT_EQ(process.process_name(), "python3");
  EXPECT_EQ(process.legacy_sort_index(), 5);
  EXPECT_THAT(process.process_labels(), ElementsAre("CPU"));
}

TEST(PerfettoWriterTracks, IdsThatAreNoNumbersOrCollideGetTheirOwn) {
  TraceMaker maker;
  for (const auto& [pid, tid] :
       {std::pair{"1", "5"}, {"2", "5"}, {"Spans", "PyTorch"}, {"-1", "0"}}) {
    maker.add_span(maker.add_thread(pid, tid), pid, 0, kNs);
  }
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());  // "pid twice" and "tid twice" are faults
  EXPECT_EQ(shown.track_of(shown.slice("1")).thread().tid(), 5);
  EXPECT_NE(shown.track_of(shown.slice("2")).thread().tid(), 5);
  EXPECT_EQ(shown.track_of(shown.slice("Spans")).name(), "thread PyTorch");
  EXPECT_GT(shown.track_of(shown.slice("-1")).thread().pid(), 0);
  EXPECT_GT(shown.track_of(shown.slice("-1")).thread().tid(), 0);
}

TEST(PerfettoWriterTracks, AProcessWithoutThreadsIsNotShown) {
  TraceMaker maker;
  maker.add_span(maker.add_stream("0", "7"), "kernel", 0, kNs);
  for (const auto& [uuid, track] : maker.shown().tracks) EXPECT_FALSE(track.has_process());
}

TEST(PerfettoWriterTracks, OverlapGoesToASiblingOfTheSameName) {
  TraceMaker maker;
  for (const TrackId track : {maker.add_stream("0", "7"), maker.add_thread("8", "9", "main")}) {
    maker.add_span(track, "first", 0, 10 * kNs);
    maker.add_span(track, "second", 5 * kNs, 10 * kNs);
    maker.add_span(track, "third", 10 * kNs, 3 * kNs);
    const ShownTrace shown = maker.shown();
    EXPECT_THAT(shown.faults, IsEmpty());
    const ShownEvent& first = shown.slice("first");
    const ShownEvent& second = shown.slice("second");
    EXPECT_NE(first.track_uuid, second.track_uuid);
    EXPECT_EQ(first.track_uuid, shown.slice("third").track_uuid);
    EXPECT_EQ(shown.path_of(first.track_uuid), shown.path_of(second.track_uuid));
    EXPECT_EQ(shown.track_of(first).parent_uuid(), shown.track_of(second).parent_uuid());
    EXPECT_EQ(second.end, 1'015U);
    maker.trace.events = {};
  }
}

TEST(PerfettoWriterTracks, NestedTouchingAndEmptySlicesShareATrack) {
  TraceMaker maker;
  const TrackId track = maker.add_thread("1", "2");
  maker.add_span(track, "empty at the end", 10 * kNs, 0);
  maker.add_span(track, "inner", 0, 10 * kNs);
  maker.add_span(track, "next", 10 * kNs, 5 * kNs);
  maker.add_span(track, "outer", 0, 20 * kNs);
  maker.add_span(track, "empty at the start", 0, 0);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  EXPECT_EQ(shown.slices.size(), 5U);
  for (const ShownEvent& slice : shown.slices) {
    EXPECT_EQ(slice.track_uuid, shown.slices.front().track_uuid) << slice.name;
  }
  EXPECT_EQ(shown.slice("outer").depth, 0U);
  EXPECT_EQ(shown.slice("inner").depth, 1U);
  EXPECT_EQ(shown.slice("empty at the start").depth, 2U);
  EXPECT_EQ(shown.slice("next").depth, 1U);
  EXPECT_EQ(shown.slice("inner").end, 1'010U);
  EXPECT_EQ(shown.slice("outer").end, 1'020U);
  EXPECT_EQ(shown.slice("empty at the end").end, 1'010U);
}

TEST(PerfettoWriterTracks, RanksAreTheTopOfTheTree) {
  TraceMaker maker;
  maker.add_rank(3, {1'700'000'000'000'000'000, Clock::kEpoch});
  maker.add_span(maker.add_thread("10", "11", "main"), "op 3", 0, kNs);
  maker.add_span(maker.add_stream("0", "7"), "kernel 3", 0, kNs);
  maker.add_rank(4, {1'700'000'001'000'000'000, Clock::kEpoch});
  maker.add_span(maker.add_thread("10", "11", "main"), "op 4", 0, kNs);
  maker.add_span(maker.add_stream("0", "7"), "kernel 4", 0, kNs);
  maker.add_rank(std::nullopt, {50, Clock::kSession});
  maker.trace.ranks.back().source = "x.json";
  maker.add_span(maker.add_stream("0", "7"), "kernel ?", 0, kNs);
  const ShownTrace shown = maker.shown();
  EXPECT_THAT(shown.faults, IsEmpty());
  const auto path = [&](std::string_view name) {
    return shown.path_of(shown.slice(name).track_uuid);
  };
  EXPECT_EQ(path("op 3"), "rank 3/rank 3 python3/main");
  EXPECT_EQ(path("kernel 3"), "rank 3/GPU 0/stream 7");
  EXPECT_EQ(path("op 4"), "rank 4/rank 4 python3/main");
  EXPECT_EQ(path("kernel ?"), "x.json/GPU 0/stream 7");
  EXPECT_EQ(shown.slice("kernel 4").begin - shown.slice("kernel 3").begin, 1'000'000'000U);
  EXPECT_EQ(shown.slice("kernel ?").begin, 50U);
}

TEST(PerfettoWriterTracks, StreamsAreOrderedByNumber) {
  TraceMaker maker;
  maker.add_span(maker.add_stream("0", "13"), "a", 0, kNs);
  const ShownTrace shown = maker.shown();
  const auto& track = shown.track_of(shown.slice("a"));
  EXPECT_EQ(track.sibling_order_rank(), 13);
  EXPECT_EQ(shown.tracks.at(track.parent_uuid()).child_ordering(),
            perfetto::TrackDescriptor::EXPLICIT);
}

}  // namespace
}  // namespace lockstep_test
