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

void check_ids(const trace::Trace& trace) {
  for (const trace::Process& process : trace.processes) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(process.rank) < trace.ranks.size());
  }
  for (const trace::Track& track : trace.tracks) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(track.process) < trace.processes.size());
    const bool on_device = track.side == trace::Track::Side::kDevice;
    LOCKSTEP_FUZZ_CHECK(on_device == (track.device != trace::kNoDevice));
    LOCKSTEP_FUZZ_CHECK(!on_device || trace::index_of(track.device) < trace.devices.size());
  }
  for (const trace::Flow& flow : trace.flows) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(flow.from) < trace.events.size());
    LOCKSTEP_FUZZ_CHECK(trace::index_of(flow.to) < trace.events.size());
    LOCKSTEP_FUZZ_CHECK(flow.from != flow.to);
  }
  for (const trace::Collective& collective : trace.collectives) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(collective.event) < trace.events.size());
  }
}

void check_events(const trace::Trace& trace) {
  const trace::EventTable& events = trace.events;
  const std::size_t rows = events.size();
  LOCKSTEP_FUZZ_CHECK(events.duration.size() == rows && events.name.size() == rows);
  LOCKSTEP_FUZZ_CHECK(events.category.size() == rows && events.track.size() == rows);
  LOCKSTEP_FUZZ_CHECK(events.kind.size() == rows && events.shape.size() == rows);
  LOCKSTEP_FUZZ_CHECK(events.correlation.size() == rows);
  for (std::size_t i = 0; i < rows; ++i) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(events.track[i]) < trace.tracks.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.name[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.category[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(events.duration[i].ps >= 0);
    LOCKSTEP_FUZZ_CHECK(events.shape[i] == trace::Shape::kSpan || events.duration[i].ps == 0);
    LOCKSTEP_FUZZ_CHECK(events.start[i].ps >= -kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.end(i).ps <= kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.correlation[i] >= trace::kNoCorrelation);
  }
}

void check_steps(const trace::Trace& trace) {
  for (const trace::Step& step : trace.steps) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(step.rank) < trace.ranks.size());
    LOCKSTEP_FUZZ_CHECK(step.start <= step.end);
  }
}

std::string read(const std::string& json, const formats::shared::ReadOptions& options) {
  io::MemorySource source{json};
  trace::Trace trace;
  const Status status =
      formats::chrome_json::chrome_json_format().read(source, "fuzz", options, trace);
  LOCKSTEP_FUZZ_CHECK(source.raw_bytes_read() == json.size() || !status.ok());
  if (!status.ok()) return status.error().text();
  check_ids(trace);
  check_events(trace);
  check_steps(trace);
  return formats::chrome_json::describe(trace);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const std::string json(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)formats::chrome_json::chrome_json_format().sniff(json, "fuzz");

  formats::shared::ReadOptions whole;
  whole.keep_arguments =
      (data[0] & 1) != 0 ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  whole.chunk_bytes = json.size() + 1;
  formats::shared::ReadOptions cut = whole;
  cut.chunk_bytes = 1 + data[0] / 2;
  LOCKSTEP_FUZZ_CHECK(read(json, whole) == read(json, cut));
  return 0;
}
