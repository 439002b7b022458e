// A progress line on standard error: bytes done, share and rate. Silent unless it is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep {

class ProgressLine {
 public:
  // `total_bytes` is unknown for pipes. Nothing is drawn unless `enabled`.
  ProgressLine(std::string label, std::optional<std::uint64_t> total_bytes, bool enabled);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // True when standard error is a terminal.
  [[nodiscard]] static bool stderr_is_terminal();

  // Redraws at most ten times a second.
  void update(std::uint64_t done_bytes);
  // What would be drawn now on a terminal of so many columns: the label gives way to the numbers.
  // Apart from drawing so that it can be tested.
  [[nodiscard]] std::string line(std::uint64_t done_bytes, double seconds,
                                 std::size_t columns) const;

 private:
  using SteadyClock = std::chrono::steady_clock;

  std::string label_;  // one line of valid UTF-8 without control characters
  std::optional<std::uint64_t> total_bytes_;
  bool enabled_;
  bool drawn_ = false;
  SteadyClock::time_point started_ = SteadyClock::now();
  SteadyClock::time_point last_drawn_ = started_;
};

}  // namespace lockstep
