// A small viewer of Perfetto files, for tests.
#include "replay.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include <google/protobuf/unknown_field_set.h>

namespace lockstep_test {
namespace {

using perfetto::DebugAnnotation;
using perfetto::InternedData;
using perfetto::TracePacket;
using perfetto::TrackEvent;
using Strings = std::map<std::uint64_t, std::string>;

// Finds fields that the .proto does not know, at any depth.
bool has_unknown_fields(const google::protobuf::Message& message) {
  const auto* reflection = message.GetReflection();
  if (!reflection->GetUnknownFields(message).empty()) return true;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      if (has_unknown_fields(reflection->GetMessage(message, field))) return true;
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      if (has_unknown_fields(reflection->GetRepeatedMessage(message, field, i))) return true;
    }
  }
  return false;
}

class Viewer {
 public:
  ShownTrace show(std::string_view bytes) {
    perfetto::Trace trace;
    if (!trace.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) fault("not protobuf");
    if (has_unknown_fields(trace)) fault("unknown field");
    for (const TracePacket& packet : trace.packet()) take_packet(packet);
    std::ranges::sort(events_, {}, [](const ResolvedEvent& event) {
      return std::pair(event.timestamp, event.place);
    });
    for (const ResolvedEvent& event : events_) replay(event);
    for (const auto& [uuid, stack] : open_) {
      if (!stack.empty()) fault("a slice never ends");
    }
    return std::move(shown_);
  }

 private:
  struct ResolvedEvent {
    std::uint64_t timestamp = 0;
    std::size_t place = 0;  // in the file, which decides at equal times
    TrackEvent::Type type{};
    ShownEvent event;
    std::optional<Value> value;
  };

  void fault(std::string what) { shown_.faults.push_back(std::move(what)); }

  void take_packet(const TracePacket& packet) {
    const bool is_first = !std::exchange(seen_packet_, true);
    const auto expected = is_first ? TracePacket::SEQ_INCREMENTAL_STATE_CLEARED
                                   : TracePacket::SEQ_NEEDS_INCREMENTAL_STATE;
    if (packet.sequence_flags() != static_cast<std::uint32_t>(expected)) fault("wrong flags");
    if (packet.first_packet_on_sequence() != is_first) fault("wrong first packet");
    if (packet.trusted_packet_sequence_id() == 0) fault("no sequence");
    if (packet.has_interned_data()) take_strings(packet.interned_data());
    if (packet.has_clock_snapshot()) take_clocks(packet.clock_snapshot());
    if (packet.has_track_descriptor()) take_track(packet.track_descriptor());
    if (packet.has_track_event()) take_event(packet);
  }

  void take_strings(const InternedData& data) {
    define(categories_, data.event_categories());
    define(names_, data.event_names());
    define(annotation_names_, data.debug_annotation_names());
    define(annotation_strings_, data.debug_annotation_string_values());
  }

  template <typename Entries>
  void define(Strings& strings, const Entries& entries) {
    for (const auto& entry : entries) {
      if (entry.iid() == 0) fault("iid 0");
      if (!strings.emplace(entry.iid(), entry.str()).second) fault("iid defined twice");
    }
  }

  const std::string& look_up(const Strings& strings, std::uint64_t iid) {
    static const std::string kNothing;
    const auto entry = strings.find(iid);
    if (entry != strings.end()) return entry->second;
    fault("iid used before its definition");
    return kNothing;
  }

  void take_clocks(const perfetto::ClockSnapshot& snapshot) {
    for (const auto& clock : snapshot.clocks()) clocks_[clock.clock_id()] = clock.timestamp();
  }

  void take_track(const perfetto::TrackDescriptor& track) {
    if (track.uuid() == 0) fault("track without uuid");
    if (!shown_.tracks.emplace(track.uuid(), track).second) fault("track described twice");
    if (track.has_parent_uuid() && !shown_.tracks.contains(track.parent_uuid())) {
      fault("unknown parent");
    }
    if (track.has_process() && !pids_.insert(track.process().pid()).second) fault("pid twice");
    if (track.has_thread()) {
      if (!tids_.insert(track.thread().tid()).second) fault("tid twice");
      if (!pids_.contains(track.thread().pid())) fault("thread without process");
    }
  }

  // Timestamps are shown in BOOTTIME (6), which is also what a packet without a clock counts in.
  std::uint64_t shown_time(const TracePacket& packet) {
    const std::uint32_t clock = packet.has_timestamp_clock_id() ? packet.timestamp_clock_id() : 6;
    if (clock == 6) return packet.timestamp();
    if (!clocks_.contains(clock) || !clocks_.contains(6)) fault("clock without snapshot");
    return packet.timestamp() - clocks_[clock] + clocks_[6];
  }

