// Any bytes through the XSpace reader: no crash, a consistent trace, the same trace however the
// bytes are cut, and a trace that can be written as XSpace and read again. The first byte says how
// they are cut.
#include "formats/xspace/xspace_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/xspace/write/xspace_writer.h"
#include "fuzz_check.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"
#include "trace_check.h"

namespace lockstep {
namespace {

std::string read(const std::string& bytes, const formats::shared::ReadOptions& options,
                 trace::Trace& trace) {
  io::MemorySource source{bytes};
  const Status status = formats::xspace::xspace_format().read(source, "fuzz", options, trace);
  if (!status.ok()) {
    LOCKSTEP_FUZZ_CHECK(trace.ranks.empty() && trace.events.size() == 0);
    return status.error().text();
  }
  check_trace(trace);
  std::string text;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    text += std::to_string(trace.events.start[i].ps) + " " +
            std::to_string(trace.events.duration[i].ps) + " " +
            std::string(trace.text(trace.events.name[i])) + "\n";
  }
  for (const Diagnostic& entry : trace.diagnostics.entries()) {
    text += std::string(entry.kind->name) + " " + std::to_string(entry.count) + "\n";
  }
  return text;
}

// What was read can be written, and is the same number of events and steps when read again.
void check_round_trip(const trace::Trace& trace, const formats::shared::ReadOptions& options) {
  io::MemorySink sink;
  LOCKSTEP_FUZZ_CHECK(formats::xspace::write_xspace(trace, sink).ok());
  io::MemorySource source{std::string(sink.bytes())};
  trace::Trace again;
  LOCKSTEP_FUZZ_CHECK(formats::xspace::xspace_format().read(source, "fuzz", options, again).ok());
  LOCKSTEP_FUZZ_CHECK(again.events.size() == trace.events.size());
  LOCKSTEP_FUZZ_CHECK(again.ranks.size() == trace.ranks.size());
  LOCKSTEP_FUZZ_CHECK(again.steps.size() == trace.steps.size());
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)formats::xspace::xspace_format().sniff(bytes, "fuzz");

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
