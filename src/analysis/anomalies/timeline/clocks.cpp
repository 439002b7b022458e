// Sums for the clocks, and what their disagreement means.
#include "analysis/anomalies/timeline/clocks.h"

#include <algorithm>

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::array<std::string_view, 3> kReadingNames = {"overlap", "bubbles", "wait_heavy"};

bool exceeds_by_far(WideTime a, WideTime b, double factor) {
  return a > b && static_cast<double>(a) >= factor * static_cast<double>(b);
}

}  // namespace

std::string_view name_of(ClockReading reading) {
  return kReadingNames[static_cast<std::size_t>(reading)];
}

ClockReadings readings_of(const Clocks& clocks, const Thresholds& thresholds) {
  const double far = thresholds.clocks_disagree;
  ClockReadings readings;
  if (exceeds_by_far(clocks.kernel_sum, clocks.wall.ps, far)) readings.add(ClockReading::kOverlap);
  if (exceeds_by_far(clocks.wall.ps, clocks.busy.ps, far)) readings.add(ClockReading::kBubbles);
  if (exceeds_by_far(clocks.total_cost, clocks.kernel_sum, far))
    readings.add(ClockReading::kWaitHeavy);
  return readings;
}

void ClockSum::add(const DeviceWork& kernel, const KernelGaps& gaps) {
  if (is_empty_) {
    start_ = kernel.start;
    end_ = kernel.start;
    is_empty_ = false;
  }
  if (kernel.end > end_) {
    busy_ += kernel.end - std::max(end_, kernel.start);
    end_ = kernel.end;
  }
  kernel_sum_ += kernel.duration().ps;
  total_cost_ += kernel.duration().ps + gaps.to_device.ps;
}

Clocks ClockSum::clocks() const { return {end_ - start_, busy_, kernel_sum_, total_cost_}; }

}  // namespace lockstep::analysis::anomalies
