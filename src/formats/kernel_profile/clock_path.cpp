// The search for wraps.
#include "formats/kernel_profile/clock_path.h"

#include <algorithm>
#include <cstdlib>

namespace lockstep {
namespace {

constexpr std::int64_t kWrap = std::int64_t{1} << 32;
// Below half a wrap between the outermost anchors a clock has one nearest tick.
constexpr std::int64_t kNearSpan = kWrap / 2;
// Threads of one warp that write by turns are at most about this many cycles apart.
constexpr std::uint32_t kElectedBack = 1U << 20;
// An interior anchor is taken at a marker: the marker's clock is at most this far from it.
constexpr std::int64_t kAnchorReach = std::int64_t{1} << 20;

// The first tick from `bound` on that a counter with this clock has.
std::int64_t first_from(std::int64_t bound, std::uint32_t clock) {
  return bound + static_cast<std::int64_t>(clock - static_cast<std::uint32_t>(bound));
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

// Places up to `missing` hidden wraps by interior anchors: one that lies by whole wraps ahead of a
// marker, and but for them beside it, was taken at that marker. Returns how many were placed.
std::int64_t place_by_anchors(const LaneClocks& clocks, std::span<const KernelAnchor> anchors,
                              std::int64_t missing, ClockPath& path) {
  std::int64_t placed = 0;
  std::int64_t tick = path.first;
  std::size_t next = 1;  // the first anchor is of the begin
  for (std::size_t i = 0; i < clocks.size() && placed < missing; ++i) {
    if (i > 0) tick += clock_step(clocks[i - 1], clocks[i], path.back);
    while (next < anchors.size() && anchors[next].clock_before < tick - kAnchorReach) ++next;
    if (next == anchors.size()) break;
    const std::int64_t ahead = anchors[next].clock_before - tick;
    const std::int64_t wraps = (ahead + kWrap / 2) >> 32;
    if (wraps < 1 || wraps > missing - placed) continue;
    if (std::abs(ahead - wraps * kWrap) > kAnchorReach) continue;
    path.hidden.push_back({i, wraps * kWrap});
    tick += wraps * kWrap;
    placed += wraps;
  }
  return placed;
}

// `missing` wraps lie before `end` that no clock shows.
void place_hidden_wraps(const LaneClocks& clocks, const KernelLane& lane,
                        std::span<const KernelAnchor> anchors, std::int64_t missing,
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
}

}  // namespace

ClockPath find_clock_path(const LaneClocks& clocks, const KernelLane& lane,
                          std::span<const KernelAnchor> anchors) {
  ClockPath path;
  if (clocks.size() == 0) return path;
  const bool has_end = lane.is_finalized && anchors.size() >= 2;
  if (has_end && anchors.back().clock_after - anchors.front().clock_before < kNearSpan) {
    const std::int64_t reference = anchors.front().clock_before;
    path.reference = reference;
    const auto tick_of = [&](std::uint32_t clock) {
      return reference + static_cast<std::int32_t>(clock - static_cast<std::uint32_t>(reference));
    };
    path.wraps = wraps_between(tick_of(clocks[0]), tick_of(clocks[clocks.size() - 1]));
    return path;
  }

  path.first = anchors.empty() ? std::int64_t{clocks[0]}
                               : first_from(anchors.front().clock_before, clocks[0]);
  path.back = lane.is_elected ? kElectedBack : 0;
  std::int64_t last = last_of_walk(clocks, path);
  if (has_end) {
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

}  // namespace lockstep
