// Numbers the events that are met, densely and in order of first meeting, so that what is counted
// per event lies in plain vectors.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace lockstep::analysis::kernel_profile {

class EventSlots {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  EventSlots() { near_.fill(kNone); }

  // The event's slot, a new one at its first meeting.
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t event) {
    if (event < kNear && near_[event] != kNone) return near_[event];
    return find_or_add(event);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& events() const { return events_; }  // by slot

 private:
  // Events below it, which are all that have 12 bits, are looked up without hashing.
  static constexpr std::uint32_t kNear = 1U << 12U;

  std::uint32_t find_or_add(std::uint32_t event) {
    const auto next = static_cast<std::uint32_t>(events_.size());
    if (event < kNear) {
      near_[event] = next;
    } else if (const auto [at, is_new] = far_.try_emplace(event, next); !is_new) {
      return at->second;
    }
    events_.push_back(event);
    return next;
  }

  std::array<std::uint32_t, kNear> near_;
  std::unordered_map<std::uint32_t, std::uint32_t> far_;
  std::vector<std::uint32_t> events_;
};

}  // namespace lockstep::analysis::kernel_profile
