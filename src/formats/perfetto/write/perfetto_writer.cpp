// The Perfetto writer: clocks, tracks, then the events of one track after the other.
#include "formats/perfetto/write/perfetto_writer.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/perfetto/decode/time_scale.h"
#include "formats/perfetto/decode/track_tree.h"
#include "formats/perfetto/map/own_header.h"
#include "formats/perfetto/map/own_ids.h"
#include "formats/perfetto/map/slice_lanes.h"
#include "formats/perfetto/wire/packet_stream.h"
#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/write/event_encoder.h"
#include "formats/perfetto/write/string_interner.h"
#include "formats/shared/message_builder.h"

namespace lockstep::formats::perfetto {
namespace {

using PacketBuilder = shared::MessageBuilder<PacketField>;

// Rows of the event table, grouped by track.
class RowsByTrack {
 public:
  explicit RowsByTrack(const trace::Trace& trace)
      : first_(trace.tracks.size() + 2), rows_(trace.events.size()) {
    for (const trace::TrackId track : trace.events.track) ++first_[trace::index_of(track) + 2];
    for (std::size_t t = 2; t < first_.size(); ++t) first_[t] += first_[t - 1];
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      rows_[first_[trace::index_of(trace.events.track[row]) + 1]++] = row;
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> of(trace::TrackId track) const {
    const std::size_t t = trace::index_of(track);
    return std::span(rows_).subspan(first_[t], first_[t + 1] - first_[t]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> rows_;
};

class PerfettoWriter {
 public:
  PerfettoWriter(const trace::Trace& trace, io::ByteSink& sink)
      : trace_(trace),
        times_(trace),
        interner_(trace.strings),
        flow_names_(names_of_flows(trace)),
        encoder_(trace, interner_, flow_names_),
        stream_(sink) {}

  Status write();

 private:
  void write_header();
  void write_clocks(std::uint64_t first_timestamp);
  void write_descriptor(const TrackDescription& track);
  void write_track(trace::TrackId track, std::span<const std::uint32_t> rows);
  void write_edge(const SliceEdge& edge);
  void write_point(std::size_t row);
  bool write_counter(std::size_t row);
  std::uint64_t lane_uuid(std::uint32_t lane);
  std::uint64_t counter_uuid(StringId name, StringId key);

  // A packet with a TrackEvent; `fill(TrackEventBuilder&)` adds what is special to it.
  template <typename Fill>
  void write_event(std::int64_t ns, EventType type, std::uint64_t uuid, Fill&& fill);

  const trace::Trace& trace_;
  TimeScale times_;
  std::optional<TrackTree> tree_;
  StringInterner interner_;
  std::vector<StringId> flow_names_;
  EventEncoder encoder_;
  PacketStream stream_;

  // Of the track that is being written.
  trace::TrackId track_{};
  trace::RankId rank_{};
  std::vector<std::uint64_t> lane_uuids_;
  std::unordered_map<std::uint64_t, std::uint64_t> counter_uuids_;  // by name and key
};

Status PerfettoWriter::write() {
  if (const auto first = times_.first_of_epoch()) write_clocks(*first);
  write_header();
  tree_.emplace(trace_);  // not before: the header is as large when there are many processes
  for (const TrackDescription& group : tree_->groups()) write_descriptor(group);
  const RowsByTrack rows(trace_);
  for (std::uint32_t t = 0; t < trace_.tracks.size() && !stream_.failed(); ++t) {
    write_track(trace::TrackId{t}, rows.of(trace::TrackId{t}));
  }
  return stream_.finish();
}

// A track that never has an event; viewers do not show it.
void PerfettoWriter::write_header() {
  TrackDescription header;
  header.uuid = kHeaderUuid;
  header.name = kHeaderName;
  header.description = header_text(trace_, times_, flow_names_);
  write_descriptor(header);
}

// Viewers count in BOOTTIME. Timestamps of REALTIME need to be told how the two relate: here, that
// they are the same, so that what a viewer shows is the time since the epoch.
void PerfettoWriter::write_clocks(std::uint64_t first_timestamp) {
  stream_.append([&](PacketBuilder& packet) {
    shared::MessageBuilder<ClockSnapshotField> snapshot(packet, PacketField::kClockSnapshot);
    for (const std::uint32_t id : {kRealtimeClock, kBoottimeClock}) {
      shared::MessageBuilder<ClockField> clock(snapshot, ClockSnapshotField::kClocks);
      clock.add_uint32(ClockField::kId, id);
      clock.add_uint64(ClockField::kTimestamp, first_timestamp);
    }
  });
}

void PerfettoWriter::write_descriptor(const TrackDescription& track) {
  stream_.append([&](PacketBuilder& packet) { track.write_to(packet); });
}

void PerfettoWriter::write_track(trace::TrackId track, std::span<const std::uint32_t> rows) {
  track_ = track;
  rank_ = trace_.rank_of(trace_.tracks[trace::index_of(track)]);
  lane_uuids_.clear();
  counter_uuids_.clear();
  std::vector<Slice> slices;
  for (const std::uint32_t row : rows) {
    if (trace_.events.shape[row] != trace::Shape::kSpan) continue;
    slices.push_back({begin_ns(trace_.events, row), end_ns(trace_.events, row), row});
  }
  assign_lanes(std::move(slices), [this](const SliceEdge& edge) { write_edge(edge); });
  for (const std::uint32_t row : rows) {
    if (trace_.events.shape[row] != trace::Shape::kSpan) write_point(row);
  }
}

void PerfettoWriter::write_edge(const SliceEdge& edge) {
  const std::uint64_t uuid = lane_uuid(edge.lane);
  if (edge.is_begin) {
    write_event(edge.time, EventType::kSliceBegin, uuid,
                [&](TrackEventBuilder& event) { encoder_.write_details(event, edge.row); });
  } else {
    write_event(edge.time, EventType::kSliceEnd, uuid, [](TrackEventBuilder&) {});
  }
}

void PerfettoWriter::write_point(std::size_t row) {
  if (trace_.events.shape[row] == trace::Shape::kCounter && write_counter(row)) return;
  write_event(begin_ns(trace_.events, row), EventType::kInstant, lane_uuid(0),
              [&](TrackEventBuilder& event) { encoder_.write_details(event, row); });
}

// One sample for each number among the arguments; the first also carries the other arguments. False
// when there is no number: then it is no counter that a viewer could draw.
bool PerfettoWriter::write_counter(std::size_t row) {
  const auto arguments = trace_.arguments.of(trace::EventId{static_cast<std::uint32_t>(row)});
  bool is_written = false;
  for (const trace::Argument& as_read : arguments) {
    const trace::Argument argument = as_shown(trace_, as_read);
    if (!is_numeric(argument)) continue;
    const std::uint64_t uuid = counter_uuid(trace_.events.name[row], argument.key);
    write_event(begin_ns(trace_.events, row), EventType::kCounter, uuid,
                [&](TrackEventBuilder& event) {
                  if (argument.type == trace::Argument::Type::kReal) {
                    event.add_double(TrackEventField::kDoubleCounterValue, argument.as_real());
                  } else {
                    event.add_int64(TrackEventField::kCounterValue, argument.as_integer());
                  }
                  encoder_.write_category(event, row);
                  if (is_written) return;
                  encoder_.write_counter_facts(event, row);
                  for (const trace::Argument& other : arguments) {
                    if (!is_numeric(as_shown(trace_, other))) encoder_.write_argument(event, other);
                  }
                });
    is_written = true;
  }
  return is_written;
}

// Tracks are described right before their first event, so that lanes need not be counted first.
std::uint64_t PerfettoWriter::lane_uuid(std::uint32_t lane) {
  while (lane_uuids_.size() <= lane) {
    const auto next = static_cast<std::uint32_t>(lane_uuids_.size());
    const TrackDescription description = tree_->lane(track_, next);
    write_descriptor(description);
    lane_uuids_.push_back(description.uuid);
  }
  return lane_uuids_[lane];
}

std::uint64_t PerfettoWriter::counter_uuid(StringId name, StringId key) {
  const std::uint64_t both =
      std::uint64_t{static_cast<std::uint32_t>(name)} << 32 | static_cast<std::uint32_t>(key);
  const auto [entry, is_new] = counter_uuids_.try_emplace(both);
  if (is_new) {
    std::string text(trace_.text(name));
    if (name != key) text.append(" ").append(trace_.text(key));
    const auto number = static_cast<std::uint32_t>(counter_uuids_.size() - 1);
    TrackDescription description = tree_->counter(track_, number, std::move(text));
    description.description = counter_text(trace_.text(name), trace_.text(key));
    write_descriptor(description);
    entry->second = description.uuid;
  }
  return entry->second;
}

template <typename Fill>
void PerfettoWriter::write_event(std::int64_t ns, EventType type, std::uint64_t uuid, Fill&& fill) {
  stream_.append([&](PacketBuilder& packet) {
    packet.add_uint64(PacketField::kTimestamp, times_.timestamp(rank_, ns));
    if (times_.is_epoch(rank_)) packet.add_uint32(PacketField::kTimestampClockId, kRealtimeClock);
    {
      TrackEventBuilder event(packet, PacketField::kTrackEvent);
      event.add_enum(TrackEventField::kType, static_cast<std::int32_t>(type));
      event.add_uint64(TrackEventField::kTrackUuid, uuid);
      fill(event);
    }
    // Fields of a packet have no order: strings defined here are known to its own event.
    if (!interner_.pending().empty()) {
      packet.add_message(PacketField::kInternedData, interner_.pending());
      interner_.clear_pending();
    }
  });
}

}  // namespace

Status write_perfetto(const trace::Trace& trace, io::ByteSink& sink) {
  if (trace.ranks.empty()) return Error{ErrorCode::kInternal, "the trace has no rank", {}, {}};
  return PerfettoWriter(trace, sink).write();
}

}  // namespace lockstep::formats::perfetto
