// Any bytes as a table or a communication.json of an Ascend profile: no crash, a consistent trace,
// and the same trace however the bytes are cut. The first byte says how they are cut.
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/ascend_text/ascend_text_reader.h"
#include "formats/chrome_json/trace_dump_for_test.h"
#include "fuzz_check.h"
#include "io/byte_source.h"
#include "trace_check.h"

namespace lockstep {
namespace {

std::string read(const std::string& text, const formats::shared::ReadOptions& options) {
  io::MemorySource source{text};
  trace::Trace trace;
  const Status status =
      formats::ascend_text::ascend_text_format().read(source, "fuzz", options, trace);
  if (!status.ok()) {
    LOCKSTEP_FUZZ_CHECK(trace.ranks.empty() && trace.tracks.empty());
    return status.error().text();
  }
  check_trace(trace);
  return formats::chrome_json::describe(trace);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)formats::ascend_text::ascend_text_format().sniff(text, "fuzz");

  formats::shared::ReadOptions whole;
  whole.keep_arguments =
      (data[0] & 1) != 0 ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  whole.chunk_bytes = text.size() + 1;
  formats::shared::ReadOptions cut = whole;
  cut.chunk_bytes = 1 + data[0] / 2;
  LOCKSTEP_FUZZ_CHECK(read(text, whole) == read(text, cut));
  return 0;
}
