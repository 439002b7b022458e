// What device/host measures, as the sinks take it.
#include "cli/commands/measure_markers.h"

#include "host/overhead.h"

namespace lockstep::cli {
namespace {

std::vector<report::kernel::MarkerCost> costs_of(
    const std::vector<device::MarkerMeasurement>& measured) {
  std::vector<report::kernel::MarkerCost> costs;
  for (const device::MarkerMeasurement& one : measured) {
    costs.push_back({one.variant, one.warps, one.cycles});
  }
  return costs;
}

}  // namespace

Result<report::kernel::MarkerCosts> measure_markers() {
  LOCKSTEP_ASSIGN_OR_RETURN(const device::MarkerOverhead overhead,
                            device::measure_marker_overhead());
  report::kernel::MarkerCosts costs;
  costs.device = overhead.device;
  costs.arch = overhead.arch;
  costs.driver = overhead.driver;
  costs.markers = costs_of(overhead.markers);
  costs.frames = costs_of(overhead.frames);
  return costs;
}

}  // namespace lockstep::cli
