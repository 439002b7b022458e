// A simulated execution as a decoded profile.
#include <memory>

#include "sim_writers.h"

namespace lockstep::sim {
namespace {

trace::KernelRecord record_of(const TrueExecution& execution, const TrueLane& lane,
                              const TrueMarker& marker) {
  trace::KernelRecord record;
  record.ticks = execution.cycles(lane, marker.at_ps);
  if (marker.type == trace::RecordType::kRegion) {
    record.length =
        static_cast<std::uint32_t>(execution.cycles(lane, marker.end_ps) - record.ticks);
  }
  record.event = marker.event;
  record.payload = marker.payload;
  record.type = marker.type;
  record.is_async = marker.is_async;
  record.has_payload = marker.has_payload;
  return record;
}

}  // namespace

trace::KernelProfile to_profile(const TrueExecution& execution) {
  trace::KernelProfile profile;
  profile.format = "simulated";
  profile.timer_tick_ns = static_cast<double>(execution.timer.tick_ns);
  profile.event_names = execution.event_names;
  for (std::uint32_t i = 0; i < execution.launches.size(); ++i) {
    trace::KernelLaunch launch;
    launch.id = i;
    launch.channel = execution.launches[i].channel;
    launch.number = execution.launches[i].number;
    launch.kernel = "simulated";
    launch.groups = execution.options.groups;
    profile.launches.push_back(launch);
  }
  std::vector<trace::KernelRecord> records;
  for (const TrueLane& lane : execution.lanes) {
    const KeptMarkers kept = kept_markers(lane, execution.options);
    trace::KernelLane decoded;
    decoded.launch = lane.launch;
    decoded.block = lane.block;
    decoded.group = lane.group;
    decoded.sm = static_cast<std::int32_t>(lane.sm);
    decoded.sm_end = lane.is_finalized ? static_cast<std::int32_t>(lane.sm_end) : -1;
    decoded.seen = lane.markers.size();
    decoded.written = kept.count;
    decoded.capacity = execution.options.capacity;
    decoded.is_finalized = lane.is_finalized;
    decoded.is_ring = execution.options.is_ring;
    decoded.clock = trace::LaneClock::kCycles;
    decoded.first_record = records.size();
    decoded.first_anchor = profile.anchors.size();
    decoded.anchor_count = static_cast<std::uint32_t>(lane.anchors.size());
    for (std::size_t i = 0; i < kept.count; ++i) {
      records.push_back(record_of(execution, lane, lane.markers[kept.first + i]));
    }
    for (const TrueAnchor& anchor : lane.anchors) {
      profile.anchors.push_back({anchor.timer_ns, anchor.before, anchor.after});
    }
    profile.lanes.push_back(decoded);
  }
  profile.records = std::make_shared<trace::DecodedRecords>(std::move(records));
  return profile;
}

std::vector<SimFile> write_all(const TrueExecution& execution) {
  std::vector<SimFile> files = {write_lkp(execution),        write_tvm(execution),
                                write_flashinfer(execution), write_flashinfer_old(execution),
                                write_proton(execution),     write_mosaic(execution),
                                write_ikp(execution)};
  // There is no device with another timer that IKET runs on.
  if (execution.timer.tick_ns == 32) files.push_back(write_iket(execution));
  return files;
}

}  // namespace lockstep::sim
