// What device/host measures, as the sinks take it.
#include "cli/commands/measure_markers.h"

#include "host/overhead.h"

namespace lockstep {
namespace {

std::vector<MarkerCost> costs_of(const std::vector<MarkerMeasurement>& measured) {
  std::vector<MarkerCost> costs;
  for (const MarkerMeasurement& one : measured) {
    costs.push_back({one.variant, one.warps, one.cycles});
  }
  return costs;
}

}  // namespace

Result<MarkerCosts> measure_markers() {
  LOCKSTEP_ASSIGN_OR_RETURN(const MarkerOverhead overhead, measure_marker_overhead());
  MarkerCosts costs;
  costs.device = overhead.device;
  costs.arch = overhead.arch;
  costs.driver = overhead.driver;
  costs.markers = costs_of(overhead.markers);
  costs.frames = costs_of(overhead.frames);
  return costs;
}

}  // namespace lockstep
