// Pairing of the markers of one lane.
#include "analysis/kernel_profile/lane_regions.h"

namespace lockstep {

void LaneTimeline::clear() {
  begin = 0;
  end = 0;
  regions.clear();
  instants.clear();
  async_edges.clear();
}

}  // namespace lockstep
