// Any bytes through the Perfetto reader: no crash, a consistent trace, the same trace however the
// bytes are cut, and a trace that can be written and read again. The first byte says how they are
// cut.
#include "formats/perfetto/perfetto_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/perfetto/write/perfetto_writer.h"
#include "fuzz_check.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"

namespace lockstep {
namespace {

void check_ids(const Trace& trace) {
  for (const Process& process : trace.processes) {
    LOCKSTEP_FUZZ_CHECK(index_of(process.rank) < trace.ranks.size());
  }
  for (const Device& device : trace.devices) {
    LOCKSTEP_FUZZ_CHECK(index_of(device.rank) < trace.ranks.size());
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
  for (const Step& step : trace.steps) {
    LOCKSTEP_FUZZ_CHECK(index_of(step.rank) < trace.ranks.size());
    LOCKSTEP_FUZZ_CHECK(step.start <= step.end);
  }
}

std::string describe_events(const Trace& trace) {
  const EventTable& events = trace.events;
  std::string text;
  for (std::size_t i = 0; i < events.size(); ++i) {
    LOCKSTEP_FUZZ_CHECK(index_of(events.track[i]) < trace.tracks.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.name[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.category[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(events.duration[i].ps >= 0);
    LOCKSTEP_FUZZ_CHECK(events.shape[i] == Shape::kSpan || events.duration[i].ps == 0);
    LOCKSTEP_FUZZ_CHECK(events.start[i].ps >= -kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.end(i).ps <= kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.correlation[i] >= kNoCorrelation);
    text += std::to_string(events.start[i].ps) + " " + std::to_string(events.duration[i].ps) + " " +
            std::to_string(index_of(events.track[i])) + " " +
            std::string(trace.text(events.name[i])) + "\n";
  }
  return text;
}

std::string read(const std::string& bytes, const ReadOptions& options, Trace& trace) {
  MemorySource source{bytes};
  const Status status = perfetto_format().read(source, "fuzz", options, trace);
  if (!status.ok()) {
    LOCKSTEP_FUZZ_CHECK(trace.ranks.empty() && trace.events.size() == 0);
    return status.error().text();
  }
  check_ids(trace);
  std::string text = describe_events(trace);
  for (const Diagnostic& entry : trace.diagnostics.entries()) {
    text += std::string(entry.kind->name) + " " + std::to_string(entry.count) + "\n";
  }
  return text;
}

// What was read can be written, and is the same number of events when read again.
void check_round_trip(const Trace& trace, const ReadOptions& options) {
  MemorySink sink;
  LOCKSTEP_FUZZ_CHECK(write_perfetto(trace, sink).ok());
  MemorySource source{std::string(sink.bytes())};
  Trace again;
  LOCKSTEP_FUZZ_CHECK(perfetto_format().read(source, "fuzz", options, again).ok());
  LOCKSTEP_FUZZ_CHECK(again.events.size() == trace.events.size());
  LOCKSTEP_FUZZ_CHECK(again.tracks.size() == trace.tracks.size());
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)perfetto_format().sniff(bytes, "fuzz");

  ReadOptions whole;
  whole.keep_arguments = (data[0] & 1) != 0 ? KeepArguments::kAll : KeepArguments::kNone;
  whole.chunk_bytes = bytes.size() + 1;
  ReadOptions cut = whole;
  cut.chunk_bytes = 1 + data[0] / 2;
  Trace trace;
  Trace of_cut;
  const std::string text = read(bytes, whole, trace);
  LOCKSTEP_FUZZ_CHECK(text == read(bytes, cut, of_cut));
  if (!trace.ranks.empty() && whole.keep_arguments == KeepArguments::kAll)
    check_round_trip(trace, whole);
  return 0;
}
