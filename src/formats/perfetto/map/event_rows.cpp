// Stacks of begins, and the second try in the order of time.
#include "formats/perfetto/map/event_rows.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "formats/shared/record_defects.h"

namespace lockstep::formats::perfetto {
namespace {

constexpr std::uint32_t kNoRow = 0xFFFF'FFFF;
// How far out the begin of a named end is looked for; calls do not nest deeper.
constexpr std::size_t kMaxNameSearch = 1'000;
constexpr std::int64_t kOpenDuration = std::numeric_limits<std::int64_t>::min();

}  // namespace

EventRows::Lane EventRows::add_lane() {
  stacks_.emplace_back();
  return static_cast<Lane>(stacks_.size() - 1);
}

trace::EventId EventRows::add(const trace::Event& row, std::span<const trace::Argument> arguments) {
  const trace::EventId id = trace_.events.add(row);
  if (row.shape == trace::Shape::kSpan) whole_.push_back(static_cast<std::uint32_t>(id));
  if (keep_arguments_ != trace::KeepArguments::kNone && !arguments.empty())
    trace_.arguments.set(id, arguments);
  return id;
}

void EventRows::note_time(Stack& stack, std::int64_t time) {
  stack.is_disordered |= time < stack.last_time;
  stack.last_time = time;
}

trace::EventId EventRows::begin(Lane lane, const trace::Event& row,
                                std::span<const trace::Argument> arguments,
                                std::optional<std::int64_t> duration, std::uint64_t offset) {
  Stack& stack = stacks_[lane];
  note_time(stack, row.start.ps);
  const trace::EventId id = trace_.events.add(row);
  trace_.events.duration[trace::index_of(id)] = Time{duration.value_or(kOpenDuration)};
  if (keep_arguments_ != trace::KeepArguments::kNone && !arguments.empty())
    trace_.arguments.set(id, arguments);
  stack.open.push_back({static_cast<std::uint32_t>(id), duration.has_value(), offset});
  return id;
}

void EventRows::begin_nothing(Lane lane, std::uint64_t offset) {
  stacks_[lane].open.push_back({kNoRow, true, offset});
}

trace::EventId EventRows::end(Lane lane, std::int64_t time, StringId name, std::uint64_t offset) {
  Stack& stack = stacks_[lane];
  note_time(stack, time);
  std::size_t depth = stack.open.size();
  if (name != kEmptyString) {
    const auto is_named = [&](const Open& open) {
      return open.row != kNoRow && trace_.events.name[open.row] == name;
    };
    const auto reach = std::min<std::size_t>(depth, kMaxNameSearch);
    const auto stop = stack.open.rbegin() + static_cast<std::ptrdiff_t>(reach);
    const auto named = std::find_if(stack.open.rbegin(), stop, is_named);
    depth = named == stop ? 0 : static_cast<std::size_t>(stack.open.rend() - named);
  }
  if (depth == 0) {
    stack.has_trouble = true;
    lonely_ends_.push_back({lane, time, offset});
    return trace::kNoEvent;
  }
  for (; stack.open.size() > depth; stack.open.pop_back()) {
    stack.has_trouble = true;
    lonely_begins_.push_back(stack.open.back());
  }
  const Open closed = stack.open.back();
  stack.open.pop_back();
  if (closed.row == kNoRow) return trace::kNoEvent;
  if (!closed.has_duration) {
    std::int64_t duration = 0;
    if (__builtin_sub_overflow(time, trace_.events.start[closed.row].ps, &duration)) duration = -1;
    trace_.events.duration[closed.row] = Time{duration};
    stack.has_trouble |= duration < 0;
  }
  return trace::EventId{closed.row};
}

void EventRows::leave_open(const Open& open) {
  if (open.row == kNoRow) return;
  diagnostics_.add(shared::kUnfinishedSpan, Place::byte(open.offset));
  drop(open.row);
}

void EventRows::finish(bool may_pair_again) {
  for (Stack& stack : stacks_) stack.has_trouble |= !stack.open.empty();
  if (may_pair_again) {
    bool is_needed = false;
    for (Lane lane = 0; lane < stacks_.size(); ++lane) is_needed |= is_to_be_paired_again(lane);
    if (is_needed) pair_again();
  }
  for (const Stack& stack : stacks_) {
    for (const Open& open : stack.open) leave_open(open);
  }
  for (const Open& open : lonely_begins_) {
    if (open.row != kNoRow && trace_.events.duration[open.row].ps == kOpenDuration) {
      leave_open(open);
    }
  }
  for (const LonelyEnd& end : lonely_ends_) {
    diagnostics_.add(shared::kEndWithoutBegin, Place::byte(end.offset));
  }
  trace::EventTable& events = trace_.events;
  for (std::size_t i = first_row_; i < events.size(); ++i) {
    if (events.duration[i].ps >= 0 || is_dropped(i)) continue;
    diagnostics_.add(shared::kNegativeDuration);
    drop(i);
  }
}

bool EventRows::is_to_be_paired_again(Lane lane) const {
  return lane < stacks_.size() && stacks_[lane].has_trouble && stacks_[lane].is_disordered;
}

// Takes all begins and ends of the lanes that are to be paired again. A pair without length stays
// as it is, because its two edges are the exception to the rule that ends come first.
std::vector<EventRows::Edge> EventRows::take_edges() {
  std::vector<Edge> edges;
  trace::EventTable& events = trace_.events;
  for (std::size_t i = first_row_; i < events.size(); ++i) {
    const auto lane = static_cast<Lane>(events.track[i]);
    const auto row = static_cast<std::uint32_t>(i);
    if (events.shape[i] != trace::Shape::kSpan || !is_to_be_paired_again(lane) ||
        events.duration[i].ps == 0 || std::ranges::binary_search(whole_, row)) {
      continue;
    }
    edges.push_back({lane, events.start[i].ps, true, row, 0});
    std::int64_t end = 0;
    const bool has_end = events.duration[i].ps != kOpenDuration &&
                         !__builtin_add_overflow(events.start[i].ps, events.duration[i].ps, &end);
    if (has_end) edges.push_back({lane, end, false, kNoRow, 0});
    events.duration[i] = Time{kOpenDuration};
  }
  std::erase_if(lonely_ends_, [&](const LonelyEnd& end) {
    if (!is_to_be_paired_again(end.lane)) return false;
    edges.push_back({end.lane, end.time, false, kNoRow, end.offset});
    return true;
  });
  for (Lane lane = 0; lane < stacks_.size(); ++lane) {
    if (is_to_be_paired_again(lane)) stacks_[lane].open.clear();
  }
  return edges;
}

// In the order of time; ends at the same time come before begins.
void EventRows::pair_again() {
  std::vector<Edge> edges = take_edges();
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
    return std::tuple(a.lane, a.time, a.is_begin, a.row) <
           std::tuple(b.lane, b.time, b.is_begin, b.row);
  });
  trace::EventTable& events = trace_.events;
  for (const Edge& edge : edges) {
    std::vector<Open>& open = stacks_[edge.lane].open;
    if (edge.is_begin) {
      open.push_back({edge.row, false, edge.offset});
    } else if (open.empty()) {
      lonely_ends_.push_back({edge.lane, edge.time, edge.offset});
    } else {
      const std::size_t row = open.back().row;
      std::int64_t duration = 0;
      if (__builtin_sub_overflow(edge.time, events.start[row].ps, &duration)) {
        duration = std::numeric_limits<std::int64_t>::max();  // out of range for whoever placed it
      }
      events.duration[row] = Time{duration};
      open.pop_back();
    }
  }
}

