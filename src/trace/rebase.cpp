// Moving of ranks to a common origin.
#include "trace/rebase.h"

#include <algorithm>
#include <vector>

namespace lockstep::trace {

const DiagnosticKind kRankKeepsItsZero{"rank_keeps_its_zero", Severity::kInfo,
                                       "The times of this rank cannot be placed on the clock of "
                                       "the others (no time since the epoch, or "
                                       "more than 100 days away); they count from its own start."};

namespace {

// The last end of every rank's events and steps in ps, at least 0: how far it may be moved.
std::vector<std::int64_t> latest_times(const Trace& trace) {
  std::vector<std::int64_t> latest(trace.ranks.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    std::int64_t& last = latest[index_of(trace.rank_of(trace.track_of(i)))];
    last = std::max(last, trace.events.end(i).ps);
  }
  for (const Step& step : trace.steps) {
    std::int64_t& last = latest[index_of(step.rank)];
    last = std::max(last, step.end.ps);
  }
  return latest;
}

}  // namespace

void rebase_ranks(Trace& trace) {
  if (trace.ranks.size() < 2) return;
  std::optional<std::int64_t> zero_ns;
  for (const Rank& rank : trace.ranks) {
    if (rank.origin.clock == Clock::kEpoch) {
      zero_ns = std::min(zero_ns.value_or(rank.origin.ns), rank.origin.ns);
    }
  }
  // Ranks of one merged file are on one clock, whatever that is.
  const bool are_of_one_file = std::ranges::all_of(trace.ranks, [&](const Rank& rank) {
    return rank.source == trace.ranks[0].source && rank.origin.ns == trace.ranks[0].origin.ns &&
           rank.origin.clock == trace.ranks[0].origin.clock;
  });
  if (are_of_one_file) return;
  const std::vector<std::int64_t> reach = latest_times(trace);
  std::vector<Time> shift(trace.ranks.size());
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    Rank& rank = trace.ranks[r];
    const WideTime distance =
        zero_ns ? (WideTime{rank.origin.ns} - *zero_ns) * kPicosecondsPerNanosecond : 0;
    if (rank.origin.clock != Clock::kEpoch || distance + reach[r] > kMaxDistanceFromOriginPs) {
      Diagnostics note;
      note.add(kRankKeepsItsZero);
      trace.diagnostics.absorb(note, rank.source);
      continue;
    }
    shift[r] = Time{static_cast<std::int64_t>(distance)};
    rank.origin.ns = *zero_ns;
  }
  const auto shift_of_track = [&](TrackId track) {
    return shift[index_of(trace.rank_of(trace.tracks[index_of(track)]))];
  };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    trace.events.start[i] += shift_of_track(trace.events.track[i]);
  }
  for (Step& step : trace.steps) {
    step.start += shift[index_of(step.rank)];
    step.end += shift[index_of(step.rank)];
  }
}

}  // namespace lockstep::trace
