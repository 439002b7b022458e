// Any bytes through the Chrome-JSON reader: no crash, a consistent trace, and the same trace
// however the bytes are cut and whether arguments are kept. The first byte says how they are cut.
#include "formats/chrome_json/chrome_json_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/chrome_json/trace_dump_for_test.h"
#include "fuzz_check.h"
#include "io/byte_source.h"

namespace lockstep {
namespace {

void check_ids(const Trace& trace) {
  for (const Process& process : trace.processes) {
    LOCKSTEP_FUZZ_CHECK(index_of(process.rank) < trace.ranks.size());
  }
  for (const Track& track : trace.tracks) {
    LOCKSTEP_FUZZ_CHECK(index_of(track.process) < trace.processes.size());
    const bool on_device = track.side == Track::Side::kDevice;
    LOCKSTEP_FUZZ_CHECK(on_device == (track.device != kNoDevice));
    LOCKSTEP_FUZZ_CHECK(!on_device || index_of(track.device) < trace.devices.size());
  }
  for (const Flow& flow : trace.flows) {
    LOCKSTEP_FUZZ_CHECK(index_of(flow.from) < trace.events.size());
    LOCKSTEP_FUZZ_CHECK(index_of(flow.to) < trace.events.size());
    LOCKSTEP_FUZZ_CHECK(flow.from != flow.to);
  }
  for (const Collective& collective : trace.collectives) {
    LOCKSTEP_FUZZ_CHECK(index_of(collective.event) < trace.events.size());
  }
}

void check_events(const Trace& trace) {
  const EventTable& events = trace.events;
  const std::size_t rows = events.size();
  LOCKSTEP_FUZZ_CHECK(events.duration.size() == rows && events.name.size() == rows);
  LOCKSTEP_FUZZ_CHECK(events.category.size() == rows && events.track.size() == rows);
  LOCKSTEP_FUZZ_CHECK(events.kind.size() == rows && events.shape.size() == rows);
  LOCKSTEP_FUZZ_CHECK(events.correlation.size() == rows);
  for (std::size_t i = 0; i < rows; ++i) {
    LOCKSTEP_FUZZ_CHECK(index_of(events.track[i]) < trace.tracks.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.name[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.category[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(events.duration[i].ps >= 0);
    LOCKSTEP_FUZZ_CHECK(events.shape[i] == Shape::kSpan || events.duration[i].ps == 0);
    LOCKSTEP_FUZZ_CHECK(events.start[i].ps >= -kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.end(i).ps <= kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.correlation[i] >= kNoCorrelation);
  }
}

void check_steps(const Trace& trace) {
  for (const Step& step : trace.steps) {
    LOCKSTEP_FUZZ_CHECK(index_of(step.rank) < trace.ranks.size());
    LOCKSTEP_FUZZ_CHECK(step.start <= step.end);
  }
}

std::string read(const std::string& json, const ReadOptions& options) {
  MemorySource source{json};
  Trace trace;
  const Status status = chrome_json_format().read(source, "fuzz", options, trace);
  LOCKSTEP_FUZZ_CHECK(source.raw_bytes_read() == json.size() || !status.ok());
  if (!status.ok()) return status.error().text();
  check_ids(trace);
  check_events(trace);
  check_steps(trace);
  return chrome_json::describe(trace);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const std::string json(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)chrome_json_format().sniff(json, "fuzz");

  ReadOptions whole;
  whole.keep_arguments = (data[0] & 1) != 0 ? KeepArguments::kAll : KeepArguments::kNone;
  whole.chunk_bytes = json.size() + 1;
  ReadOptions cut = whole;
  cut.chunk_bytes = 1 + data[0] / 2;
  LOCKSTEP_FUZZ_CHECK(read(json, whole) == read(json, cut));
  return 0;
}
