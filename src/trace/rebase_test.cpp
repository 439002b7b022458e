// Tests of the common origin of ranks.
#include "trace/rebase.h"

#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;

// A trace with one event at 5 ps and one step [5, 7) on every rank.
Trace trace_with_origins(const std::vector<Origin>& origins) {
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
    event.start = Time{5};
    event.track = TrackId{r};
    trace.events.add(event);
    trace.steps.push_back({{}, RankId{r}, Time{5}, Time{7}});
  }
  return trace;
}

TEST(RebaseRanks, MovesAllToTheSmallestEpochOrigin) {
  Trace trace = trace_with_origins({{1'000, Clock::kEpoch}, {400, Clock::kEpoch}});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[0], Time{5 + 600'000});
  EXPECT_EQ(trace.events.start[1], Time{5});
  EXPECT_EQ(trace.steps[0].start, Time{5 + 600'000});
  EXPECT_EQ(trace.steps[0].end, Time{7 + 600'000});
  EXPECT_EQ(trace.ranks[0].origin.ns, 400);
  EXPECT_TRUE(trace.diagnostics.entries().empty());
}

TEST(RebaseRanks, ARankWithoutAnEpochKeepsItsZeroAndIsNamed) {
  Trace trace = trace_with_origins({{1'000, Clock::kEpoch}, {40, Clock::kUnknown}});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[1], Time{5});
  EXPECT_EQ(trace.ranks[1].origin.ns, 40);
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

TEST(RebaseRanks, ASingleRankIsLeftAlone) {
  Trace trace = trace_with_origins({{1'000, Clock::kUnknown}});
  rebase_ranks(trace);
  EXPECT_EQ(trace.events.start[0], Time{5});
  EXPECT_TRUE(trace.diagnostics.entries().empty());
}

}  // namespace
}  // namespace lockstep::trace
