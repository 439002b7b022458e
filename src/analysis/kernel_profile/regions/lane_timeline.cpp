// Filling of timelines.
#include "analysis/kernel_profile/regions/lane_timeline.h"

namespace lockstep::analysis::kernel_profile {

void LaneTimeline::clear() {
  begin = 0;
  end = 0;
  regions.clear();
  instants.clear();
  async_edges.clear();
}

void take_single(const trace::KernelRecord& record, LaneTimeline& out) {
  if (record.type == trace::RecordType::kInstant) {
    out.instants.push_back({record.ticks, record.event, record.payload, record.has_payload});
    return;
  }
  out.async_edges.push_back({.at = record.ticks,
                             .event = record.event,
                             .token = record.payload,
                             .is_begin = record.type == trace::RecordType::kBegin});
}

}  // namespace lockstep::analysis::kernel_profile
