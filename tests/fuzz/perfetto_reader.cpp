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

void check_ids(const trace::Trace& trace) {
  for (const trace::Process& process : trace.processes) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(process.rank) < trace.ranks.size());
  }
  for (const trace::Device& device : trace.devices) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(device.rank) < trace.ranks.size());
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
  for (const trace::Step& step : trace.steps) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(step.rank) < trace.ranks.size());
    LOCKSTEP_FUZZ_CHECK(step.start <= step.end);
  }
}

std::string describe_events(const trace::Trace& trace) {
  const trace::EventTable& events = trace.events;
  std::string text;
  for (std::size_t i = 0; i < events.size(); ++i) {
    LOCKSTEP_FUZZ_CHECK(trace::index_of(events.track[i]) < trace.tracks.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.name[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.category[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(events.duration[i].ps >= 0);
    LOCKSTEP_FUZZ_CHECK(events.shape[i] == trace::Shape::kSpan || events.duration[i].ps == 0);
    LOCKSTEP_FUZZ_CHECK(events.start[i].ps >= -kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.end(i).ps <= kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.correlation[i] >= trace::kNoCorrelation);
    text += std::to_string(events.start[i].ps) + " " + std::to_string(events.duration[i].ps) + " " +
            std::to_string(trace::index_of(events.track[i])) + " " +
            std::string(trace.text(events.name[i])) + "\n";
  }
  return text;
}

std::string read(const std::string& bytes, const formats::shared::ReadOptions& options,
                 trace::Trace& trace) {
  io::MemorySource source{bytes};
  const Status status = formats::perfetto::perfetto_format().read(source, "fuzz", options, trace);
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
void check_round_trip(const trace::Trace& trace, const formats::shared::ReadOptions& options) {
  io::MemorySink sink;
  LOCKSTEP_FUZZ_CHECK(formats::perfetto::write_perfetto(trace, sink).ok());
  io::MemorySource source{std::string(sink.bytes())};
  trace::Trace again;
  LOCKSTEP_FUZZ_CHECK(
      formats::perfetto::perfetto_format().read(source, "fuzz", options, again).ok());
  LOCKSTEP_FUZZ_CHECK(again.events.size() == trace.events.size());
  LOCKSTEP_FUZZ_CHECK(again.tracks.size() == trace.tracks.size());
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)formats::perfetto::perfetto_format().sniff(bytes, "fuzz");

  formats::shared::ReadOptions whole;
  whole.keep_arguments =
      (data[0] & 1) != 0 ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  whole.chunk_bytes = bytes.size() + 1;
  formats::shared::ReadOptions cut = whole;
  cut.chunk_bytes = 1 + data[0] / 2;
  trace::Trace trace;
  trace::Trace of_cut;
  const std::string text = read(bytes, whole, trace);
  LOCKSTEP_FUZZ_CHECK(text == read(bytes, cut, of_cut));
  if (!trace.ranks.empty() && whole.keep_arguments == trace::KeepArguments::kAll)
    check_round_trip(trace, whole);
  return 0;
}
