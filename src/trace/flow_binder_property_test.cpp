// The flow binder against a slow and obvious version of itself.
#include <algorithm>
#include <map>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "trace/flow_binder.h"

namespace lockstep::trace {
namespace {

using Role = FlowEnd::Role;
using Arrow = std::tuple<std::size_t, std::size_t, Flow::Kind>;  // from, to

constexpr std::size_t kTracks = 4;  // two of the host, then two of the device
constexpr std::int64_t kWorld = 30;
constexpr std::int64_t kSparseId = std::int64_t{1} << 40;
constexpr std::size_t kNone = SIZE_MAX;
const std::vector<std::int64_t> kIds = {0, 1, 2, 3, 4, 5, kSparseId};
const std::vector<std::int64_t> kCorrelations = {kNoCorrelation, kNoCorrelation, 0, 1, 2, 3,
                                                 kSparseId,      kSparseId + 1};

// Of the whole range at once; rc::gen::inRange begins with its lower part.
template <typename T>
T any_in(T from, T to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, to));
}

struct Binding {
  std::vector<Arrow> arrows;  // in order
  std::uint64_t unmatched = 0;
};

// The row that `end` belongs to, by looking at all of them.
std::size_t slow_event_at(const Trace& trace, std::size_t first_row, const FlowEnd& end) {
  const EventTable& events = trace.events;
  std::size_t best = kNone;
  const auto is_further_in = [&](std::size_t a, std::size_t b) {
    return std::tuple(events.start[a], -events.duration[a].ps, a) >
           std::tuple(events.start[b], -events.duration[b].ps, b);
  };
  for (std::size_t i = first_row; i < events.size(); ++i) {
    if (events.track[i] != end.track || events.shape[i] != Shape::kSpan) continue;
    const bool starts_here = events.start[i] == end.time;
    const bool encloses = events.start[i] <= end.time && events.end(i) > end.time;
    if (!starts_here && !(end.binds_enclosing && encloses)) continue;
    if (best == kNone || is_further_in(i, best)) best = i;
  }
  if (best != kNone || end.binds_enclosing) return best;
  for (std::size_t i = first_row; i < events.size(); ++i) {
    if (events.track[i] != end.track || events.shape[i] != Shape::kSpan) continue;
    if (events.start[i] <= end.time) continue;
    if (best == kNone || is_further_in(best, i)) best = i;
  }
  return best;
}

// The row of the earliest host call with this correlation.
std::size_t slow_call(const Trace& trace, std::size_t first_row, std::int64_t correlation) {
  const EventTable& events = trace.events;
  std::size_t best = kNone;
  for (std::size_t i = first_row; i < events.size(); ++i) {
    if (events.kind[i] != Kind::kRuntimeCall || events.correlation[i] != correlation) continue;
    if (trace.on_device(i)) continue;
    if (best == kNone || events.start[i] < events.start[best]) best = i;
  }
  return best;
}

// The start that a finish hangs on: the only one, or the latest that is not after it.
const FlowEnd* slow_start(const std::vector<FlowEnd>& starts, const FlowEnd& finish) {
  if (starts.size() == 1) return starts.data();
  const FlowEnd* best = nullptr;
  for (const FlowEnd& start : starts) {
    if (start.time > finish.time) continue;
    if (best == nullptr ||
        std::tuple(start.time, start.track) > std::tuple(best->time, best->track)) {
      best = &start;
    }
  }
  return best;
}

Binding slow_bind(const Trace& trace, const std::vector<FlowEnd>& ends, std::size_t first_row) {
  Binding out;
  std::vector<bool> launched(trace.events.size());
  std::map<std::int64_t, bool> joined;
  for (std::size_t i = first_row; i < trace.events.size(); ++i) {
    const std::int64_t correlation = trace.events.correlation[i];
    if (correlation < 0 || !trace.on_device(i)) continue;
    const std::size_t call = slow_call(trace, first_row, correlation);
    if (call == kNone) continue;
    out.arrows.emplace_back(call, i, Flow::Kind::kLaunch);
    launched[i] = joined[correlation] = true;
  }

  struct Group {
    std::vector<FlowEnd> starts;
    std::vector<FlowEnd> finishes;
  };
  std::map<std::pair<StringId, std::int64_t>, Group> groups;
  for (const FlowEnd& end : ends) {
    if (end.id_is_correlation && joined[end.id] && end.id < kSparseId) continue;
    Group& group = groups[{end.category, end.id}];
    (end.role == Role::kStart ? group.starts : group.finishes).push_back(end);
  }
  for (auto& [key, group] : groups) {
    if (group.starts.empty() || group.finishes.empty()) {
      out.unmatched += group.starts.size() + group.finishes.size();
      continue;
    }
    std::ranges::sort(group.finishes, {},
                      [](const FlowEnd& end) { return std::tuple(end.time, end.track); });
    for (const FlowEnd& finish : group.finishes) {
      const FlowEnd* start = slow_start(group.starts, finish);
      const std::size_t from = start == nullptr ? kNone : slow_event_at(trace, first_row, *start);
      const std::size_t to = slow_event_at(trace, first_row, finish);
      if (from == kNone || to == kNone || from == to) {
        ++out.unmatched;
      } else if (trace.on_device(from) || !trace.on_device(to)) {
        out.arrows.emplace_back(from, to, Flow::Kind::kOther);
      } else if (!launched[to]) {
        launched[to] = true;
        out.arrows.emplace_back(from, to, Flow::Kind::kLaunch);
      }
    }
  }
  return out;
}

