// Any bytes as an SQLite database through all dialects: no crash, and a consistent trace or a
// sentence. The bytes come as from a pipe.
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/input/sqlite_format.h"
#include "formats/sqlite/sqlite_memory.h"
#include "io/byte_source.h"
#include "trace_check.h"

namespace {

std::size_t events_read(const std::string& bytes, bool keep_arguments) {
  using namespace lockstep;
  io::MemorySource source{bytes};
  formats::shared::ReadOptions options;
  options.keep_arguments =
      keep_arguments ? trace::KeepArguments::kAll : trace::KeepArguments::kNone;
  trace::Trace trace;
  const Status status = formats::input::sqlite_format().read(source, "-", options, trace);
  if (!status.ok()) {
    LOCKSTEP_FUZZ_CHECK(!status.error().text().empty());
    return 0;
  }
  check_trace(trace);
  return trace.events.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool kIsWatched = (lockstep::formats::sqlite::watch_sqlite_memory(), true);
  (void)kIsWatched;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)lockstep::formats::input::sqlite_format().sniff(bytes, "fuzz.db");
  LOCKSTEP_FUZZ_CHECK(events_read(bytes, false) == events_read(bytes, true));
  return 0;
}
