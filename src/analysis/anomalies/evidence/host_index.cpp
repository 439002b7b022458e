// Sorts the events of every host thread, nests them, and keeps the leaves.
#include "analysis/anomalies/evidence/host_index.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "algo/sequences/natural_merge.h"
#include "analysis/anomalies/evidence/host_calls.h"

namespace lockstep::analysis::anomalies {
namespace {

bool is_host_work(trace::Kind kind) {
  return kind == trace::Kind::kHostOp || kind == trace::Kind::kRuntimeCall ||
         kind == trace::Kind::kSynchronize || kind == trace::Kind::kPython;
}

// One event on its way into the index.
struct HostSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  trace::EventId event = trace::kNoEvent;
  trace::Kind kind = trace::Kind::kHostOp;
  HostCall call = HostCall::kOther;

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
  explicit ThreadBuilder(HostThread& thread) : thread_(thread) {}

  void build(std::vector<HostSpan>& spans) {
    algo::natural_merge_sort(spans, comes_first);
    thread_.events.reserve(spans.size());
    thread_.parents.reserve(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const bool is_leaf = i + 1 == spans.size() || spans[i + 1].begin >= spans[i].end ||
                           !spans[i].contains(spans[i + 1]);
      take(spans, i, is_leaf);
    }
    algo::reduce_to_covering(thread_.syncs);
    algo::reduce_to_covering(thread_.comms);
  }

 private:
  void take(const std::vector<HostSpan>& spans, std::size_t i, bool is_leaf) {
    const HostSpan& span = spans[i];
    while (!open_.empty() &&
           (spans[open_.back()].end <= span.begin || !spans[open_.back()].contains(span))) {
      open_.pop_back();
    }
    thread_.deepest = std::max(thread_.deepest, open_.size());
    thread_.events.push_back(span.event);
    thread_.parents.push_back(open_.empty() ? -1 : static_cast<std::int32_t>(open_.back()));
    if (span.kind == trace::Kind::kPython) thread_.python_starts.push_back({span.begin});
    if (span.call != HostCall::kOther) note_call(spans, i);
    if (is_leaf) add_leaf(span);
    open_.push_back(i);
  }

  void add_leaf(const HostSpan& span) {
    if (span.end <= last_leaf_end_) return;
    thread_.leaves.push_back(span.event);
    last_leaf_end_ = span.end;
  }

  // A call that waits makes waiting of the operators around it that may wait.
  void note_call(const std::vector<HostSpan>& spans, std::size_t i) {
    const HostCall call = spans[i].call;
    if (call == HostCall::kCommunication) thread_.comms.push_back({spans[i].begin, spans[i].end});
    if (call != HostCall::kSynchronize && call != HostCall::kCopy) return;
    algo::Interval waits{spans[i].begin, spans[i].end};
    std::size_t looked_at = 0;
    for (auto around = open_.rbegin(); around != open_.rend(); ++around) {
      if (++looked_at > kMostCallsAround) break;
      const HostSpan& op = spans[*around];
      if (op.call != HostCall::kMayWait) break;
      waits = {op.begin, op.end};
    }
    thread_.syncs.push_back(waits);
  }

  HostThread& thread_;
  std::vector<std::size_t> open_;
  std::int64_t last_leaf_end_ = std::numeric_limits<std::int64_t>::min();
};

struct Sorted {
  std::vector<std::vector<HostSpan>> spans;            // by track
  std::vector<std::vector<algo::Interval>> overheads;  // by rank
};

// How many events each host thread has at most.
std::vector<std::size_t> host_events_by_track(const trace::Trace& trace) {
  std::vector<std::size_t> counts(trace.tracks.size(), 0);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (is_host_work(trace.events.kind[i])) ++counts[trace::index_of(trace.events.track[i])];
  }
  for (std::size_t t = 0; t < counts.size(); ++t) {
    if (trace.tracks[t].side != trace::Track::Side::kHost) counts[t] = 0;
  }
  return counts;
}

Sorted spans_by_track(const trace::Trace& trace) {
  const trace::EventTable& events = trace.events;
  Sorted sorted;
  sorted.spans.resize(trace.tracks.size());
  sorted.overheads.resize(trace.ranks.size());
  const std::vector<std::size_t> counts = host_events_by_track(trace);
  for (std::size_t t = 0; t < counts.size(); ++t) sorted.spans[t].reserve(counts[t]);
  HostCalls calls(trace.strings);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const trace::Kind kind = events.kind[i];
    const bool is_host = is_host_work(kind) && counts[trace::index_of(events.track[i])] > 0;
    if (!is_host && kind != trace::Kind::kOverhead) continue;
    if (events.shape[i] != trace::Shape::kSpan || events.duration[i].ps <= 0) continue;
    const algo::Interval lasts{events.start[i].ps, events.end(i).ps};
    if (is_host) {
      sorted.spans[trace::index_of(events.track[i])].push_back(
          {lasts.begin, lasts.end, trace::EventId{static_cast<std::uint32_t>(i)}, kind,
           calls.of(events.name[i], kind)});
    } else {
      sorted.overheads[trace::index_of(trace.rank_of(trace.track_of(i)))].push_back(lasts);
    }
  }
  return sorted;
}

// The threads with most events, in their order.
std::vector<std::uint32_t> busiest_threads(const std::vector<HostThread>& threads) {
  std::vector<std::uint32_t> order(threads.size());
  std::iota(order.begin(), order.end(), 0U);
  if (order.size() <= kMostEvidenceThreads) return order;
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t t) { return threads[t].events.size(); });
  order.resize(kMostEvidenceThreads);
  std::ranges::sort(order);
  return order;
}

}  // namespace

std::int32_t HostThread::index_of_event(const trace::Trace& trace, trace::EventId event) const {
  const auto place = [&](trace::EventId e) {  // the order of comes_first()
    return std::tuple(trace.events.start[trace::index_of(e)],
                      Time{} - trace.events.end(trace::index_of(e)), e);
  };
  const auto at = std::ranges::lower_bound(events, place(event), {}, place);
  if (at == events.end() || *at != event) return -1;
  return static_cast<std::int32_t>(at - events.begin());
}

std::optional<std::size_t> HostIndex::thread_number(const trace::Trace& trace,
                                                    trace::EventId event) const {
  const trace::TrackId track = trace.events.track[trace::index_of(event)];
  const auto found = std::ranges::lower_bound(threads, track, {}, &HostThread::track);
  if (found == threads.end() || found->track != track) return std::nullopt;
  return static_cast<std::size_t>(found - threads.begin());
}

std::vector<HostIndex> index_hosts(const trace::Trace& trace) {
  Sorted sorted = spans_by_track(trace);
  std::vector<HostIndex> hosts(trace.ranks.size());
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    hosts[r].overhead = std::move(sorted.overheads[r]);
    algo::reduce_to_covering(hosts[r].overhead);
  }
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    if (sorted.spans[t].empty()) continue;
    HostIndex& host = hosts[trace::index_of(trace.rank_of(trace.tracks[t]))];
    HostThread& thread = host.threads.emplace_back();
    thread.track = trace::TrackId{static_cast<std::uint32_t>(t)};
    ThreadBuilder(thread).build(sorted.spans[t]);
    std::vector<HostSpan>().swap(sorted.spans[t]);
    host.has_events = true;
    host.has_python = host.has_python || !thread.python_starts.empty();
  }
  for (HostIndex& host : hosts) host.evidence = busiest_threads(host.threads);
  return hosts;
}

}  // namespace lockstep::analysis::anomalies
