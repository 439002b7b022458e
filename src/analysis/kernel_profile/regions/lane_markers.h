// The markers of one lane on the time axis, paired again from its records: for sinks that show
// lanes one after the other and need not keep the regions of all of them.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/kernel_profile/clocks/clock_reader.h"
#include "analysis/kernel_profile/clocks/time_base.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "analysis/kernel_profile/regions/lane_regions.h"
#include "analysis/kernel_profile/regions/lane_timeline.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

// Ticks that markers of `ticks_each` took of the region; never more than it has.
[[nodiscard]] std::int64_t overhead_of(const LaneRegion& region, double ticks_each);

// Gives what LaneResult holds with keep_regions. Keeps its memory for the next lane.
class LaneMarkers {
 public:
  LaneMarkers(const trace::KernelProfile& profile, const TimeBase& time, double overhead_ticks)
      : profile_(profile), time_(time), overhead_ticks_(overhead_ticks) {}

  // The markers of a lane, until the next one is read.
  [[nodiscard]] const LaneTimeline& read(std::uint32_t lane);
  // One of them; fastest in their order.
  [[nodiscard]] TimedRegion timed(const LaneRegion& region);
  [[nodiscard]] TimedInstant timed(const LaneInstant& instant) const;

 private:
  const trace::KernelProfile& profile_;
  const TimeBase& time_;
  double overhead_ticks_;
  std::uint32_t lane_ = 0;
  std::optional<ClockReader> clock_;
  RegionPairing pairing_;
  trace::RecordScratch scratch_;
  LaneTimeline timeline_;
};

}  // namespace lockstep::analysis::kernel_profile
