// What the lanes that recorded the device's timer say of it: where it begins and how it steps.
#pragma once

#include <cstdint>

#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

struct TimerTicks {
  std::uint64_t lanes = 0;    // that recorded the timer
  std::int64_t first_ns = 0;  // the first time that any of them saw
  double tick_ns = 0;
};

// The step of a timer of which nothing is known: that of Hopper and Blackwell.
inline constexpr double kUsualTimerTickNs = 32;

// The step is the profile's where it says one, else the greatest common divisor of the times.
[[nodiscard]] TimerTicks find_timer(const trace::KernelProfile& profile);

}  // namespace lockstep::analysis::kernel_profile
