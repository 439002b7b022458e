// What became of the time of a pair: of its kernels, of its idle time, and what limits each side.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/compare/compare.h"

namespace lockstep::analysis::compare {

// What decides how long an iteration takes.
enum class TimeLimit : std::uint8_t {
  kKernels,   // the device is busy for most of it
  kLaunches,  // it is idle for most of it, a little before every kernel: work comes too slowly
  kWaits,     // it is idle for most of it, in few long pauses
};
[[nodiscard]] std::string_view name_of(TimeLimit limit);  // "kernels", "launches", "waits"

// Every number that decides.
struct TimeChangeThresholds {
  double mostly_idle = 0.5;  // of the wall time: kernels do not decide
  double spread_idle = 0.5;  // of the idle time, were all pauses as long as the median one
  double told_percent = 2;   // changes of kernels and idle below it are not told
  double told_share = 0.02;  // nor are those that move the wall time by less than this share
};
inline constexpr TimeChangeThresholds kTimeChange;

struct TimeChange {
  std::optional<double> kernels_percent;  // time in which a kernel runs; nothing where A has none
  std::optional<double> idle_percent;
  bool is_kernels_told = false;  // the change is large enough to say
  bool is_idle_told = false;
  TimeLimit limit_a = TimeLimit::kKernels;
  TimeLimit limit_b = TimeLimit::kKernels;
};

// Of a matched pair.
[[nodiscard]] TimeChange time_change(const ComparePair& pair);

}  // namespace lockstep::analysis::compare
