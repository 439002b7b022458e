// The first time and the step of the device's timer.
#include "analysis/kernel_profile/clocks/timer_ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace lockstep::analysis::kernel_profile {
namespace {

// Distances looked at before the divisor is believed: by chance all of so many share a factor of 2
// once in 2^this.
constexpr std::uint32_t kEnoughDistances = 16;
constexpr std::uint32_t kManyDistances = 4096;

// The greatest common divisor of distances between times.
class StepFinder {
 public:
  void add(std::span<const trace::KernelRecord> records) {
    for (const trace::KernelRecord& record : records) {
      if (distances_ >= kManyDistances) return;
      const std::uint64_t distance =
          record.ticks > last_
              ? static_cast<std::uint64_t>(record.ticks) - static_cast<std::uint64_t>(last_)
              : 0;
      if (has_last_ && distance > 0) {
        divisor_ = std::gcd(divisor_, distance);
        ++distances_;
      }
      last_ = record.ticks;
      has_last_ = true;
    }
    has_last_ = false;  // the next lane may lie anywhere
  }
  [[nodiscard]] double tick_ns() const {
    return distances_ < kEnoughDistances ? kUsualTimerTickNs : static_cast<double>(divisor_);
  }

 private:
  std::uint64_t divisor_ = 0;
  std::uint32_t distances_ = 0;
  std::int64_t last_ = 0;
  bool has_last_ = false;
};

}  // namespace

TimerTicks find_timer(const trace::KernelProfile& profile) {
  TimerTicks timer;
  timer.first_ns = std::numeric_limits<std::int64_t>::max();
  StepFinder steps;
  trace::RecordScratch scratch;
  for (const trace::KernelLane& lane : profile.lanes) {
    if (lane.clock != trace::LaneClock::kGlobalTimer) continue;
    ++timer.lanes;
    const auto records = profile.records_of(lane, scratch);
    if (records.empty()) continue;
    timer.first_ns = std::min(timer.first_ns, records.front().ticks);
    steps.add(records);
  }
  if (timer.first_ns == std::numeric_limits<std::int64_t>::max()) timer.first_ns = 0;
  const bool is_stated = std::isfinite(profile.timer_tick_ns) && profile.timer_tick_ns > 0;
  timer.tick_ns = is_stated ? profile.timer_tick_ns : steps.tick_ns();
  return timer;
}

}  // namespace lockstep::analysis::kernel_profile
