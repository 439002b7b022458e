// Makes Perfetto files packet by packet with protobuf's own code, and reads them, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "formats/perfetto/perfetto_reader.h"
#include "io/byte_source.h"
#include "perfetto_subset.pb.h"
#include "trace/trace.h"

namespace lockstep_test {

using PacketType = perfetto::TrackEvent::Type;

class PacketMaker {
 public:
  perfetto::Trace trace;

  // A packet of sequence 1; the first one starts its state.
  perfetto::TracePacket& packet() {
    perfetto::TracePacket& made = *trace.add_packet();
    made.set_trusted_packet_sequence_id(1);
    if (trace.packet_size() == 1) made.set_sequence_flags(1);
    return made;
  }

  perfetto::TrackDescriptor& track(std::uint64_t uuid, std::string_view name,
                                   std::uint64_t parent = 0) {
    perfetto::TrackDescriptor& made = *packet().mutable_track_descriptor();
    made.set_uuid(uuid);
    if (!name.empty()) made.set_name(std::string(name));
    if (parent != 0) made.set_parent_uuid(parent);
    return made;
  }

  void process(std::uint64_t uuid, int pid, std::string_view name) {
    perfetto::ProcessDescriptor& made = *track(uuid, "").mutable_process();
    made.set_pid(pid);
    made.set_process_name(std::string(name));
  }

  void thread(std::uint64_t uuid, int pid, int tid, std::string_view name,
              std::uint64_t parent = 0) {
    perfetto::ThreadDescriptor& made = *track(uuid, "", parent).mutable_thread();
    made.set_pid(pid);
    made.set_tid(tid);
    made.set_thread_name(std::string(name));
  }

  perfetto::TrackEvent& event(PacketType type, std::uint64_t track, std::uint64_t time,
                              std::string_view name = {}, std::string_view category = {}) {
    perfetto::TracePacket& made = packet();
    made.set_timestamp(time);
    perfetto::TrackEvent& event = *made.mutable_track_event();
    event.set_type(type);
    event.set_track_uuid(track);
    if (!name.empty()) event.set_name(std::string(name));
    if (!category.empty()) event.add_categories(std::string(category));
    return event;
  }

  perfetto::TrackEvent& begin(std::uint64_t track, std::uint64_t time, std::string_view name,
                              std::string_view category = {}) {
    return event(perfetto::TrackEvent::TYPE_SLICE_BEGIN, track, time, name, category);
  }
  perfetto::TrackEvent& end(std::uint64_t track, std::uint64_t time) {
    return event(perfetto::TrackEvent::TYPE_SLICE_END, track, time);
  }
  // Returns the begin, which stays where it is.
  perfetto::TrackEvent& slice(std::uint64_t track, std::uint64_t from, std::uint64_t to,
                              std::string_view name, std::string_view category = {}) {
    perfetto::TrackEvent& begun = begin(track, from, name, category);
    end(track, to);
    return begun;
  }

  void clocks(std::initializer_list<std::pair<std::uint32_t, std::uint64_t>> readings) {
    perfetto::ClockSnapshot& made = *packet().mutable_clock_snapshot();
    for (const auto& [clock, time] : readings) {
      perfetto::ClockSnapshot::Clock& reading = *made.add_clocks();
      reading.set_clock_id(clock);
      reading.set_timestamp(time);
    }
  }

  [[nodiscard]] std::string bytes() const { return trace.SerializeAsString(); }
};

inline void annotate(perfetto::TrackEvent& event, std::string_view name, std::int64_t value) {
  perfetto::DebugAnnotation& made = *event.add_debug_annotations();
  made.set_name(std::string(name));
  made.set_int_value(value);
}

inline void annotate(perfetto::TrackEvent& event, std::string_view name, std::string_view value) {
  perfetto::DebugAnnotation& made = *event.add_debug_annotations();
  made.set_name(std::string(name));
  made.set_string_value(std::string(value));
}

// A trace that was read, with words for what tests ask of it.
struct ReadTrace {
  lockstep::trace::Trace trace;
  lockstep::Status status;

