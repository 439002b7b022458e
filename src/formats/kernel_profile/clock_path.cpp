// The search for wraps.
#include "formats/kernel_profile/clock_path.h"

#include <algorithm>

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::int64_t kWrap = std::int64_t{1} << 32;
// Below half a wrap between the outermost anchors a clock has one nearest tick.
constexpr std::int64_t kNearSpan = kWrap / 2;
// Threads of one warp that write by turns are at most about this many cycles apart.
constexpr std::uint32_t kElectedBack = 1U << 20;
// An interior anchor is taken at a marker: the marker's clock is at most this far from it.
constexpr std::int64_t kAnchorReach = std::int64_t{1} << 20;
// Bounds of the search for hidden wraps: minutes of a kernel, and so many pauses of seconds.
constexpr std::int64_t kMostSearched = 64;
constexpr std::size_t kMostPlaces = 64;

// The first tick from `bound` on that a counter with this clock has.
std::int64_t first_from(std::int64_t bound, std::uint32_t clock) {
  return bound + static_cast<std::int64_t>(clock - static_cast<std::uint32_t>(bound));
}

std::int64_t nearest_to(std::int64_t tick, std::uint32_t clock) {
  return tick + static_cast<std::int32_t>(clock - static_cast<std::uint32_t>(tick));
}

// The last tick of a walk with this rule.
std::int64_t last_of_walk(const LaneClocks& clocks, const ClockPath& path) {
  std::int64_t tick = path.first;
  for (std::size_t i = 1; i < clocks.size(); ++i) {
    tick += clock_step(clocks[i - 1], clocks[i], path.back);
  }
  return tick;
}

std::uint64_t wraps_between(std::int64_t first, std::int64_t last) {
  const std::int64_t wraps = (last >> 32) - (first >> 32);
  return wraps > 0 ? static_cast<std::uint64_t>(wraps) : 0;
}

std::vector<std::int64_t> ticks_of_walk(const LaneClocks& clocks, const ClockPath& path) {
  std::vector<std::int64_t> ticks(clocks.size(), path.first);
  for (std::size_t i = 1; i < clocks.size(); ++i) {
    ticks[i] = ticks[i - 1] + clock_step(clocks[i - 1], clocks[i], path.back);
  }
  return ticks;
}

// The last marker that is at most kAnchorReach before the tick; none: ticks.size().
std::size_t marker_before(std::span<const std::int64_t> ticks, std::int64_t tick) {
  const auto behind = std::ranges::upper_bound(ticks, tick);
  if (behind == ticks.begin() || tick - *(behind - 1) > kAnchorReach) return ticks.size();
  return static_cast<std::size_t>(behind - ticks.begin()) - 1;
}

// Places up to `missing` hidden wraps by interior anchors, and returns how many. An interior anchor
// is taken behind a marker. One that is not, but would be if some wraps had passed before, tells of
// them: they lie before that marker, since an earlier one behind them would have taken the anchor.
std::int64_t place_by_anchors(const LaneClocks& clocks,
                              std::span<const trace::KernelAnchor> anchors, std::int64_t missing,
                              ClockPath& path) {
  std::vector<std::int64_t> ticks = ticks_of_walk(clocks, path);
  std::int64_t placed = 0;
  for (const trace::KernelAnchor& anchor : anchors.subspan(1)) {
    for (std::int64_t wraps = 0; wraps <= std::min(missing - placed, kMostSearched); ++wraps) {
      const std::size_t marker = marker_before(ticks, anchor.clock_before - wraps * kWrap);
      if (marker == ticks.size()) continue;
      if (wraps == 0) break;
      path.hidden.push_back({marker, wraps * kWrap});
      for (std::size_t i = marker; i < ticks.size(); ++i) ticks[i] += wraps * kWrap;
      placed += wraps;
      break;
    }
    if (placed == missing || path.hidden.size() > kMostPlaces) break;
  }
  return placed;
}

// `missing` wraps lie before `end` that no clock shows.
void place_hidden_wraps(const LaneClocks& clocks, const trace::KernelLane& lane,
                        std::span<const trace::KernelAnchor> anchors, std::int64_t missing,
                        ClockPath& path) {
  const bool is_partial = lane.seen > lane.written;
  if (is_partial && lane.is_ring) {
    path.first += missing * kWrap;  // They lie where the first events were, which are gone.
    return;
  }
  if (is_partial) return;  // They lie behind the last event that was kept.
  missing -= place_by_anchors(clocks, anchors.first(anchors.size() - 1), missing, path);
  if (missing == 0) return;
  // Init and finalize stand beside the outermost markers, so of two markers they lie between.
  if (clocks.size() == 2) {
    path.hidden.push_back({1, missing * kWrap});
    return;
  }
  path.is_ambiguous = true;
  path.unplaced = missing * kWrap;
}

bool has_end(const trace::KernelLane& lane, std::span<const trace::KernelAnchor> anchors) {
  return lane.is_finalized && anchors.size() >= 2;
}

}  // namespace

bool has_nearest_ticks(const trace::KernelLane& lane,
                       std::span<const trace::KernelAnchor> anchors) {
  return has_end(lane, anchors) &&
         anchors.back().clock_after - anchors.front().clock_before < kNearSpan;
}

ClockPath find_clock_path(const LaneClocks& clocks, const trace::KernelLane& lane,
                          std::span<const trace::KernelAnchor> anchors) {
  ClockPath path;
  if (clocks.size() == 0) return path;
  if (has_nearest_ticks(lane, anchors)) {
    const std::int64_t reference = anchors.front().clock_before;
    path.reference = reference;
    path.wraps = wraps_between(nearest_to(reference, clocks[0]),
                               nearest_to(reference, clocks[clocks.size() - 1]));
    return path;
  }

  path.first = anchors.empty() ? std::int64_t{clocks[0]}
                               : first_from(anchors.front().clock_before, clocks[0]);
  path.back = lane.is_elected ? kElectedBack : 0;
  std::int64_t last = last_of_walk(clocks, path);
  // The lone anchor of a lane that came to its end may be of its begin or of its end.
  if (lane.is_finalized && anchors.size() == 1 && last - path.first < kNearSpan) {
    const std::int64_t span = last - path.first;
    path.first = nearest_to(anchors.front().clock_before, clocks[0]);
    last = path.first + span;
  }
  if (has_end(lane, anchors)) {
    const std::int64_t rest = anchors.back().clock_after - last;
    if (rest < 0) {
      path.is_disordered = true;
      path.back = static_cast<std::uint32_t>(kNearSpan);
      last = last_of_walk(clocks, path);
    } else if (rest >= kWrap) {
      place_hidden_wraps(clocks, lane, anchors, rest >> 32, path);
      last = last_of_walk(clocks, path);
    }
  }
  for (const HiddenWraps& hidden : path.hidden) last += hidden.ticks;
  path.wraps = wraps_between(path.first, last);
  return path;
}

}  // namespace lockstep::formats::kernel_profile
