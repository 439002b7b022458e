// Joining by correlation and binding of flow ends by a sweep over each lane.
#include "trace/flow_binder.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace lockstep::trace {

const DiagnosticKind kUnmatchedFlow{
    "unmatched_flow", Severity::kInfo,
    "A flow event has no partner or no event at its time; profilers write such ends for host calls "
    "that launch nothing."};

const DiagnosticKind kReusedCorrelation{
    "reused_correlation", Severity::kInfo,
    "Calls of several processes share a correlation id, as in merged traces, and the file does not "
    "say which process launched the work; it was joined by flow events only."};

namespace {

// Profilers count correlations up from 1, so plain vectors serve up to a size in proportion to the
// number of events; anything else goes to a hash map.
std::uint64_t dense_limit(std::size_t events) { return 16 * std::uint64_t{events} + (1U << 16); }

// Calls of several processes have this correlation: it joins nothing.
constexpr EventId kAmbiguous{0xFFFF'FFFE};

// Host calls by correlation. Correlations are unique in a process only: work on a stream of a
// process that makes calls belongs to a call of that process.
class CallsByCorrelation {
 public:
  CallsByCorrelation(const Trace& trace, std::uint64_t limit)
      : trace_(trace), dense_limit_(limit), makes_calls_(trace.processes.size()) {}

  // Enters a call. Of several in one process the earliest counts, whatever the order of the rows.
  void add(std::size_t event) {
    const std::int64_t correlation = trace_.events.correlation[event];
    const ProcessId process = process_of(event);
    if (!makes_calls_[index_of(process)]) {
      makes_calls_[index_of(process)] = true;
      callers_[static_cast<std::uint32_t>(rank_of(process))].push_back(key_of(process));
    }
    EventId& call = slot(correlation);
    const EventId id{static_cast<std::uint32_t>(event)};
    if (call == kNoEvent) {
      call = id;
      return;
    }
    if (call != kAmbiguous) {
      if (process_of(index_of(call)) == process) {
        keep_earlier(call, id);
        return;
      }
      by_process_[key_of(process_of(index_of(call)))].try_emplace(correlation, call);
      call = kAmbiguous;
    }
    keep_earlier(by_process_[key_of(process)].try_emplace(correlation, id).first->second, id);
  }

  // The call that launched this device event; kNoEvent or kAmbiguous when that is not known.
  [[nodiscard]] EventId launcher_of(std::size_t event) const {
    const std::int64_t correlation = trace_.events.correlation[event];
    const EventId call = find(correlation);
    const ProcessId process = process_of(event);
    if (call == kNoEvent) return call;
    if (!makes_calls_[index_of(process)]) {
      if (call == kAmbiguous) return only_call_of_rank(rank_of(process), correlation);
      return rank_of(process_of(index_of(call))) == rank_of(process) ? call : kNoEvent;
    }
    if (call != kAmbiguous) return process_of(index_of(call)) == process ? call : kNoEvent;
    const auto calls = by_process_.find(key_of(process));
    if (calls == by_process_.end()) return kNoEvent;
    const auto own = calls->second.find(correlation);
    return own == calls->second.end() ? kNoEvent : own->second;
  }

 private:
  void keep_earlier(EventId& kept, EventId other) const {
    const auto& starts = trace_.events.start;
    const Time start = starts[index_of(other)];
    const Time earliest = starts[index_of(kept)];
    if (start < earliest || (start == earliest && is_on_smaller_track(other, kept))) kept = other;
  }

  // Calls of two threads at one time: rows may be by thread in one format and not in the next.
  [[nodiscard]] bool is_on_smaller_track(EventId a, EventId b) const {
    const auto id_of = [this](EventId event) {
      const std::string_view id = trace_.text(trace_.track_of(index_of(event)).id.text);
      return std::tuple(id.size(), id);
    };
    return id_of(a) < id_of(b);
  }

  // Of a correlation that several processes have: the call of this rank, when one process of it
  // makes such calls.
  [[nodiscard]] EventId only_call_of_rank(RankId rank, std::int64_t correlation) const {
    const auto callers = callers_.find(static_cast<std::uint32_t>(rank));
    if (callers == callers_.end()) return kNoEvent;
    EventId found = kNoEvent;
    for (const std::uint32_t process : callers->second) {
      const auto calls = by_process_.find(process);
      if (calls == by_process_.end()) continue;
      const auto own = calls->second.find(correlation);
      if (own == calls->second.end()) continue;
      if (found != kNoEvent) return kAmbiguous;
      found = own->second;
    }
    return found;
  }

  [[nodiscard]] ProcessId process_of(std::size_t event) const {
    return trace_.track_of(event).process;
  }
  [[nodiscard]] RankId rank_of(ProcessId process) const {
    return trace_.processes[index_of(process)].rank;
  }
  [[nodiscard]] static std::uint32_t key_of(ProcessId process) {
    return static_cast<std::uint32_t>(process);
  }

  // The call that has this correlation, to be read and set.
  [[nodiscard]] EventId& slot(std::int64_t correlation) {
    if (static_cast<std::uint64_t>(correlation) >= dense_limit_) {
      return sparse_.try_emplace(correlation, kNoEvent).first->second;
    }
    const auto at = static_cast<std::size_t>(correlation);
    if (dense_.size() <= at) dense_.resize(at + 1 + at / 2, kNoEvent);
    return dense_[at];
  }

  [[nodiscard]] EventId find(std::int64_t correlation) const {
    if (correlation < 0) return kNoEvent;
    if (static_cast<std::uint64_t>(correlation) < dense_limit_) {
      const auto at = static_cast<std::size_t>(correlation);
      return at < dense_.size() ? dense_[at] : kNoEvent;
    }
    const auto it = sparse_.find(correlation);
    return it == sparse_.end() ? kNoEvent : it->second;
  }

  const Trace& trace_;
  std::uint64_t dense_limit_;
  std::vector<EventId> dense_;
  std::unordered_map<std::int64_t, EventId> sparse_;
  std::vector<bool> makes_calls_;                                          // by process
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> callers_;  // of them, by rank
  // Of the correlations that several processes have: by process.
  std::unordered_map<std::uint32_t, std::unordered_map<std::int64_t, EventId>> by_process_;
};

bool is_start(const FlowEnd& end) { return end.role == FlowEnd::Role::kStart; }

// Finds, on one lane, the event that each of some times belongs to.
class LaneSweep {
 public:
  LaneSweep(const Trace& trace, std::vector<std::uint32_t> rows)
      : events_(trace.events), rows_(std::move(rows)) {
    std::ranges::sort(rows_, [this](std::uint32_t a, std::uint32_t b) {
      return std::tuple(events_.start[a], -events_.duration[a].ps, a) <
             std::tuple(events_.start[b], -events_.duration[b].ps, b);
    });
  }

  // Times must be asked in ascending order.
  [[nodiscard]] EventId at(Time time, bool enclosing) {
    while (next_ < rows_.size() && events_.start[rows_[next_]] <= time) {
      drop_ended(events_.start[rows_[next_]]);
      open_.push_back(rows_[next_++]);
    }
    if (!enclosing) return next_starting_at(time);
    drop_ended(time);
    return open_.empty() ? kNoEvent : EventId{open_.back()};
  }

 private:
  // Afterwards the last one, if any, lasts beyond `now` or starts at it.
  void drop_ended(Time now) {
    while (!open_.empty() && events_.end(open_.back()) <= now &&
           events_.start[open_.back()] < now) {
      open_.pop_back();
    }
  }

  [[nodiscard]] EventId next_starting_at(Time time) const {
    if (!open_.empty() && events_.start[open_.back()] == time) return EventId{open_.back()};
    return next_ < rows_.size() ? EventId{rows_[next_]} : kNoEvent;
  }

  const EventTable& events_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> open_;
  std::size_t next_ = 0;
};

// The calls of the rows from `first_row` on.
CallsByCorrelation calls_of(const Trace& trace, std::size_t first_row, std::uint64_t limit) {
  const EventTable& events = trace.events;
  CallsByCorrelation calls(trace, limit);
  for (std::size_t i = first_row; i < events.size(); ++i) {
    // A call on a stream of a device is no host call: it would launch itself.
    const bool is_call = events.kind[i] == Kind::kRuntimeCall && !trace.on_device(i);
    if (is_call && events.correlation[i] >= 0) calls.add(i);
  }
  return calls;
}

}  // namespace

std::vector<EventId> launchers_by_correlation(const Trace& trace) {
  const EventTable& events = trace.events;
  const CallsByCorrelation calls = calls_of(trace, 0, dense_limit(events.size()));
  std::vector<EventId> launchers(events.size(), kNoEvent);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.correlation[i] < 0 || !trace.on_device(i)) continue;
    const EventId call = calls.launcher_of(i);
    if (call != kAmbiguous) launchers[i] = call;
  }
  return launchers;
}