  explicit ReadTrace(std::string bytes, bool keep_arguments = true, std::size_t chunk = 100) {
    lockstep::io::MemorySource source(std::move(bytes));
    lockstep::formats::shared::ReadOptions options;
    options.keep_arguments = keep_arguments ? lockstep::trace::KeepArguments::kAll
                                            : lockstep::trace::KeepArguments::kNone;
    options.chunk_bytes = chunk;
    status =
        lockstep::formats::perfetto::perfetto_format().read(source, "test.pftrace", options, trace);
  }
  explicit ReadTrace(const PacketMaker& maker) : ReadTrace(maker.bytes()) {}

  [[nodiscard]] std::size_t size() const { return trace.events.size(); }
  [[nodiscard]] std::string name(std::size_t row) const {
    return std::string(trace.text(trace.events.name[row]));
  }
  // The first row of that name, or the number of rows.
  [[nodiscard]] std::size_t row(std::string_view name) const {
    std::size_t i = 0;
    while (i < size() && trace.text(trace.events.name[i]) != name) ++i;
    return i;
  }
  [[nodiscard]] std::int64_t start_ns(std::string_view name) const {
    return trace.ranks[0].origin.ns + lockstep::floor_ns(trace.events.start[row(name)]);
  }
  [[nodiscard]] std::int64_t duration_ns(std::string_view name) const {
    return lockstep::floor_ns(trace.events.duration[row(name)]);
  }
  [[nodiscard]] lockstep::trace::Kind kind(std::string_view name) const {
    return trace.events.kind[row(name)];
  }
  // "host 4711/4712" or "device 4711/4/0": process, device, track.
  [[nodiscard]] std::string place(std::string_view name) const {
    const lockstep::trace::Track& track = trace.track_of(row(name));
    std::string text = track.side == lockstep::trace::Track::Side::kHost ? "host " : "device ";
    text += trace.text(trace.processes[index_of(track.process)].id.text);
    if (track.side == lockstep::trace::Track::Side::kDevice) {
      text.append("/").append(trace.text(trace.devices[index_of(track.device)].id));
    }
    return text.append("/").append(trace.text(track.id.text));
  }
  // An argument as text; strings in quotes.
  [[nodiscard]] std::string argument(std::string_view name, std::string_view key) const {
    const auto id = lockstep::trace::EventId{static_cast<std::uint32_t>(row(name))};
    for (const lockstep::trace::Argument& argument : trace.arguments.of(id)) {
      if (trace.text(argument.key) != key) continue;
      switch (argument.type) {
        case lockstep::trace::Argument::Type::kInteger:
          return std::to_string(argument.as_integer());
        case lockstep::trace::Argument::Type::kReal:
          return std::to_string(argument.as_real());
        case lockstep::trace::Argument::Type::kBoolean:
          return argument.as_boolean() ? "true" : "false";
        case lockstep::trace::Argument::Type::kString:
          return "'" + std::string(trace.text(argument.as_string())) + "'";
        case lockstep::trace::Argument::Type::kJson:
          return std::string(trace.text(argument.as_string()));
      }
    }
    return "none";
  }
  [[nodiscard]] std::uint64_t count_of(std::string_view diagnostic) const {
    std::uint64_t count = 0;
    for (const lockstep::Diagnostic& entry : trace.diagnostics.entries()) {
      if (entry.kind->name == diagnostic) count += entry.count;
    }
    return count;
  }
  // "launch>kernel" for every flow, "other" ones with a tilde.
  [[nodiscard]] std::vector<std::string> flows() const {
    std::vector<std::string> texts;
    for (const lockstep::trace::Flow& flow : trace.flows) {
      texts.push_back(name(index_of(flow.from)) +
                      (flow.kind == lockstep::trace::Flow::Kind::kLaunch ? ">" : "~") +
                      name(index_of(flow.to)));
    }
    return texts;
  }
};

}  // namespace lockstep_test
