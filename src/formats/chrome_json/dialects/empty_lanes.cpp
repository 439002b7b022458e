// Forgetting of tracks and processes.
//
// Rows name their tracks and tracks their processes: both are numbered anew.
#include "formats/chrome_json/dialects/empty_lanes.h"

#include <cstdint>
#include <vector>

namespace lockstep::formats::chrome_json {
namespace {

void drop_empty_tracks(trace::Trace& trace, const RankStart& start) {
  std::vector<bool> has_events(trace.tracks.size());
  for (std::size_t i = start.row; i < trace.events.size(); ++i) {
    has_events[index_of(trace.events.track[i])] = true;
  }
  std::vector<trace::TrackId> new_track(trace.tracks.size());
  std::size_t tracks = start.track;
  for (std::size_t t = start.track; t < trace.tracks.size(); ++t) {
    if (!has_events[t]) continue;
    new_track[t] = trace::TrackId{static_cast<std::uint32_t>(tracks)};
    trace.tracks[tracks++] = trace.tracks[t];
  }
  trace.tracks.resize(tracks);
  for (std::size_t i = start.row; i < trace.events.size(); ++i) {
    trace.events.track[i] = new_track[index_of(trace.events.track[i])];
  }
}

void drop_empty_processes(trace::Trace& trace, const RankStart& start) {
  std::vector<bool> has_tracks(trace.processes.size());
  for (std::size_t t = start.track; t < trace.tracks.size(); ++t) {
    has_tracks[index_of(trace.tracks[t].process)] = true;
  }
  std::vector<trace::ProcessId> new_process(trace.processes.size());
  std::size_t processes = start.process;
  for (std::size_t p = start.process; p < trace.processes.size(); ++p) {
    if (!has_tracks[p]) continue;
    new_process[p] = trace::ProcessId{static_cast<std::uint32_t>(processes)};
    trace.processes[processes++] = trace.processes[p];
  }
  trace.processes.resize(processes);
  for (std::size_t t = start.track; t < trace.tracks.size(); ++t) {
    trace.tracks[t].process = new_process[index_of(trace.tracks[t].process)];
  }
}

}  // namespace

void drop_empty_lanes(MappedFile& file) {
  drop_empty_tracks(file.trace, file.start);
  drop_empty_processes(file.trace, file.start);
}

}  // namespace lockstep::formats::chrome_json
