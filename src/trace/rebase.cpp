// Finding of the earliest times, and moving of ranks to them.
#include "trace/rebase.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::trace {

const DiagnosticKind kRankKeepsItsZero{"rank_keeps_its_zero", Severity::kInfo,
                                       "The times of this rank cannot be placed on the clock of "
                                       "the others (no time since the epoch, or "
                                       "more than 100 days away); they count from its own start."};
const DiagnosticKind kTimesBeforeZero{"times_before_zero", Severity::kInfo,
                                      "Times of this rank lie more than 100 days apart; they count "
                                      "from one near its first event, and those before it are "
                                      "negative."};

namespace {

// Of the events and steps of a rank, in ps from its origin. Nothing lies in an empty one.
struct Extent {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();

  [[nodiscard]] bool is_empty() const { return first > last; }
  void add(Time start, Time end) {
    first = std::min(first, start.ps);
    last = std::max(last, end.ps);
  }
};

// Most traces have one rank, and then no event needs to be looked up. Ends do not overflow: readers
// let none through that is further than 100 days from the origin.
Extent extent_of_all(const EventTable& events) {
  Extent extent;
  for (std::size_t i = 0; i < events.size(); ++i) {
    extent.first = std::min(extent.first, events.start[i].ps);
    extent.last = std::max(extent.last, events.start[i].ps + events.duration[i].ps);
  }
  return extent;
}

void add_by_track(const Trace& trace, std::span<Extent> of_rank) {
  std::vector<Extent> of_track(trace.tracks.size());
  const EventTable& events = trace.events;
  for (std::size_t i = 0; i < events.size(); ++i)
    of_track[index_of(events.track[i])].add(events.start[i], events.end(i));
  for (std::size_t t = 0; t < of_track.size(); ++t) {
    if (of_track[t].is_empty()) continue;
    of_rank[index_of(trace.rank_of(trace.tracks[t]))].add({of_track[t].first}, {of_track[t].last});
  }
}

std::vector<Extent> extents_of_ranks(const Trace& trace) {
  std::vector<Extent> of_rank(trace.ranks.size());
  if (of_rank.size() == 1) {
    of_rank.front() = extent_of_all(trace.events);
  } else {
    add_by_track(trace, of_rank);
  }
  for (const Step& step : trace.steps) of_rank[index_of(step.rank)].add(step.start, step.end);
  return of_rank;
}

// Whether times of a rank can count from `zero_ns` in its clock: none before it, all within their
// reach, and within that of 64-bit nanoseconds in absolute time.
bool can_count_from(WideTime zero_ns, const Rank& rank, const Extent& extent) {
  constexpr std::int64_t kReachNs = kMaxDistanceFromOriginPs / kPicosecondsPerNanosecond;
  constexpr std::int64_t kFurthestNs = std::numeric_limits<std::int64_t>::max() - kReachNs;
  const WideTime shift = (WideTime{rank.origin.ns} - zero_ns) * kPicosecondsPerNanosecond;
  return zero_ns >= -kFurthestNs && zero_ns <= kFurthestNs && shift + extent.first >= 0 &&
         shift + extent.last <= kMaxDistanceFromOriginPs;
}

// In the clock of the rank.
WideTime earliest_ns(const Rank& rank, const Extent& extent) {
  return WideTime{rank.origin.ns} + floor_ns({extent.first});
}

// Ranks of one merged file are on one clock, whatever that is.
bool are_of_one_file(const Trace& trace) {
  return std::ranges::all_of(trace.ranks, [&](const Rank& rank) {
    const Rank& first = trace.ranks.front();
    return rank.source == first.source && rank.origin.ns == first.origin.ns &&
           rank.origin.clock == first.origin.clock;
  });
}

// The earliest of the ranks that can share a zero.
std::optional<WideTime> common_zero(const Trace& trace, std::span<const Extent> extents,
                                    bool is_one_file) {
  std::optional<WideTime> zero;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const Rank& rank = trace.ranks[r];
    if ((rank.origin.clock != Clock::kEpoch && !is_one_file) || extents[r].is_empty()) continue;
    const WideTime earliest = earliest_ns(rank, extents[r]);
    if (can_count_from(earliest, rank, extents[r]))
      zero = std::min(zero.value_or(earliest), earliest);
  }
  return zero;
}

void note(Trace& trace, const DiagnosticKind& kind, const Rank& rank) {
  Diagnostics one;
  one.add(kind);
  trace.diagnostics.absorb(one, rank.source);
}

// Where the times of a rank shall count from, with what is to be said of it.
WideTime zero_of(Trace& trace, std::size_t r, const Extent& extent, std::optional<WideTime> common,
                 bool is_one_file) {
  const Rank& rank = trace.ranks[r];
  const bool is_shared = common && (rank.origin.clock == Clock::kEpoch || is_one_file) &&
                         (extent.is_empty() || can_count_from(*common, rank, extent));
  if (is_shared) return *common;
  if (trace.ranks.size() > 1) note(trace, kRankKeepsItsZero, rank);
  if (extent.is_empty()) return rank.origin.ns;
  const WideTime earliest = earliest_ns(rank, extent);
  if (can_count_from(earliest, rank, extent)) return earliest;
  if (extent.first < 0) note(trace, kTimesBeforeZero, rank);
  return rank.origin.ns;
}

// A rank may move further than its times lie from their zero in the end.
Time moved(Time time, WideTime shift) { return Time{static_cast<std::int64_t>(time.ps + shift)}; }

void move_events(Trace& trace, std::span<const WideTime> shift_of_rank) {
  if (shift_of_rank.size() == 1) {
    for (Time& start : trace.events.start) start = moved(start, shift_of_rank.front());
    return;
  }
  std::vector<WideTime> shift_of_track;
  for (const Track& track : trace.tracks)
    shift_of_track.push_back(shift_of_rank[index_of(trace.rank_of(track))]);
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    trace.events.start[i] =
        moved(trace.events.start[i], shift_of_track[index_of(trace.events.track[i])]);
}

void move_steps(Trace& trace, std::span<const WideTime> shift_of_rank) {
  for (Step& step : trace.steps) {
    step.start = moved(step.start, shift_of_rank[index_of(step.rank)]);
    step.end = moved(step.end, shift_of_rank[index_of(step.rank)]);
  }
}

}  // namespace

void rebase_ranks(Trace& trace) {
  const std::vector<Extent> extents = extents_of_ranks(trace);
  const bool is_one_file = are_of_one_file(trace);
  const std::optional<WideTime> common = common_zero(trace, extents, is_one_file);
  std::vector<WideTime> shift_of_rank(trace.ranks.size(), 0);
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const WideTime zero = zero_of(trace, r, extents[r], common, is_one_file);
    Origin& origin = trace.ranks[r].origin;
    if (!extents[r].is_empty()) {
      shift_of_rank[r] = (origin.ns - zero) * kPicosecondsPerNanosecond;
    }
    origin.ns = static_cast<std::int64_t>(zero);
  }
  const auto is_moved = [](WideTime shift) { return shift != 0; };
  if (std::ranges::none_of(shift_of_rank, is_moved)) return;
  move_events(trace, shift_of_rank);
  move_steps(trace, shift_of_rank);
}

}  // namespace lockstep::trace
