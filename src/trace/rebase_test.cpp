// Tests of the zero of times: the earliest event, and one for ranks on one clock.
#include "trace/rebase.h"

#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;

// A trace with one event at `at` and one step [at, at + 2 ps) on every rank.
Trace trace_with_origins(const std::vector<Origin>& origins, Time at = Time{5}) {
  Trace trace;
  for (const Origin& origin : origins) {
    const auto r = static_cast<std::uint32_t>(trace.ranks.size());
    trace.ranks.push_back({{}, "rank" + std::to_string(r), "kineto", origin, {}});
    Process process;
    process.rank = RankId{r};
    trace.processes.push_back(process);
    Track track;
    track.process = ProcessId{r};
    trace.tracks.push_back(track);
    Event event;
    event.start = at;
    event.track = TrackId{r};
    trace.events.add(event);
    trace.steps.push_back({{}, RankId{r}, at, at + Time{2}});
  }
  return trace;
}

std::vector<WideTime> absolute_times(const Trace& trace) {
  std::vector<WideTime> times;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Origin& origin = trace.ranks[index_of(trace.rank_of(trace.track_of(i)))].origin;
    times.push_back(WideTime{origin.ns} * kPicosecondsPerNanosecond + trace.events.start[i].ps);
  }
  return times;
}

void add_event(Trace& trace, std::uint32_t track, Time start, Time duration = {}) {
  Event event;
  event.start = start;
  event.duration = duration;
  event.track = TrackId{track};
  trace.events.add(event);
}

TEST(RebaseRanks, MovesAllToTheEarliestEventOnTheEpoch) {
  Trace trace = trace_with_origins({{1'000, Clock::kEpoch}, {400, Clock::kEpoch}});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[0], Time{5 + 600'000});
  EXPECT_EQ(trace.events.start[1], Time{5});
  EXPECT_EQ(trace.steps[0].start, Time{5 + 600'000});
  EXPECT_EQ(trace.steps[0].end, Time{7 + 600'000});
  EXPECT_EQ(trace.ranks[0].origin.ns, 400);
  EXPECT_TRUE(trace.diagnostics.entries().empty());
}

TEST(RebaseRanks, TheEarliestEventMayBeOfTheRankWithTheLaterOrigin) {
  Trace trace = trace_with_origins({{1'000, Clock::kEpoch}, {400, Clock::kEpoch}});
  add_event(trace, 0, Time{-900'500});  // 99.5 ns in absolute time
  const std::vector<WideTime> before = absolute_times(trace);
  rebase_ranks(trace);
  EXPECT_EQ(trace.ranks[0].origin.ns, 99);
  EXPECT_EQ(trace.ranks[1].origin.ns, 99);
  EXPECT_EQ(trace.events.start[2], Time{500});
  EXPECT_EQ(trace.events.start[1], Time{301'005});
  EXPECT_TRUE(absolute_times(trace) == before);
}

TEST(RebaseRanks, ASingleRankCountsFromItsEarliestEvent) {
  for (const Clock clock : {Clock::kEpoch, Clock::kBoot, Clock::kSession, Clock::kUnknown}) {
    Trace trace = trace_with_origins({{1'000, clock}});
    add_event(trace, 0, Time{-2'001});
    const std::vector<WideTime> before = absolute_times(trace);
    rebase_ranks(trace);
    EXPECT_EQ(trace.events.start[1], Time{999});  // the origin is whole nanoseconds
    EXPECT_EQ(trace.ranks[0].origin.ns, 997);
    EXPECT_EQ(trace.ranks[0].origin.clock, clock);
    EXPECT_TRUE(absolute_times(trace) == before);
    EXPECT_TRUE(trace.diagnostics.entries().empty());
  }
}

TEST(RebaseRanks, AZeroBeforeTheEarliestEventMovesUpToIt) {
  Trace trace = trace_with_origins({{1'000, Clock::kBoot}}, Time{7'000'300});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[0], Time{300});
  EXPECT_EQ(trace.steps[0].end, Time{302});
  EXPECT_EQ(trace.ranks[0].origin.ns, 8'000);
}

TEST(RebaseRanks, AStepBeforeAllEventsCounts) {
  Trace trace = trace_with_origins({{1'000, Clock::kUnknown}});
  trace.steps.push_back({{}, RankId{0}, Time{-4'000}, Time{2'000}});
  rebase_ranks(trace);
  EXPECT_EQ(trace.steps[1].start, Time{});
  EXPECT_EQ(trace.events.start[0], Time{4'005});
  EXPECT_EQ(trace.ranks[0].origin.ns, 996);
}

TEST(RebaseRanks, ARankWithoutAnEpochKeepsAZeroOfItsOwnAndIsNamed) {
  Trace trace = trace_with_origins({{1'000, Clock::kEpoch}, {40, Clock::kUnknown}});
  add_event(trace, 1, Time{-3'000});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[0], Time{5});
  EXPECT_EQ(trace.events.start[1], Time{3'005});
  EXPECT_EQ(trace.events.start[2], Time{});
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'000);
  EXPECT_EQ(trace.ranks[1].origin.ns, 37);
  ASSERT_EQ(trace.diagnostics.count_of(kRankKeepsItsZero), 1U);
  EXPECT_EQ(trace.diagnostics.entries()[0].source, "rank1");
}

TEST(RebaseRanks, ARankThatWouldEndTooFarAwayIsNotMoved) {
  Trace trace = trace_with_origins({{0, Clock::kEpoch}, {100 * kDayNs, Clock::kEpoch}});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[1], Time{5});
  EXPECT_EQ(trace.diagnostics.count_of(kRankKeepsItsZero), 1U);
}

TEST(RebaseRanks, ARankWhoseStepWouldEndTooFarAwayIsNotMoved) {
  Trace trace = trace_with_origins({{0, Clock::kEpoch}, {50 * kDayNs, Clock::kEpoch}});
  trace.steps[1].end = Time{kMaxDistanceFromOriginPs};
  rebase_ranks(trace);
  EXPECT_EQ(trace.steps[1].end, Time{kMaxDistanceFromOriginPs});
  EXPECT_EQ(trace.ranks[1].origin.ns, 50 * kDayNs);
  EXPECT_EQ(trace.diagnostics.count_of(kRankKeepsItsZero), 1U);
}

TEST(RebaseRanks, ARankWithoutEventsSetsNoZero) {
  Trace trace = trace_with_origins({{1'000 * kDayNs, Clock::kEpoch}});
  trace.ranks.push_back({{}, "empty", "kineto", {0, Clock::kEpoch}, {}});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[0], Time{5});
  EXPECT_TRUE(trace.diagnostics.entries().empty());
}

TEST(RebaseRanks, TimesTooFarApartStayAndAreNamed) {
  Trace trace = trace_with_origins({{0, Clock::kEpoch}});
  add_event(trace, 0, Time{-60 * kDayNs * 1'000});
  add_event(trace, 0, Time{60 * kDayNs * 1'000});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[1], Time{-60 * kDayNs * 1'000});
  EXPECT_EQ(trace.ranks[0].origin.ns, 0);
  ASSERT_EQ(trace.diagnostics.count_of(kTimesBeforeZero), 1U);
  EXPECT_EQ(trace.diagnostics.entries()[0].source, "rank0");
}

TEST(RebaseRanks, AnEmptyTraceIsLeftAlone) {
  Trace trace;
  rebase_ranks(trace);
  EXPECT_TRUE(trace.ranks.empty());
}

}  // namespace
}  // namespace lockstep::trace