void FlowBinder::join_by_correlation(Trace& trace, std::size_t first_row,
                                     Diagnostics& diagnostics) {
  const EventTable& events = trace.events;
  launched_.assign(events.size() - first_row, false);
  const std::uint64_t limit = dense_limit(events.size() - first_row);
  const CallsByCorrelation calls = calls_of(trace, first_row, limit);
  std::vector<bool>* of_rank = nullptr;  // of the rank that was met last
  RankId last_rank{};
  for (std::size_t i = first_row; i < events.size(); ++i) {
    if (events.correlation[i] < 0 || !trace.on_device(i)) continue;
    const EventId call = calls.launcher_of(i);
    if (call == kAmbiguous) diagnostics.add(kReusedCorrelation);
    if (call == kNoEvent || call == kAmbiguous) continue;
    trace.flows.push_back({call, EventId{static_cast<std::uint32_t>(i)}, Flow::Kind::kLaunch, {}});
    launched_[i - first_row] = true;
    const auto at = static_cast<std::size_t>(events.correlation[i]);
    if (at >= limit) continue;  // such ends are bound by time instead
    const RankId rank = trace.rank_of(trace.track_of(i));
    if (of_rank == nullptr || rank != last_rank) {
      of_rank = &joined_[static_cast<std::uint32_t>(rank)];
      last_rank = rank;
    }
    if (of_rank->size() <= at) of_rank->resize(at + 1 + at / 2);
    (*of_rank)[at] = true;
  }
}

