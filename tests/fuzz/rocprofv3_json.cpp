// Any bytes through the reader of rocprofv3's JSON: no crash, a consistent trace, and the same
// events whether arguments are kept. The first byte says how the bytes are cut.
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/rocprofv3_json/rocprofv3_json_reader.h"
#include "fuzz_check.h"
#include "io/byte_source.h"

namespace lockstep {
namespace {

void check(const Trace& trace) {
  const EventTable& events = trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    LOCKSTEP_FUZZ_CHECK(index_of(events.track[i]) < trace.tracks.size());
    LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(events.name[i]) < trace.strings.size());
    LOCKSTEP_FUZZ_CHECK(events.duration[i].ps >= 0);
    LOCKSTEP_FUZZ_CHECK(events.start[i].ps >= -kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.end(i).ps <= kMaxDistanceFromOriginPs);
    LOCKSTEP_FUZZ_CHECK(events.correlation[i] >= kNoCorrelation);
  }
  for (const Track& track : trace.tracks) {
    LOCKSTEP_FUZZ_CHECK(index_of(track.process) < trace.processes.size());
    const bool on_device = track.side == Track::Side::kDevice;
    LOCKSTEP_FUZZ_CHECK(on_device == (track.device != kNoDevice));
    LOCKSTEP_FUZZ_CHECK(!on_device || index_of(track.device) < trace.devices.size());
  }
  for (const Process& process : trace.processes) {
    LOCKSTEP_FUZZ_CHECK(index_of(process.rank) < trace.ranks.size());
  }
  for (const Flow& flow : trace.flows) {
    LOCKSTEP_FUZZ_CHECK(index_of(flow.from) < events.size() && index_of(flow.to) < events.size());
  }
}

// How many events there are, or the sentence that says why there is none.
std::string read(const std::string& json, bool keep_arguments, std::size_t chunk_bytes) {
  MemorySource source{json};
  ReadOptions options;
  options.keep_arguments = keep_arguments;
  options.chunk_bytes = chunk_bytes;
  Trace trace;
  const Status status = rocprofv3_json_format().read(source, "fuzz", options, trace);
  check(trace);
  if (!status.ok()) {
    LOCKSTEP_FUZZ_CHECK(trace.ranks.empty());
    return status.error().text();
  }
  return std::to_string(trace.events.size());
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const std::string json(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)rocprofv3_json_format().sniff(json, "fuzz");
  LOCKSTEP_FUZZ_CHECK(read(json, false, 1 + data[0]) == read(json, true, json.size() + 1));
  return 0;
}
