// Any trace through every writer and back: what each format promises to carry is the same. The
// first byte says where the trace comes from: the bytes as events (made_trace_for_test.h), or a
// reader.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/chrome_json/chrome_json_reader.h"
#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/write/chrome_json_writer.h"
#include "formats/perfetto/perfetto_reader.h"
#include "formats/perfetto/write/perfetto_writer.h"
#include "formats/xspace/write/xspace_writer.h"
#include "formats/xspace/xspace_reader.h"
#include "fuzz_check.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"
#include "made_trace_for_test.h"
#include "model_text.h"
#include "trace_check.h"

namespace lockstep {
namespace {

std::optional<trace::Trace> read(const formats::shared::Format& format, std::string bytes) {
  io::MemorySource source{std::move(bytes)};
  formats::shared::ReadOptions options;
  options.keep_arguments = trace::KeepArguments::kAll;
  trace::Trace trace;
  if (!format.read(source, "fuzz", options, trace).ok()) return std::nullopt;
  return trace;
}

trace::Trace again(const trace::Trace& trace, Status (*write)(const trace::Trace&, io::ByteSink&),
                   const formats::shared::Format& format) {
  io::MemorySink sink;
  LOCKSTEP_FUZZ_CHECK(write(trace, sink).ok());
  std::optional<trace::Trace> back = read(format, std::string(sink.bytes()));
  LOCKSTEP_FUZZ_CHECK(back.has_value());
  check_trace(*back);
  return std::move(*back);
}

void check_no_loss(const trace::Trace& after) {
  // An argument that joins events is kept as it is, also where it is not of the type that it must
  // be; so are values of the root object.
  for (const Diagnostic& entry : after.diagnostics.entries()) {
    LOCKSTEP_FUZZ_CHECK(entry.kind->severity == Severity::kInfo ||
                        entry.kind == &formats::chrome_json::kWrongType ||
                        entry.kind == &formats::chrome_json::kUnreadHeader);
  }
}

void check_same(std::string_view format, const trace::Trace& before, const trace::Trace& after,
                ModelText::Of of) {
  const ModelText expected(before, of);
  const ModelText found(after, of);
  for (std::size_t i = 0; i < std::max(expected.lines().size(), found.lines().size()); ++i) {
    const std::string left = i < expected.lines().size() ? expected.lines()[i] : "";
    const std::string right = i < found.lines().size() ? found.lines()[i] : "";
    if (left == right) continue;
    std::fprintf(stderr, "%s\nbefore: %s\nafter:  %s\n", std::string(format).c_str(), left.c_str(),
                 right.c_str());
    LOCKSTEP_FUZZ_CHECK(left == right);
  }
  check_no_loss(after);
}

// Chrome JSON promises all events in their order with the exact distance of their times; where an
// origin would not be read back all of them move by whole seconds. Steps that no event marks follow
// as events of their own.
void check_same_events(const trace::Trace& before, const trace::Trace& after) {
  const trace::EventTable& a = before.events;
  const trace::EventTable& b = after.events;
  LOCKSTEP_FUZZ_CHECK(a.size() <= b.size() && b.size() - a.size() <= before.steps.size());
  const WideTime moved =
      (WideTime{after.ranks[0].origin.ns} - before.ranks[0].origin.ns) * kPicosecondsPerNanosecond;
  std::optional<WideTime> shift;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const WideTime by = moved + b.start[i].ps - a.start[i].ps;
    if (!shift) shift = by;
    LOCKSTEP_FUZZ_CHECK(by == *shift && by % 1'000'000'000'000 == 0);
    LOCKSTEP_FUZZ_CHECK(a.duration[i] == b.duration[i] && a.shape[i] == b.shape[i]);
    LOCKSTEP_FUZZ_CHECK(valid_utf8(before.text(a.name[i])) == after.text(b.name[i]));
  }
  check_no_loss(after);
}

void check_trips(const trace::Trace& trace) {
  check_same("perfetto", trace,
             again(trace, formats::perfetto::write_perfetto, formats::perfetto::perfetto_format()),
             ModelText::Of::kPerfetto);
  check_same("xspace", trace,
             again(trace, formats::xspace::write_xspace, formats::xspace::xspace_format()),
             ModelText::Of::kXSpace);
  if (trace.ranks.size() == 1)
    check_same_events(trace, again(trace, formats::chrome_json::write_chrome_json,
                                   formats::chrome_json::chrome_json_format()));
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const std::array formats = {formats::chrome_json::chrome_json_format(),
                              formats::perfetto::perfetto_format(),
                              formats::xspace::xspace_format()};
  const std::size_t source = data[0] % (formats.size() + 1);
  const auto bytes = std::span(data, size).subspan(1);
  if (source == formats.size()) {
    check_trips(MadeTrace(bytes).trace());
    return 0;
  }
  const auto trace =
      read(formats[source], std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (trace && !trace->ranks.empty()) check_trips(*trace);
  return 0;
}
