// From times of a trace to timestamps of a Perfetto file.
#include "formats/perfetto/decode/time_scale.h"

#include <algorithm>
#include <array>

namespace lockstep::formats::perfetto {
namespace {

constexpr std::size_t kClockCount = 4;

}  // namespace

std::int64_t begin_ns(const trace::EventTable& events, std::size_t row) {
  return floor_ns(events.start[row]);
}

std::int64_t end_ns(const trace::EventTable& events, std::size_t row) {
  // In 128 bits: start and duration are each bounded by 100 days, their sum is not.
  const WideTime end = static_cast<WideTime>(events.start[row].ps) + events.duration[row].ps;
  const auto ns = static_cast<std::int64_t>(floor_to_ns(end) / kPicosecondsPerNanosecond);
  return std::max(ns, begin_ns(events, row));
}

TimeScale::TimeScale(const trace::Trace& trace) {
  std::vector<std::int64_t> earliest(trace.ranks.size(), 0);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    std::int64_t& first = earliest[trace::index_of(trace.rank_of(trace.track_of(i)))];
    first = std::min(first, begin_ns(trace.events, i));
  }
  // Timestamps are unsigned. Where they would be negative, all ranks of that clock move together,
  // so that they keep their distances.
  std::array<WideTime, kClockCount> first_of_clock{};
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const Origin& origin = trace.ranks[r].origin;
    WideTime& first = first_of_clock[static_cast<std::size_t>(origin.clock)];
    first = std::min(first, static_cast<WideTime>(origin.ns) + earliest[r]);
  }
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const Origin& origin = trace.ranks[r].origin;
    const WideTime shift = -first_of_clock[static_cast<std::size_t>(origin.clock)];
    zeros_.push_back(static_cast<std::uint64_t>(origin.ns + shift));
    is_epoch_.push_back(origin.clock == Clock::kEpoch);
    if (origin.clock != Clock::kEpoch) continue;
    const std::uint64_t first = zeros_[r] + static_cast<std::uint64_t>(earliest[r]);
    first_of_epoch_ = std::min(first_of_epoch_.value_or(first), first);
  }
}

}  // namespace lockstep::formats::perfetto