  void take_event(const TracePacket& packet) {
    const TrackEvent& event = packet.track_event();
    if (!packet.has_timestamp()) fault("event without time");
    ResolvedEvent resolved;
    resolved.timestamp = shown_time(packet);
    resolved.place = events_.size();
    resolved.type = event.type();
    ShownEvent& shown = resolved.event;
    shown.begin = shown.end = resolved.timestamp;
    shown.track_uuid = event.track_uuid();
    if (event.has_name_iid()) shown.name = look_up(names_, event.name_iid());
    if (event.has_name()) fault("name is not interned");
    for (const auto iid : event.category_iids()) shown.category += look_up(categories_, iid);
    for (const DebugAnnotation& annotation : event.debug_annotations()) {
      const std::string& key = look_up(annotation_names_, annotation.name_iid());
      if (!shown.arguments.emplace(key, value_of(annotation)).second) fault("argument twice");
    }
    shown.flow_ids.assign(event.flow_ids().begin(), event.flow_ids().end());
    if (event.has_counter_value()) resolved.value = std::int64_t{event.counter_value()};
    if (event.has_double_counter_value()) resolved.value = event.double_counter_value();
    events_.push_back(std::move(resolved));
  }

  Value value_of(const DebugAnnotation& annotation) {
    if (annotation.dict_entries_size() > 0) {
      std::string text;
      for (const DebugAnnotation& entry : annotation.dict_entries()) {
        const Value value = value_of(entry);
        const auto* number = std::get_if<std::int64_t>(&value);
        text += look_up(annotation_names_, entry.name_iid()) + "=" +
                (number != nullptr ? std::to_string(*number) : std::get<std::string>(value)) + " ";
      }
      return text;
    }
    switch (annotation.value_case()) {
      case DebugAnnotation::kBoolValue:
        return annotation.bool_value();
      case DebugAnnotation::kIntValue:
        return std::int64_t{annotation.int_value()};
      case DebugAnnotation::kDoubleValue:
        return annotation.double_value();
      case DebugAnnotation::kLegacyJsonValue:
        return "json:" + annotation.legacy_json_value();
      case DebugAnnotation::kStringValueIid:
        return look_up(annotation_strings_, annotation.string_value_iid());
      default:
        fault("annotation without value");
        return false;
    }
  }

  void replay(const ResolvedEvent& event) {
    const std::uint64_t uuid = event.event.track_uuid;
    if (!shown_.tracks.contains(uuid)) fault("event on an unknown track");
    const bool is_counter_track = shown_.tracks[uuid].has_counter();
    if (is_counter_track != (event.type == TrackEvent::TYPE_COUNTER)) fault("wrong kind of track");
    std::vector<std::size_t>& stack = open_[uuid];
    switch (event.type) {
      case TrackEvent::TYPE_SLICE_BEGIN:
        shown_.slices.push_back(event.event);
        shown_.slices.back().depth = stack.size();
        stack.push_back(shown_.slices.size() - 1);
        return;
      case TrackEvent::TYPE_SLICE_END:
        if (stack.empty()) return fault("an end without a begin");
        shown_.slices[stack.back()].end = event.timestamp;
        stack.pop_back();
        return;
      case TrackEvent::TYPE_INSTANT:
        shown_.instants.push_back(event.event);
        return;
      case TrackEvent::TYPE_COUNTER:
        if (!event.value) return fault("a sample without a value");
        shown_.samples.push_back({event.timestamp, uuid, *event.value, event.event.arguments});
        return;
      default:
        return fault("unknown type of event");
    }
  }

  ShownTrace shown_;
  bool seen_packet_ = false;
  Strings categories_;
  Strings names_;
  Strings annotation_names_;
  Strings annotation_strings_;
  std::map<std::uint32_t, std::uint64_t> clocks_;
  std::set<std::int64_t> pids_;
  std::set<std::int64_t> tids_;
  std::vector<ResolvedEvent> events_;
  std::map<std::uint64_t, std::vector<std::size_t>> open_;  // slices by track, innermost last
};

}  // namespace

const ShownEvent& ShownTrace::slice(std::string_view name) const {
  const auto found = std::ranges::find(slices, name, &ShownEvent::name);
  if (found == slices.end() || std::ranges::count(slices, name, &ShownEvent::name) != 1) {
    throw std::runtime_error("not exactly one slice is named " + std::string(name));
  }
  return *found;
}

const perfetto::TrackDescriptor& ShownTrace::track_of(const ShownEvent& event) const {
  return tracks.at(event.track_uuid);
}

std::string ShownTrace::path_of(std::uint64_t track_uuid) const {
  const perfetto::TrackDescriptor& track = tracks.at(track_uuid);
  if (!track.has_parent_uuid()) return track.name();
  return path_of(track.parent_uuid()) + "/" + track.name();
}

ShownTrace show(std::string_view bytes) { return Viewer().show(bytes); }

}  // namespace lockstep_test
