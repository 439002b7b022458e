// Rows from the track events of any Perfetto file: times in one clock, pairs, flows; tracks and
// kinds once all descriptors are known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/perfetto/decode/clock_map.h"
#include "formats/perfetto/decode/track_registry.h"
#include "formats/perfetto/map/event_mapper.h"
#include "formats/perfetto/map/event_rows.h"
#include "formats/perfetto/map/flow_marks.h"
#include "formats/perfetto/map/row_placement.h"
#include "formats/shared/rank_builder.h"

namespace lockstep::formats::perfetto {

class TrackEventMapper : public EventMapper {
 public:
  TrackEventMapper(shared::RankBuilder& builder, const TrackRegistry& tracks, ClockMap& clocks)
      : builder_(builder),
        trace_(builder.trace()),
        diagnostics_(builder.diagnostics()),
        tracks_(tracks),
        clocks_(clocks),
        rows_(trace_, builder.keep_arguments(), diagnostics_),
        placement_(builder, tracks) {}

  void take(const DecodedEvent& event, const PacketFacts& packet, SequenceState& sequence) override;
  // Takes a GpuRenderStageEvent.
  void take_gpu_stage(protozero::data_view bytes, const PacketFacts& packet,
                      SequenceState& sequence);
  void finish();
  [[nodiscard]] std::uint64_t track_events() const { return track_events_; }
  [[nodiscard]] std::uint64_t gpu_stages() const { return gpu_stages_; }

 private:
  // An end of a flow that is known by thread and time only (phases s, t, f).
  struct LooseFlowEnd {
    EventRows::Lane lane = 0;
    std::int64_t ns = 0;
    std::int64_t id = 0;
    StringId category{};
    trace::FlowEnd::Role role = trace::FlowEnd::Role::kStart;
  };

  [[nodiscard]] std::optional<std::int64_t> time_of(const DecodedEvent* event,
                                                    const PacketFacts& packet,
                                                    SequenceState& sequence);
  [[nodiscard]] std::optional<std::int64_t> in_file_clock(ClockKey clock, std::int64_t ns);
  [[nodiscard]] EventRows::Lane add_lane(const LaneOrigin& origin);
  [[nodiscard]] EventRows::Lane lane_of_uuid(std::uint64_t uuid);
  [[nodiscard]] EventRows::Lane lane_of_thread(std::int64_t pid, std::int64_t tid);
  [[nodiscard]] EventRows::Lane lane_of(const DecodedEvent& event, const SequenceState& sequence);
  [[nodiscard]] EventRows::Lane lane_of_async(const DecodedEvent& event, EventRows::Lane thread);
  [[nodiscard]] trace::Event describe(const DecodedEvent& event, EventRows::Lane lane,
                                      std::int64_t ns);

  void take_by_type(const DecodedEvent& event, EventRows::Lane lane, std::int64_t ns,
                    std::uint64_t offset);
  void take_by_phase(const DecodedEvent& event, EventRows::Lane lane, std::int64_t ns,
                     std::uint64_t offset);
  void add_point(const DecodedEvent& event, EventRows::Lane lane, std::int64_t ns,
                 trace::Shape shape);
  void add_whole(const DecodedEvent& event, EventRows::Lane lane, std::int64_t ns,
                 std::uint64_t offset);
  void add_samples(const DecodedEvent& event, std::int64_t ns);
  void add_sample(const CounterSample& sample, const DecodedEvent& event, std::int64_t ns);
  void note(const DecodedEvent& event, trace::EventId row, std::int64_t ns);
  void set_origin();
  void bind_loose_flow_ends();

  shared::RankBuilder& builder_;
  trace::Trace& trace_;
  Diagnostics& diagnostics_;
  const TrackRegistry& tracks_;
  ClockMap& clocks_;
  EventRows rows_;
  RowPlacement placement_;
  FlowMarks flows_;
  std::vector<LooseFlowEnd> loose_flow_ends_;

  std::optional<ClockKey> file_clock_;
  bool says_clock_ = false;  // some packet names its clock
  std::vector<WideTime> first_times_;
  WideTime origin_ns_ = 0;

  std::unordered_map<std::uint64_t, EventRows::Lane> lanes_by_uuid_;
  std::uint64_t recent_uuid_ = 0;
  std::optional<EventRows::Lane> recent_lane_;
  std::map<std::pair<std::int64_t, std::int64_t>, EventRows::Lane> lanes_by_thread_;
  std::map<std::pair<std::int64_t, std::string>, EventRows::Lane> lanes_by_queue_;
  std::unordered_map<std::string, EventRows::Lane> async_lanes_;
  std::unordered_map<std::uint64_t, std::int64_t> counter_sums_;  // of incremental ones
  std::vector<std::string> old_gpu_queues_;                       // by the old Specifications
  std::vector<std::string> old_gpu_stages_;
  std::uint64_t track_events_ = 0;
  std::uint64_t gpu_stages_ = 0;
};

}  // namespace lockstep::formats::perfetto
