// Ranks of any origins, clocks and times on one zero: nothing moves in absolute time, nothing
// leaves the reach of the model or lies before a zero unsaid, and what is on one zero stays there.
// Ten bytes make a rank (clock and a scale, then its origin), or an event or a step of the latest
// rank.
#include "trace/rebase.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "fuzz_check.h"
#include "trace_check.h"

namespace lockstep {
namespace {

constexpr std::size_t kRecordBytes = 10;
constexpr std::int64_t kReachNs = kMaxDistanceFromOriginPs / kPicosecondsPerNanosecond;

std::int64_t number_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Large and small ones alike are likely.
std::int64_t scaled(std::int64_t value, std::uint8_t scale) { return value >> (scale % 64); }

void add_rank(trace::Trace& trace, std::span<const std::uint8_t> bytes) {
  trace::Rank rank;
  rank.source = "rank" + std::to_string(trace.ranks.size());
  constexpr std::int64_t kFurthestNs = std::numeric_limits<std::int64_t>::max() - kReachNs;
  rank.origin.ns = std::clamp(scaled(number_at(bytes, 2), bytes[1]), -kFurthestNs, kFurthestNs);
  rank.origin.clock = (bytes[0] & 12) != 0 ? Clock::kEpoch : static_cast<Clock>(bytes[0] & 3);
  trace.ranks.push_back(rank);
  trace::Process process;
  process.rank = trace::RankId{static_cast<std::uint32_t>(trace.ranks.size() - 1)};
  trace.processes.push_back(process);
  trace::Track track;
  track.process = trace::ProcessId{static_cast<std::uint32_t>(trace.processes.size() - 1)};
  trace.tracks.push_back(track);
}

// What a reader lets through: inside 100 days around the origin of its rank.
void add_record(trace::Trace& trace, std::span<const std::uint8_t> bytes) {
  const auto inside = [](std::int64_t ps) {
    return std::clamp(ps, -kMaxDistanceFromOriginPs, kMaxDistanceFromOriginPs);
  };
  const Time start{inside(scaled(number_at(bytes, 2), bytes[1]))};
  const Time end{std::max(start.ps, inside(scaled(number_at(bytes, 2), bytes[1] / 4)))};
  if ((bytes[0] & 64) != 0) {
    trace.steps.push_back(
        {{}, trace::RankId{static_cast<std::uint32_t>(trace.ranks.size() - 1)}, start, end});
    return;
  }
  trace::Event event;
  event.track = trace::TrackId{static_cast<std::uint32_t>(trace.tracks.size() - 1)};
  event.start = start;
  event.duration = std::min(end - start, Time{kMaxDistanceFromOriginPs});
  trace.events.add(event);
}

trace::Trace made(std::span<const std::uint8_t> bytes) {
  trace::Trace trace;
  for (; bytes.size() >= kRecordBytes; bytes = bytes.subspan(kRecordBytes)) {
    if (trace.ranks.empty() || bytes[0] >= 128) {
      add_rank(trace, bytes);
    } else {
      add_record(trace, bytes);
    }
  }
  return trace;
}

// Picoseconds in the clock of the rank: events, then both ends of steps.
std::vector<WideTime> absolute_times(const trace::Trace& trace) {
  const auto zero = [&](trace::RankId rank) {
    return WideTime{trace.ranks[trace::index_of(rank)].origin.ns} * kPicosecondsPerNanosecond;
  };
  std::vector<WideTime> times;
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    times.push_back(zero(trace.rank_of(trace.track_of(i))) + trace.events.start[i].ps);
  for (const trace::Step& step : trace.steps) {
    times.push_back(zero(step.rank) + step.start.ps);
    times.push_back(zero(step.rank) + step.end.ps);
  }
  return times;
}

// A rank is said to keep its zero where another one with times on the epoch is elsewhere, or where
// it has no epoch; nothing is before a zero but in a rank whose times are too far apart.
void check_zeros(const trace::Trace& before, const trace::Trace& after) {
  std::vector<bool> is_negative(after.ranks.size());
  for (std::size_t i = 0; i < after.events.size(); ++i) {
    if (after.events.start[i].ps < 0)
      is_negative[trace::index_of(after.rank_of(after.track_of(i)))] = true;
  }
  for (const trace::Step& step : after.steps) {
    if (step.start.ps < 0) is_negative[trace::index_of(step.rank)] = true;
  }
  std::uint64_t without_epoch = 0;
  for (std::size_t r = 0; r < after.ranks.size(); ++r) {
    LOCKSTEP_FUZZ_CHECK(after.ranks[r].origin.clock == before.ranks[r].origin.clock);
    if (after.ranks[r].origin.clock != Clock::kEpoch) ++without_epoch;
    if (is_negative[r]) LOCKSTEP_FUZZ_CHECK(after.ranks[r].origin.ns == before.ranks[r].origin.ns);
  }
  const auto negative = static_cast<std::uint64_t>(std::ranges::count(is_negative, true));
  LOCKSTEP_FUZZ_CHECK(after.diagnostics.count_of(trace::kTimesBeforeZero) == negative);
  const std::uint64_t kept = after.diagnostics.count_of(trace::kRankKeepsItsZero);
  LOCKSTEP_FUZZ_CHECK(kept <= after.ranks.size());
  LOCKSTEP_FUZZ_CHECK(after.ranks.size() < 2 ? kept == 0 : kept >= without_epoch);
}

void check_steps(const trace::Trace& trace) {
  for (const trace::Step& step : trace.steps) {
    LOCKSTEP_FUZZ_CHECK(step.start <= step.end);
    LOCKSTEP_FUZZ_CHECK(step.start.ps >= -kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(step.end.ps <= kMaxDistanceFromOriginPs);
  }
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const trace::Trace before = made(std::span(data, size));
  trace::Trace after = made(std::span(data, size));
  trace::rebase_ranks(after);
  check_trace(after);
  check_steps(after);
  check_zeros(before, after);
  LOCKSTEP_FUZZ_CHECK(absolute_times(after) == absolute_times(before));

  const std::vector<WideTime> once = absolute_times(after);
  std::vector<std::int64_t> zeros;
  for (const trace::Rank& rank : after.ranks) zeros.push_back(rank.origin.ns);
  trace::rebase_ranks(after);
  LOCKSTEP_FUZZ_CHECK(absolute_times(after) == once);
  for (std::size_t r = 0; r < zeros.size(); ++r)
    LOCKSTEP_FUZZ_CHECK(after.ranks[r].origin.ns == zeros[r]);
  return 0;
}
