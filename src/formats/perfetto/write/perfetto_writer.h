// Writes a trace as Perfetto's protobuf: TrackEvent packets that a viewer shows without dropping
// any.
//
// docs/formats/perfetto.md says what maps to what and what is lost.
#pragma once

#include "base/result.h"
#include "io/byte_sink.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

// Streams `trace`, of any number of ranks, to `sink`, which the caller closes. Besides the trace it
// needs memory for an index of the events and for the slices of one track.
[[nodiscard]] Status write_perfetto(const trace::Trace& trace, io::ByteSink& sink);

}  // namespace lockstep::formats::perfetto
