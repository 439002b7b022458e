// Any bytes through the reader of rocprofv3's JSON: no crash, a consistent trace, and the same
// events whether arguments are kept. The first byte says how the bytes are cut.
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/rocprofv3_json/rocprofv3_json_reader.h"
#include "fuzz_check.h"
#include "io/byte_source.h"
#include "trace_check.h"

namespace lockstep {
namespace {

// How many events there are, or the sentence that says why there is none.
std::string read(const std::string& json, bool keep_arguments, std::size_t chunk_bytes) {
  io::MemorySource source{json};
  formats::shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  options.chunk_bytes = chunk_bytes;
  trace::Trace trace;
  const Status status =
      formats::rocprofv3_json::rocprofv3_json_format().read(source, "fuzz", options, trace);
  check_trace(trace);
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
  (void)formats::rocprofv3_json::rocprofv3_json_format().sniff(json, "fuzz");
  LOCKSTEP_FUZZ_CHECK(read(json, false, 1 + data[0]) == read(json, true, json.size() + 1));
  return 0;
}