Trace trace_with_tracks() {
  Trace trace;
  trace.processes.resize(kTracks);
  trace.tracks.resize(kTracks);
  for (std::size_t i = kTracks / 2; i < kTracks; ++i) {
    trace.tracks[i].side = Track::Side::kDevice;
  }
  trace.strings.intern("first category");
  trace.strings.intern("second category");
  return trace;
}

void add_span(Trace& trace, TrackId track, std::int64_t start, std::int64_t end) {
  Event event;
  event.track = track;
  event.start = Time{start};
  event.duration = Time{end - start};
  const bool on_device = trace.tracks[index_of(track)].side == Track::Side::kDevice;
  event.kind = *rc::gen::element(Kind::kRuntimeCall, on_device ? Kind::kKernel : Kind::kHostOp);
  event.shape = *rc::gen::weightedElement<Shape>({{9, Shape::kSpan}, {1, Shape::kInstant}});
  event.correlation = *rc::gen::elementOf(kCorrelations);
  trace.events.add(event);
}

// Spans inside each other like the calls of a thread; some are empty, some touch.
void add_nested_spans(Trace& trace, TrackId track, std::int64_t start, std::int64_t end) {
  const std::int64_t from = start + any_in(0, 3);
  const std::int64_t to = end - any_in(0, 3);
  if (from > to) return;
  add_span(trace, track, from, to);
  if (from == to) return;
  const std::int64_t middle = any_in(from, to + 1);
  add_nested_spans(trace, track, from, middle);
  add_nested_spans(trace, track, middle, to);
}

void add_overlapping_spans(Trace& trace, TrackId track) {
  for (int i = any_in(0, 12); i > 0; --i) {
    const std::int64_t start = any_in<std::int64_t>(0, kWorld);
    add_span(trace, track, start, any_in(start, kWorld + 1));
  }
}

std::vector<FlowEnd> any_ends() {
  std::vector<FlowEnd> ends;
  for (int i = any_in(0, 40); i > 0; --i) {
    FlowEnd end;
    end.id = *rc::gen::elementOf(kIds);
    end.category = StringId{any_in(1U, 3U)};
    end.track = TrackId{any_in(0U, static_cast<std::uint32_t>(kTracks))};
    end.time = Time{any_in<std::int64_t>(0, kWorld)};
    end.role = *rc::gen::element(Role::kStart, Role::kFinish, Role::kFinish);
    // One choice for a track, because ends at one time have no order among themselves.
    end.binds_enclosing = end.role == Role::kStart || index_of(end.track) % 2 == 0;
    end.id_is_correlation = *rc::gen::arbitrary<bool>();
    ends.push_back(end);
  }
  return ends;
}

Binding fast_bind(Trace& trace, const std::vector<FlowEnd>& ends, std::size_t first_row) {
  Column<FlowEnd> column;
  for (const FlowEnd& end : ends) column.push_back(end);
  Diagnostics diagnostics;
  FlowBinder(std::move(column)).bind(trace, first_row, diagnostics);
  Binding out;
  for (const Flow& flow : trace.flows) {
    out.arrows.emplace_back(index_of(flow.from), index_of(flow.to), flow.kind);
  }
  out.unmatched = diagnostics.count_of(kUnmatchedFlow);
  return out;
}

void check_against_slow_version(Trace& trace) {
  const std::vector<FlowEnd> ends = any_ends();
  const std::size_t first_row = trace.events.size() / 8;  // some rows of another rank
  const Binding expected = slow_bind(trace, ends, first_row);
  const Binding got = fast_bind(trace, ends, first_row);
  RC_CLASSIFY(got.arrows.size() > 5, "more than five arrows");
  RC_ASSERT(got.arrows == expected.arrows);
  RC_ASSERT(got.unmatched == expected.unmatched);
}

RC_GTEST_PROP(FlowBinderProperties, NestedSpansAreBoundAsByLookingAtAllOfThem, ()) {
  Trace trace = trace_with_tracks();
  for (std::uint32_t track = 0; track < kTracks; ++track) {
    add_nested_spans(trace, TrackId{track}, 0, kWorld);
  }
  check_against_slow_version(trace);
}

RC_GTEST_PROP(FlowBinderProperties, OverlappingSpansAreBoundAsByLookingAtAllOfThem, ()) {
  Trace trace = trace_with_tracks();
  for (std::uint32_t track = 0; track < kTracks; ++track) {
    add_overlapping_spans(trace, TrackId{track});
  }
  check_against_slow_version(trace);
}

TEST(FlowBinder, EndsBehindSpansThatEndTogetherAreUnmatched) {
  constexpr std::int64_t kMany = 1'000;
  Trace trace = trace_with_tracks();
  std::vector<FlowEnd> ends;
  for (std::int64_t i = 0; i < kMany; ++i) {
    Event event;
    event.start = Time{i};
    event.duration = Time{kMany - i};
    trace.events.add(event);
    for (const Role role : {Role::kStart, Role::kFinish}) {
      FlowEnd end;
      end.id = i;
      end.time = Time{kMany + i};
      end.role = role;
      ends.push_back(end);
    }
  }
  EXPECT_EQ(fast_bind(trace, ends, 0).unmatched, static_cast<std::uint64_t>(kMany));
}

}  // namespace
}  // namespace lockstep::trace
