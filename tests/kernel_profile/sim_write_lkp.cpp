// A simulated execution as a .lkp file.
#include <algorithm>
#include <string>
#include <vector>

#include "formats/kernel_profile/lkp/lkp_layout.h"
#include "formats/kernel_profile/lkp/lkp_writer.h"
#include "io/byte_sink.h"
#include "lockstep/profile_layout.h"
#include "sim_writers.h"

namespace lockstep::sim {
namespace {

std::uint32_t type_of(trace::RecordType type) {
  switch (type) {
    case trace::RecordType::kEnd:
      return profile::kEnd;
    case trace::RecordType::kInstant:
      return profile::kInstant;
    case trace::RecordType::kSwitch:
      return profile::kSwitch;
    default:
      return profile::kBegin;
  }
}

class LkpFile {
 public:
  explicit LkpFile(const TrueExecution& execution) : execution_(execution) {}

  SimFile write() {
    for (std::uint32_t i = 0; i < execution_.launches.size(); ++i) add_launch(i);
    for (std::size_t i = 0; i < execution_.lanes.size(); ++i) add_lane(i);
    formats::kernel_profile::LkpContents contents;
    contents.meta.producer = "kernel_sim";
    contents.meta.timer_tick_ns = static_cast<double>(execution_.timer.tick_ns);
    contents.meta.events = execution_.event_names;
    contents.meta.kernels = {"simulated"};
    contents.launches = launches_;
    contents.lanes = lanes_;
    contents.anchors = anchors_;
    contents.records = records_;
    contents.regions = regions_;
    io::MemorySink sink;
    if (write_lkp(contents, sink).ok()) file_.bytes = sink.bytes();
    file_.format = "lkp";
    return std::move(file_);
  }

 private:
  void add_launch(std::uint32_t index) {
    const TrueLaunch& launch = execution_.launches[index];
    const SimOptions& options = execution_.options;
    formats::kernel_profile::lkp::Launch out{};
    out.id = index;
    out.channel = launch.channel;
    out.number = launch.number;
    out.groups = options.groups;
    out.grid = {options.blocks, 1, 1};
    out.threads = {32 * options.groups, 1, 1};
    out.lanes_expected = std::uint64_t{options.blocks} * options.groups;
    launches_.push_back(out);
  }

  void add_lane(std::size_t index) {
    const TrueLane& lane = execution_.lanes[index];
    const SimOptions& options = execution_.options;
    const KeptMarkers kept = kept_markers(lane, options);
    formats::kernel_profile::lkp::Lane out{};
    out.launch = lane.launch;
    out.lane = static_cast<std::uint32_t>(lane.block) * options.groups + lane.group;
    out.block = lane.block;
    out.group = lane.group;
    out.sm_begin = lane.sm;
    out.sm_end = lane.is_finalized ? lane.sm_end : profile::kNoSm;
    out.leader_thread = 32 * lane.group;
    out.flags = (lane.is_finalized ? profile::kFinalized : 0U) |
                (options.is_ring ? profile::kRing : 0U) |
                (options.has_regions ? profile::kRegionRecords : 0U);
    out.first_record = options.has_regions ? regions_.size() : records_.size();
    out.seen = lane.markers.size();
    out.written = kept.count;
    out.capacity = std::min<std::uint64_t>(options.capacity, out.seen + 16);
    out.first_anchor = anchors_.size();
    out.anchors = static_cast<std::uint32_t>(lane.anchors.size());
    lanes_.push_back(out);
    for (const TrueAnchor& anchor : lane.anchors) {
      anchors_.push_back({static_cast<std::uint64_t>(anchor.timer_ns),
                          static_cast<std::uint64_t>(anchor.before),
                          static_cast<std::uint64_t>(anchor.after)});
    }
    ExpectedLane expected{.true_lane = index, .seen = lane.markers.size(), .markers = {}};
    for (std::size_t i = kept.first; i < kept.first + kept.count; ++i) {
      add_record(lane, lane.markers[i]);
      expected.markers.push_back(lane.markers[i]);
    }
    file_.lanes.push_back(std::move(expected));
  }

  void add_record(const TrueLane& lane, const TrueMarker& marker) {
    const std::uint32_t flags =
        (marker.is_async ? profile::kAsync : 0U) | (marker.has_payload ? profile::kHasPayload : 0U);
    const std::uint32_t tag =
        profile::make_tag(type_of(marker.type), flags, marker.event, marker.payload);
    if (marker.type == trace::RecordType::kRegion) {
      regions_.push_back(
          {clock(lane, marker.at_ps), clock(lane, marker.end_ps), tag, marker.payload});
    } else {
      records_.push_back({clock(lane, marker.at_ps), tag});
    }
  }

  [[nodiscard]] std::uint32_t clock(const TrueLane& lane, std::int64_t at_ps) const {
    return static_cast<std::uint32_t>(execution_.cycles(lane, at_ps));
  }

  const TrueExecution& execution_;
  std::vector<formats::kernel_profile::lkp::Launch> launches_;
  std::vector<formats::kernel_profile::lkp::Lane> lanes_;
  std::vector<formats::kernel_profile::lkp::Anchor> anchors_;
  std::vector<formats::kernel_profile::lkp::Record> records_;
  std::vector<formats::kernel_profile::lkp::Region> regions_;
  SimFile file_;
};

}  // namespace

SimFile write_lkp(const TrueExecution& execution) { return LkpFile(execution).write(); }

}  // namespace lockstep::sim
