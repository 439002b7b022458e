// The events of one plane, as rows of a rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "formats/shared/rank_builder.h"
#include "formats/xspace/read/event_facts.h"
#include "formats/xspace/read/flow_points.h"
#include "formats/xspace/read/plane_metadata.h"
#include "formats/xspace/read/space_index.h"
#include "formats/xspace/read/stat_arguments.h"
#include "formats/xspace/read/text_allowance.h"

namespace lockstep::formats::xspace {

// How times of lines become absolute.
struct SpaceClock {
  std::optional<std::int64_t> start_ns;  // of the profile, since 1970
  bool is_ours = false;                  // written by lockstep: every line counts from there

  [[nodiscard]] WideTime base_of(std::int64_t timestamp_ns) const;
};

// What the planes of a rank have in common.
struct RankContext {
  shared::RankBuilder& builder;
  const SpaceIndex& index;
  SpaceClock clock;
  Diagnostics& defects;
  FlowPoints flows;
  TextAllowance& allowance;
  std::vector<std::string> aggregates;  // JSON objects, as far as the allowance goes
  std::uint64_t aggregate_count = 0;
  bool is_ours = false;
  std::uint32_t next_host = 701;  // the process id that viewers give to host planes
};

class PlaneReader {
 public:
  PlaneReader(RankContext& context, const PlaneView& plane);

  // Returns the number of events.
  std::uint64_t read();

 private:
  struct RawEvent {
    std::int64_t metadata_id = 0;
    std::int64_t offset_ps = 0;
    std::int64_t duration_ps = 0;
    std::int64_t occurrences = 0;
    bool is_aggregate = false;
  };

  void choose_process();
  void choose_track(const LineView& line);
  std::uint64_t read_line(const LineView& line);
  [[nodiscard]] bool decode(std::string_view bytes, RawEvent& event);
  void judge_in_event(protozero::pbf_reader& field, Place place);
  void take_stat(std::string_view bytes);
  void take(const RawEvent& event, const LineView& line, Place place);
  [[nodiscard]] trace::Kind kind_of(const EventMetadata& metadata, const EventFacts& facts) const;
  void add_arguments(trace::EventId id, const EventMetadata& metadata);
  void add_flows(trace::EventId id, const EventFacts& facts);
  void add_collective(trace::EventId id, const EventFacts& facts);
  void add_step(trace::EventId id, const EventFacts& facts);
  void add_aggregate(const RawEvent& event, const LineView& line);
  void mark_containers(std::size_t first_row, std::size_t first_collective);

  RankContext& context_;
  shared::RankBuilder& builder_;
  const PlaneView& plane_;
  PlaneMetadata metadata_;
  PlaneFacts facts_;
  StatArguments arguments_;
  std::vector<StatValue> stats_;  // of the event at hand
  trace::ProcessId process_{};
  trace::DeviceId device_ = trace::kNoDevice;
  std::unordered_map<std::int64_t, std::string_view> line_names_;  // by id, of threads

  // Of the line at hand.
  LineSort sort_ = LineSort::kThread;
  trace::TrackId track_{};
  trace::Kind line_kind_ = trace::Kind::kKernel;
  WideTime base_ = 0;
};

}  // namespace lockstep::formats::xspace
