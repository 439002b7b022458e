// Writes a trace as Chrome JSON in the dialect of Kineto, so that reading it again gives the same
// trace: exact times, the same origin, ids, categories, arguments and flows.
//
// docs/formats/chrome_json_output.md says what maps to what.
#pragma once

#include "base/result.h"
#include "io/byte_sink.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// Whether one file holds all of it: one rank, or several that came out of one merged file of Chrome
// JSON, whose process ids keep them apart.
[[nodiscard]] bool is_one_chrome_file(const trace::Trace& trace);

// Streams `trace` to `sink`, which the caller closes. A trace that is no one file is a usage error,
// found before anything is written.
[[nodiscard]] Status write_chrome_json(const trace::Trace& trace, io::ByteSink& sink);

}  // namespace lockstep::formats::chrome_json
