// Sorts the events of every host thread, nests them, and keeps the leaves.
#include "analysis/anomalies/host_index.h"

#include <algorithm>
#include <array>
#include <optional>

#include "algo/natural_merge.h"
#include "analysis/anomalies/host_calls.h"

namespace lockstep {
namespace {

bool is_host_work(Kind kind) {
  return kind == Kind::kHostOp || kind == Kind::kRuntimeCall || kind == Kind::kSynchronize ||
         kind == Kind::kPython;
}

// One event on its way into the index.
struct HostSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  EventId event = kNoEvent;

  [[nodiscard]] bool contains(const HostSpan& other) const { return other.end <= end; }
};

// A longer one first, so that a parent comes before its children; events of one extent in the order
// of the table.
bool comes_first(const HostSpan& a, const HostSpan& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.end != b.end) return a.end > b.end;
  return a.event < b.event;
}

class ThreadBuilder {
 public:
  ThreadBuilder(const Trace& trace, HostCalls& calls, HostThread& thread)
      : trace_(trace), calls_(calls), thread_(thread) {}

  void build(std::vector<HostSpan>& spans) {
    natural_merge_sort(spans, comes_first);
    thread_.events.reserve(spans.size());
    thread_.parents.reserve(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const bool is_leaf = i + 1 == spans.size() || spans[i + 1].begin >= spans[i].end ||
                           !spans[i].contains(spans[i + 1]);
      take(spans, i, is_leaf);
    }
    reduce_to_covering(thread_.syncs);
    reduce_to_covering(thread_.comms);
  }

 private:
  void take(const std::vector<HostSpan>& spans, std::size_t i, bool is_leaf) {
    const HostSpan& span = spans[i];
    while (!open_.empty() &&
           (spans[open_.back()].end <= span.begin || !spans[open_.back()].contains(span))) {
      open_.pop_back();
    }
    const Kind kind = trace_.events.kind[index_of(span.event)];
    thread_.events.push_back(span.event);
    thread_.parents.push_back(open_.empty() ? -1 : static_cast<std::int32_t>(open_.back()));
    if (kind == Kind::kPython) thread_.python_starts.push_back({span.begin});
    note_call(spans, i, kind);
    if (is_leaf) add_leaf(span, kind);
    open_.push_back(i);
  }

  void add_leaf(const HostSpan& span, Kind kind) {
    const std::int64_t from =
        thread_.leaves.empty() ? span.begin : std::max(span.begin, thread_.leaves.back().end);
    if (span.end > from) thread_.leaves.push_back({from, span.end, span.event, kind});
  }

  // A call that waits makes waiting of the operators around it that may wait.
  void note_call(const std::vector<HostSpan>& spans, std::size_t i, Kind kind) {
    const HostCall call = calls_.of(name_of_span(spans[i]), kind);
    if (call == HostCall::kCommunication) thread_.comms.push_back({spans[i].begin, spans[i].end});
    if (call != HostCall::kSynchronize && call != HostCall::kCopy) return;
    Interval waits{spans[i].begin, spans[i].end};
    for (auto around = open_.rbegin(); around != open_.rend(); ++around) {
      const HostSpan& op = spans[*around];
      const HostCall what = calls_.of(name_of_span(op), trace_.events.kind[index_of(op.event)]);
      if (what != HostCall::kMayWait) break;
      waits = {op.begin, op.end};
    }
    thread_.syncs.push_back(waits);
  }

  [[nodiscard]] StringId name_of_span(const HostSpan& span) const {
    return trace_.events.name[index_of(span.event)];
  }

  const Trace& trace_;
  HostCalls& calls_;
  HostThread& thread_;
  std::vector<std::size_t> open_;
};

struct Sorted {
  std::vector<std::vector<HostSpan>> spans;      // by track
  std::vector<std::vector<Interval>> overheads;  // by rank
};

Sorted spans_by_track(const Trace& trace) {
  const EventTable& events = trace.events;
  Sorted sorted;
  sorted.spans.resize(trace.tracks.size());
  sorted.overheads.resize(trace.ranks.size());
  std::vector<std::size_t> counts(trace.tracks.size(), 0);
  std::vector<bool> is_host(trace.tracks.size());
  for (std::size_t t = 0; t < trace.tracks.size(); ++t)
    is_host[t] = trace.tracks[t].side == Track::Side::kHost;
  const auto is_wanted = [&](std::size_t i) {
    return events.shape[i] == Shape::kSpan && is_host_work(events.kind[i]) &&
           is_host[index_of(events.track[i])] && events.duration[i].ps > 0;
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (is_wanted(i)) ++counts[index_of(events.track[i])];
  }
  for (std::size_t t = 0; t < counts.size(); ++t) sorted.spans[t].reserve(counts[t]);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Time start = events.start[i];
    if (is_wanted(i)) {
      sorted.spans[index_of(events.track[i])].push_back(
          {start.ps, events.end(i).ps, EventId{static_cast<std::uint32_t>(i)}});
    } else if (events.kind[i] == Kind::kOverhead && events.shape[i] == Shape::kSpan) {
      sorted.overheads[index_of(trace.rank_of(trace.track_of(i)))].push_back(
          {start.ps, events.end(i).ps});
    }
  }
  return sorted;
}

}  // namespace

std::int32_t HostThread::index_of_event(const Trace& trace, EventId event) const {
  const Time start = trace.events.start[index_of(event)];
  const auto start_of = [&](EventId e) { return trace.events.start[index_of(e)]; };
  for (auto at = std::ranges::lower_bound(events, start, {}, start_of);
       at != events.end() && start_of(*at) == start; ++at) {
    if (*at == event) return static_cast<std::int32_t>(at - events.begin());
  }
  return -1;
}

std::vector<HostIndex> index_hosts(const Trace& trace) {
  Sorted sorted = spans_by_track(trace);
  std::vector<HostIndex> hosts(trace.ranks.size());
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    hosts[r].overhead = std::move(sorted.overheads[r]);
    reduce_to_covering(hosts[r].overhead);
    hosts[r].thread_of_track.assign(trace.tracks.size(), -1);
  }
  HostCalls calls(trace.strings);
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    if (sorted.spans[t].empty()) continue;
    HostIndex& host = hosts[index_of(trace.rank_of(trace.tracks[t]))];
    host.thread_of_track[t] = static_cast<std::int32_t>(host.threads.size());
    HostThread& thread = host.threads.emplace_back();
    thread.track = TrackId{static_cast<std::uint32_t>(t)};
    ThreadBuilder(trace, calls, thread).build(sorted.spans[t]);
    std::vector<HostSpan>().swap(sorted.spans[t]);
    host.has_events = true;
    host.has_python = host.has_python || !thread.python_starts.empty();
  }
  return hosts;
}

}  // namespace lockstep
