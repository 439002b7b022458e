// Choice of the zero of a Chrome JSON file.
#include "formats/chrome_json/chrome_json_writer_time_base.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace lockstep::chrome_json {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
// Traces that count from their own start have real events at 0; the reader allows an hour.
constexpr std::int64_t kNearZeroNs = 3'600 * kNanosecondsPerSecond;

std::optional<std::int64_t> base_of_metadata(const Rank& rank) {
  const auto entry = std::ranges::find(rank.metadata, "baseTimeNanoseconds", &Metadata::key);
  if (entry == rank.metadata.end()) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = entry->json.data() + entry->json.size();
  const auto [stop, error] = std::from_chars(entry->json.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// The earliest time that is written, seen from the origin; the origin itself is written too.
Time earliest_time(const EventTable& events) {
  Time earliest;
  for (const Time start : events.start) earliest = std::min(earliest, start);
  return earliest;
}

std::int64_t floor_to_second(WideTime ns) {
  WideTime seconds = ns / kNanosecondsPerSecond;
  if (ns % kNanosecondsPerSecond < 0) --seconds;
  return static_cast<std::int64_t>(seconds * kNanosecondsPerSecond);
}

// Whether a reader of timestamps in the trace's own clock finds its origin again. It takes the
// first time above 0 for the origin, and a 0 far away from it for a broken record.
bool reads_back(const EventTable& events, std::int64_t origin_ns) {
  const WideTime zero = -static_cast<WideTime>(origin_ns) * kPicosecondsPerNanosecond;
  if (origin_ns < 0) return false;
  if (origin_ns == 0) {
    return std::ranges::none_of(events.start, [](Time start) { return start.ps > 0; });
  }
  if (origin_ns <= kNearZeroNs) return true;
  return std::ranges::none_of(events.start, [&](Time start) { return start.ps == zero; });
}

// Timestamps in the clock of the trace itself, moved by whole seconds only where that clock would
// not be read back.
ChromeTimeBase absolute_times(const Trace& trace, std::int64_t origin_ns, Time earliest) {
  if (reads_back(trace.events, origin_ns)) return {std::nullopt, origin_ns};
  const WideTime first = static_cast<WideTime>(origin_ns) + floor_ns(earliest);
  return {std::nullopt, origin_ns - floor_to_second(first - 1)};
}

}  // namespace

ChromeTimeBase choose_chrome_time_base(const Trace& trace, bool may_have_base) {
  const Rank& rank = trace.ranks.front();
  const std::int64_t origin_ns = rank.origin.ns;
  const Time earliest = earliest_time(trace.events);
  if (!may_have_base) return absolute_times(trace, origin_ns, earliest);

  if (const auto base = base_of_metadata(rank)) {
    std::int64_t offset = 0;
    const bool fits = !__builtin_sub_overflow(origin_ns, *base, &offset);
    const WideTime first = static_cast<WideTime>(offset) * kPicosecondsPerNanosecond + earliest.ps;
    if (fits && first > 0) return {base, offset};
  }
  if (rank.origin.clock != Clock::kEpoch) return absolute_times(trace, origin_ns, earliest);
  const WideTime first = static_cast<WideTime>(origin_ns) + floor_ns(earliest);
  const std::int64_t base = floor_to_second(first - kNanosecondsPerSecond);
  return {base, origin_ns - base};
}

}  // namespace lockstep::chrome_json