void FlowBinder::find_ranks(const Trace& trace) {
  ranks_.clear();
  for (const Track& track : trace.tracks) ranks_.push_back(trace.rank_of(track));
}

bool FlowBinder::is_joined(RankId rank, std::int64_t correlation) const {
  const auto joined = joined_.find(static_cast<std::uint32_t>(rank));
  return joined != joined_.end() && correlation >= 0 &&
         static_cast<std::uint64_t>(correlation) < joined->second.size() &&
         joined->second[static_cast<std::size_t>(correlation)];
}

void FlowBinder::drop_joined_ends(const Trace& trace) {
  find_ranks(trace);
  const auto rest = std::ranges::remove_if(ends_, [this](const FlowEnd& end) {
    return end.id_is_correlation && is_joined(rank_of(end), end.id);
  });
  ends_.truncate(static_cast<std::size_t>(rest.begin() - ends_.begin()));
}

std::size_t FlowBinder::end_of_arrow(std::size_t first) const {
  std::size_t last = first + 1;
  while (last < ends_.size() && ends_[last].category == ends_[first].category &&
         ends_[last].id == ends_[first].id && rank_of(ends_[last]) == rank_of(ends_[first])) {
    ++last;
  }
  return last;
}

std::uint64_t FlowBinder::drop_ends_without_partner() {
  std::size_t kept = 0;
  std::uint64_t dropped = 0;
  for (std::size_t first = 0; first < ends_.size();) {
    const std::size_t last = end_of_arrow(first);
    const auto starts = std::count_if(ends_.begin() + first, ends_.begin() + last, is_start);
    const bool has_both = starts > 0 && static_cast<std::size_t>(starts) < last - first;
    if (!has_both) dropped += last - first;
    for (std::size_t i = first; has_both && i < last; ++i) ends_[kept++] = ends_[i];
    first = last;
  }
  ends_.truncate(kept);
  return dropped;
}

