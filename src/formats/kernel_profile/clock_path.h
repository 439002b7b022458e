// How the 32-bit clocks of a lane become ticks that never wrap.
//
// Records of a lane stand in the order of its program, so a clock below the one before it has
// wrapped once. A longer pause hides wraps; the 64-bit clocks of anchors, which are taken before
// the first record, at some markers, and after the last record, tell how many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/kernel_profile/item_view.h"
#include "trace/kernel_profile.h"

namespace lockstep::formats::kernel_profile {

// The clock of every record that orders a lane: of a region, its end.
class LaneClocks {
 public:
  LaneClocks(const std::byte* first, std::size_t item_bytes, std::size_t count)
      : first_(first), item_bytes_(item_bytes), size_(count) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const {
    return load<std::uint32_t>(first_ + i * item_bytes_);
  }

 private:
  const std::byte* first_;
  std::size_t item_bytes_;
  std::size_t size_;
};

// The ticks of a step from one clock to the next. Steps back of up to `back` are taken for what
// they are, all others for wraps.
[[nodiscard]] inline std::int64_t clock_step(std::uint32_t from, std::uint32_t to,
                                             std::uint32_t back) {
  const std::uint32_t forward = to - from;
  const bool is_back = forward != 0 && ~forward < back;
  return static_cast<std::int64_t>(forward) - (is_back ? std::int64_t{1} << 32 : 0);
}

// A wrap, or several, that no clock shows: record `before` and all later ones are later by `ticks`.
struct HiddenWraps {
  std::size_t before = 0;
  std::int64_t ticks = 0;
};

struct ClockPath {
  // Given where the anchors leave no room for a wrap to hide: the tick of a clock is the one that
  // is nearest to this tick, whatever its neighbours are.
  std::optional<std::int64_t> reference;
  // Else: the tick of the first record, and the rule of steps from one to the next.
  std::int64_t first = 0;
  std::uint32_t back = 0;
  std::vector<HiddenWraps> hidden;

  std::int64_t unplaced = 0;   // ticks of wraps that anchors tell of and that have no place
  std::uint64_t wraps = 0;     // undone between the first record and the last
  bool is_ambiguous = false;   // anchors tell of more wraps; where they lie is not known
  bool is_disordered = false;  // clocks step back more often than anchors allow
};

// Whether the anchors leave no room for a wrap to hide. find_clock_path() then looks at the first
// and the last clock only.
[[nodiscard]] bool has_nearest_ticks(const trace::KernelLane& lane,
                                     std::span<const trace::KernelAnchor> anchors);

// Anchors stand in order of time, their clocks below 2^62.
[[nodiscard]] ClockPath find_clock_path(const LaneClocks& clocks, const trace::KernelLane& lane,
                                        std::span<const trace::KernelAnchor> anchors);

}  // namespace lockstep::formats::kernel_profile
