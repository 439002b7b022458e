// Makes small traces by hand, for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perfetto/write/perfetto_writer.h"
#include "io/byte_sink.h"
#include "replay.h"
#include "trace/trace.h"

namespace lockstep_test {

class TraceMaker {
 public:
  TraceMaker() { add_rank({}, {1'000, lockstep::Clock::kUnknown}); }

  // Further tracks belong to it.
  void add_rank(std::optional<std::int64_t> number, lockstep::Origin origin) {
    if (trace.ranks.size() == 1 && trace.processes.empty()) trace.ranks.clear();
    trace.ranks.push_back({number, "", "kineto", origin, {}});
  }

  lockstep::trace::TrackId add_thread(std::string_view pid, std::string_view tid,
                                      std::string_view name = {}) {
    lockstep::trace::Track track;
    track.process = process(pid);
    track.id = {text(tid), true};
    track.name = text(name);
    return add_track(track);
  }

  lockstep::trace::TrackId add_stream(std::string_view device, std::string_view stream,
                                      std::string_view device_name = {},
                                      std::string_view name = {}) {
    lockstep::trace::Track track;
    track.process = process(device);
    track.side = lockstep::trace::Track::Side::kDevice;
    trace.devices.push_back({last_rank(), text(device), text(device_name)});
    track.device = lockstep::trace::DeviceId{static_cast<std::uint32_t>(trace.devices.size() - 1)};
    track.id = {text(stream), true};
    track.name = text(name);
    return add_track(track);
  }

  lockstep::trace::EventId add_span(lockstep::trace::TrackId track, std::string_view name,
                                    std::int64_t start_ps, std::int64_t duration_ps) {
    return add({{start_ps}, {duration_ps}, text(name), {}, track, lockstep::trace::Kind::kKernel});
  }

  lockstep::trace::EventId add(const lockstep::trace::Event& event) {
    return trace.events.add(event);
  }

  void add_flow(lockstep::trace::EventId from, lockstep::trace::EventId to,
                lockstep::trace::Flow::Kind kind) {
    trace.flows.push_back({from, to, kind, {}});
  }

  lockstep::StringId text(std::string_view text) { return trace.strings.intern(text); }

  [[nodiscard]] ShownTrace shown() const {
    lockstep::io::MemorySink sink;
    const lockstep::Status status = lockstep::formats::perfetto::write_perfetto(trace, sink);
    ShownTrace result = show(sink.bytes());
    if (!status.ok()) result.faults.push_back(status.error().text());
    return result;
  }

  lockstep::trace::Trace trace;

 private:
  lockstep::trace::RankId last_rank() {
    return lockstep::trace::RankId{static_cast<std::uint32_t>(trace.ranks.size() - 1)};
  }

  lockstep::trace::ProcessId process(std::string_view id) {
    const lockstep::trace::FileId file_id{text(id), true};
    for (std::uint32_t p = 0; p < trace.processes.size(); ++p) {
      const lockstep::trace::Process& known = trace.processes[p];
      if (known.rank == last_rank() && known.id == file_id) return lockstep::trace::ProcessId{p};
    }
    trace.processes.push_back({last_rank(), file_id, text("python3"), text("CPU"), 5});
    return lockstep::trace::ProcessId{static_cast<std::uint32_t>(trace.processes.size() - 1)};
  }

  lockstep::trace::TrackId add_track(const lockstep::trace::Track& track) {
    trace.tracks.push_back(track);
    return lockstep::trace::TrackId{static_cast<std::uint32_t>(trace.tracks.size() - 1)};
  }
};

}  // namespace lockstep_test