// The event at every end, by one sweep over each lane that has ends.
std::vector<EventId> FlowBinder::events_at_ends(const Trace& trace, std::size_t first_row) const {
  std::vector<std::uint32_t> by_lane(ends_.size());
  std::iota(by_lane.begin(), by_lane.end(), 0U);
  std::ranges::sort(by_lane, [this](std::uint32_t a, std::uint32_t b) {
    return std::tuple(ends_[a].track, ends_[a].time, a) <
           std::tuple(ends_[b].track, ends_[b].time, b);
  });
  std::vector<std::vector<std::uint32_t>> rows(trace.tracks.size());
  std::vector<bool> wanted(trace.tracks.size());
  for (const FlowEnd& end : ends_) wanted[index_of(end.track)] = true;
  for (std::size_t i = first_row; i < trace.events.size(); ++i) {
    const std::size_t track = index_of(trace.events.track[i]);
    if (wanted[track] && trace.events.shape[i] == Shape::kSpan) {
      rows[track].push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::vector<EventId> found(ends_.size(), kNoEvent);
  for (std::size_t i = 0; i < by_lane.size();) {
    const TrackId lane = ends_[by_lane[i]].track;
    LaneSweep sweep(trace, std::move(rows[index_of(lane)]));
    for (; i < by_lane.size() && ends_[by_lane[i]].track == lane; ++i) {
      const FlowEnd& end = ends_[by_lane[i]];
      found[by_lane[i]] = sweep.at(end.time, end.binds_enclosing);
    }
  }
  return found;
}

// Arrows of the ends [first, last), which share category and id. Returns how many ends led nowhere.
std::uint64_t FlowBinder::bind_group(std::size_t first, std::size_t last,
                                     const std::vector<EventId>& found, Trace& trace,
                                     std::size_t first_row) {
  // With a single start every other end hangs on it, even when its clock says that it came later.
  const auto* begin = ends_.begin() + first;
  const auto* end = ends_.begin() + last;
  const bool single = std::count_if(begin, end, is_start) == 1;
  EventId source =
      single ? found[static_cast<std::size_t>(std::find_if(begin, end, is_start) - ends_.begin())]
             : kNoEvent;
  std::uint64_t unmatched = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (is_start(ends_[i])) {
      source = found[i];
    } else if (source == kNoEvent || found[i] == kNoEvent || source == found[i]) {
      ++unmatched;
    } else {
      add_arrow(source, found[i], ends_[i], trace, first_row);
      if (ends_[i].role == FlowEnd::Role::kStep) source = found[i];
    }
  }
  return unmatched;
}

// A launch that the correlation told already is not told again.
void FlowBinder::add_arrow(EventId from, EventId to, const FlowEnd& end, Trace& trace,
                           std::size_t first_row) {
  const bool is_launch =
      end.may_launch && !trace.on_device(index_of(from)) && trace.on_device(index_of(to));
  if (!is_launch) {
    trace.flows.push_back({from, to, Flow::Kind::kOther, end.category});
  } else if (!launched_[index_of(to) - first_row]) {
    launched_[index_of(to) - first_row] = true;
    trace.flows.push_back({from, to, Flow::Kind::kLaunch, end.category});
  }
}

void FlowBinder::bind(Trace& trace, std::size_t first_row, Diagnostics& diagnostics) {
  join_by_correlation(trace, first_row, diagnostics);
  drop_joined_ends(trace);
  if (ends_.empty()) return;
  std::ranges::sort(ends_, [this](const FlowEnd& a, const FlowEnd& b) {
    return std::tuple(a.category, a.id, rank_of(a), a.time, a.role, a.track) <
           std::tuple(b.category, b.id, rank_of(b), b.time, b.role, b.track);
  });
  std::uint64_t unmatched = drop_ends_without_partner();
  const std::vector<EventId> found = events_at_ends(trace, first_row);
  for (std::size_t first = 0; first < ends_.size();) {
    const std::size_t last = end_of_arrow(first);
    unmatched += bind_group(first, last, found, trace, first_row);
    first = last;
  }
  diagnostics.add(kUnmatchedFlow, Place::none(), {}, unmatched);
}

}  // namespace lockstep::trace