void EventRows::drop(std::size_t row) {
  const std::size_t i = row - first_row_;
  if (i >= dropped_.size()) dropped_.resize(trace_.events.size() - first_row_);
  dropped_[i] = true;
}

bool EventRows::is_dropped(std::size_t row) const {
  const std::size_t i = row - first_row_;
  return i < dropped_.size() && dropped_[i];
}

std::optional<std::size_t> EventRows::moved_to(std::size_t row) const {
  if (is_dropped(row)) return std::nullopt;
  const auto before = std::ranges::lower_bound(dropped_rows_, row);
  return row - static_cast<std::size_t>(before - dropped_rows_.begin());
}

void EventRows::compact() {
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    if (dropped_[i]) dropped_rows_.push_back(static_cast<std::uint32_t>(first_row_ + i));
  }
  if (dropped_rows_.empty()) return;
  trace::EventTable kept;
  trace::ArgumentTable arguments;
  const trace::EventTable& events = trace_.events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (i >= first_row_ && is_dropped(i)) continue;
    const trace::EventId id = kept.add(events.row(trace::EventId{i}));
    const auto of_row = trace_.arguments.of(trace::EventId{i});
    if (!of_row.empty()) arguments.set(id, of_row);
  }
  trace_.events = std::move(kept);
  trace_.arguments = std::move(arguments);
}

}  // namespace lockstep::formats::perfetto
