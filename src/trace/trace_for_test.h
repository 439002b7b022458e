// Traces built by hand: a rank, a host thread, devices and streams, events in nanoseconds. What
// tests of all folders build on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace lockstep::trace {

class TestTrace {
 public:
  TestTrace() { add_rank(0); }

  // Later events go to this rank.
  void add_rank(std::optional<std::int64_t> number, Origin origin = {}) {
    Rank rank;
    rank.number = number;
    rank.source = "rank" + std::to_string(trace.ranks.size()) + ".json";
    rank.format = "kineto";
    rank.origin = origin;
    trace.ranks.push_back(rank);
    Process process;
    process.rank = rank_id();
    process.id.text = trace.strings.intern("100");
    trace.processes.push_back(process);
    host = add_host_thread("1");
  }

  TrackId add_host_thread(std::string_view id) {
    Track track;
    track.process = process_id();
    track.id.text = trace.strings.intern(id);
    return add_track(track);
  }

  DeviceId add_device(std::string_view id, std::string_view name = "NVIDIA H200") {
    trace.devices.push_back({rank_id(), trace.strings.intern(id), trace.strings.intern(name)});
    return DeviceId{static_cast<std::uint32_t>(trace.devices.size() - 1)};
  }

  TrackId add_stream(DeviceId device, std::string_view id) {
    Track track;
    track.process = process_id();
    track.side = Track::Side::kDevice;
    track.device = device;
    track.id.text = trace.strings.intern(id);
    track.name = trace.strings.intern("stream " + std::string(id));
    return add_track(track);
  }

  EventId add(TrackId track, Kind kind, std::string_view name, std::int64_t start_ns,
              std::int64_t duration_ns, std::int64_t correlation = kNoCorrelation,
              std::string_view category = "") {
    return add_ps(track, kind, name, start_ns * kPicosecondsPerNanosecond,
                  duration_ns * kPicosecondsPerNanosecond, correlation, category);
  }

  EventId add_ps(TrackId track, Kind kind, std::string_view name, std::int64_t start_ps,
                 std::int64_t duration_ps, std::int64_t correlation = kNoCorrelation,
                 std::string_view category = "") {
    Event event;
    event.start = {start_ps};
    event.duration = {duration_ps};
    event.name = trace.strings.intern(name);
    event.category = trace.strings.intern(category);
    event.track = track;
    event.kind = kind;
    event.correlation = correlation;
    return trace.events.add(event);
  }

  EventId add_instant(TrackId track, Kind kind, std::string_view name, std::int64_t at_ns) {
    Event event;
    event.start = {at_ns * kPicosecondsPerNanosecond};
    event.name = trace.strings.intern(name);
    event.track = track;
    event.kind = kind;
    event.shape = Shape::kInstant;
    return trace.events.add(event);
  }

  // A host call and the kernel that it launched, joined by correlation and flow.
  EventId launch(TrackId stream, std::string_view kernel, std::int64_t call_ns,
                 std::int64_t start_ns, std::int64_t duration_ns, std::int64_t correlation) {
    const EventId call = add(host, Kind::kRuntimeCall, "cudaLaunchKernel", call_ns, 5, correlation);
    const EventId work = add(stream, Kind::kKernel, kernel, start_ns, duration_ns, correlation);
    trace.flows.push_back({call, work, Flow::Kind::kLaunch, {}});
    return work;
  }

  void add_step(std::string_view name, std::int64_t start_ns, std::int64_t end_ns) {
    trace.steps.push_back({trace.strings.intern(name), rank_id(),
                           Time{start_ns * kPicosecondsPerNanosecond},
                           Time{end_ns * kPicosecondsPerNanosecond}});
  }

  Trace trace;
  TrackId host{};  // the first host thread of the latest rank

 private:
  [[nodiscard]] RankId rank_id() const {
    return RankId{static_cast<std::uint32_t>(trace.ranks.size() - 1)};
  }
  [[nodiscard]] ProcessId process_id() const {
    return ProcessId{static_cast<std::uint32_t>(trace.processes.size() - 1)};
  }
  TrackId add_track(const Track& track) {
    trace.tracks.push_back(track);
    return TrackId{static_cast<std::uint32_t>(trace.tracks.size() - 1)};
  }
};

}  // namespace lockstep::trace
