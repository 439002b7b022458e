// Choice of the zero of a Chrome JSON file and of the times of its arrows.
#include "formats/chrome_json/write/chrome_json_writer_time_base.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "formats/chrome_json/parse/argument_values.h"
#include "formats/chrome_json/write/chrome_json_writer_steps.h"
#include "formats/shared/time_guess.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
// Traces that count from their own start have real events at 0, which the reader allows.
constexpr std::int64_t kNearZeroNs = shared::kLostZeroDistancePs / kPicosecondsPerNanosecond;

// That of the last such member, which is the one that readers go by.
std::optional<std::int64_t> base_of_metadata(const trace::Rank& rank) {
  std::optional<std::int64_t> base;
  for (const trace::Metadata& entry : rank.metadata) {
    if (entry.key == "baseTimeNanoseconds") base = whole_number(entry.json);
  }
  return base;
}

// The earliest time that is written, seen from the origin; the origin itself is written too.
Time earliest_time(const trace::Trace& trace) {
  Time earliest;
  for (const Time start : trace.events.start) earliest = std::min(earliest, start);
  for (const trace::Step& step : trace.steps) {
    if (can_be_written(step)) earliest = std::min(earliest, step.start);
  }
  return earliest;
}

std::int64_t floor_to_second(WideTime ns) {
  WideTime seconds = ns / kNanosecondsPerSecond;
  if (ns % kNanosecondsPerSecond < 0) --seconds;
  return static_cast<std::int64_t>(seconds * kNanosecondsPerSecond);
}

// Whether a reader of timestamps in the trace's own clock finds all of them again. It takes the
// first time above 0 for its origin, and a 0 far away from that for a broken record.
bool reads_back(const trace::Trace& trace, std::int64_t origin_ns) {
  const trace::EventTable& events = trace.events;
  const WideTime zero = -static_cast<WideTime>(origin_ns) * kPicosecondsPerNanosecond;
  if (origin_ns < 0) return false;
  if (origin_ns == 0) {
    return std::ranges::all_of(events.start, [](Time start) {
      return start.ps >= 0 && start.ps <= shared::kLostZeroDistancePs;
    });
  }
  if (origin_ns <= kNearZeroNs) return true;
  const auto is_zero = [&](Time start) { return start.ps == zero; };
  return std::ranges::none_of(events.start, is_zero) &&
         std::ranges::none_of(trace.steps, is_zero, &trace::Step::start);
}

// Timestamps in the clock of the trace itself, moved by whole seconds only where that clock would
// not be read back.
ChromeTimeBase absolute_times(const trace::Trace& trace, std::int64_t origin_ns, Time earliest) {
  if (reads_back(trace, origin_ns)) return {std::nullopt, origin_ns};
  const WideTime first = static_cast<WideTime>(origin_ns) + floor_ns(earliest);
  return {std::nullopt, origin_ns - floor_to_second(first - 1)};
}

// Finds, on one track, the first time at which an event is the innermost. Readers bind the end of
// an arrow to the innermost event at its time: the one that started last and has not ended; at
// equal starts the shortest, then the last in the file.
class InnermostTimes {
 public:
  InnermostTimes(const trace::EventTable& events, std::vector<bool> wanted)
      : events_(events), wanted_(std::move(wanted)) {}

  void sweep(std::vector<std::uint32_t> rows) {
    const auto order = [this](std::uint32_t a, std::uint32_t b) {
      return std::tuple(events_.start[a], -events_.duration[a].ps, a) <
             std::tuple(events_.start[b], -events_.duration[b].ps, b);
    };
    if (!std::ranges::is_sorted(rows, order)) std::ranges::sort(rows, order);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Time start = events_.start[rows[i]];
      end_until(start);
      open_.push_back(rows[i]);
      if (i + 1 == rows.size() || events_.start[rows[i + 1]] != start) found(start);
    }
    end_until(Time{std::numeric_limits<std::int64_t>::max()});
    open_.clear();
  }

  // Events that are innermost at their start, and those that never are, have none.
  [[nodiscard]] std::unordered_map<std::uint32_t, Time> take() { return std::move(later_); }

 private:
  // The event at the top is the innermost from `time` on.
  void found(Time time) {
    const std::uint32_t row = open_.back();
    if (!wanted_[row]) return;
    wanted_[row] = false;
    if (time != events_.start[row]) later_.emplace(row, time);
  }

  // Events that start at `now` stay, as an empty one is the innermost at its own time.
  void end_until(Time now) {
    Time time{std::numeric_limits<std::int64_t>::min()};
    while (!open_.empty() && events_.end(open_.back()) <= now &&
           events_.start[open_.back()] < now) {
      time = std::max(time, events_.end(open_.back()));
      open_.pop_back();
      if (time < now && !open_.empty() && events_.end(open_.back()) > time) found(time);
    }
  }

  const trace::EventTable& events_;
  std::vector<bool> wanted_;         // by event; until it is found
  std::vector<std::uint32_t> open_;  // innermost last
  std::unordered_map<std::uint32_t, Time> later_;
};

}  // namespace

ChromeTimeBase choose_chrome_time_base(const trace::Trace& trace, bool may_have_base) {
  const trace::Rank& rank = trace.ranks.front();
  const std::int64_t origin_ns = rank.origin.ns;
  const Time earliest = earliest_time(trace);
  if (!may_have_base) return absolute_times(trace, origin_ns, earliest);

  if (const auto base = base_of_metadata(rank)) {
    std::int64_t offset = 0;
    const bool fits = !__builtin_sub_overflow(origin_ns, *base, &offset);
    const WideTime first = static_cast<WideTime>(offset) * kPicosecondsPerNanosecond + earliest.ps;
    if (fits && first > 0 && offset < shared::kFirstSince1970Ns) return {base, offset};
  }
  if (rank.origin.clock != Clock::kEpoch) return absolute_times(trace, origin_ns, earliest);
  const WideTime first = static_cast<WideTime>(origin_ns) + floor_ns(earliest);
  const std::int64_t base = floor_to_second(first - kNanosecondsPerSecond);
  return {base, origin_ns - base};
}

std::unordered_map<std::uint32_t, Time> innermost_times(const trace::Trace& trace,
                                                        std::vector<bool> wanted) {
  std::vector<bool> has_wanted(trace.tracks.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) has_wanted[trace::index_of(trace.events.track[i])] = true;
  }
  std::vector<std::vector<std::uint32_t>> rows(trace.tracks.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t track = trace::index_of(trace.events.track[i]);
    if (!has_wanted[track] || trace.events.shape[i] != trace::Shape::kSpan) continue;
    rows[track].push_back(static_cast<std::uint32_t>(i));
  }
  InnermostTimes times(trace.events, std::move(wanted));
  for (std::vector<std::uint32_t>& of_track : rows) times.sweep(std::move(of_track));
  return times.take();
}

}  // namespace lockstep::formats::chrome_json
