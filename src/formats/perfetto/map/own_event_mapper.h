// Rows from the events of a file that lockstep wrote: everything comes back as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "formats/perfetto/map/event_mapper.h"
#include "formats/perfetto/map/event_rows.h"
#include "formats/perfetto/map/flow_marks.h"
#include "formats/perfetto/map/own_header.h"

namespace lockstep::formats::perfetto {

class OwnEventMapper : public EventMapper {
 public:
  OwnEventMapper(OwnHeader header, trace::Trace& trace, trace::KeepArguments keep_arguments,
                 Diagnostics& diagnostics)
      : header_(std::move(header)),
        trace_(trace),
        diagnostics_(diagnostics),
        rows_(trace, keep_arguments, diagnostics) {}

  void take(const DecodedEvent& event, const PacketFacts& packet, SequenceState& sequence) override;
  // The description of a counter track.
  void describe_counter(std::uint64_t uuid, std::string_view description);
  void finish();
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] const OwnHeader& header() const { return header_; }

 private:
  struct LaneFacts {
    EventRows::Lane lane = 0;
    trace::TrackId track{};
    std::uint32_t rank = 0;
  };
  struct Counter {
    StringId event{};
    StringId key{};
  };

  [[nodiscard]] const LaneFacts* lane_of(std::uint64_t uuid);
  [[nodiscard]] std::optional<Time> time_of(const LaneFacts& lane, std::uint64_t timestamp,
                                            std::int64_t rest_ps) const;
  [[nodiscard]] trace::Event describe(const DecodedEvent& event, const LaneFacts& lane, Time start);
  void add_begin(const DecodedEvent& event, const LaneFacts& lane, const PacketFacts& packet);
  void add_point(const DecodedEvent& event, const LaneFacts& lane, const PacketFacts& packet);
  void add_sample(const DecodedEvent& event, const LaneFacts& lane, const PacketFacts& packet);
  void finish_counter();
  void note(const DecodedEvent& event, trace::EventId row);
  [[nodiscard]] std::optional<trace::Kind> kind_named(StringId text);

  OwnHeader header_;
  trace::Trace& trace_;
  Diagnostics& diagnostics_;
  EventRows rows_;
  FlowMarks flows_;
  std::unordered_map<std::uint64_t, LaneFacts> lanes_;  // by uuid
  std::uint64_t recent_uuid_ = 0;
  const LaneFacts* recent_lane_ = nullptr;
  std::unordered_map<std::uint64_t, Counter> counters_;
  std::optional<trace::Event> counter_;  // whose samples are being read
  std::vector<trace::Argument> counter_arguments_;
  std::vector<std::int8_t> kinds_;  // by StringId; -1: not asked, -2: no kind
  std::vector<trace::Collective> collectives_;
  std::uint64_t events_ = 0;
};

}  // namespace lockstep::formats::perfetto
