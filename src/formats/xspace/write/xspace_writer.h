// Writes a trace as XSpace: planes that XProf and TensorBoard show, and marks by which lockstep
// reads the same model again.
//
// docs/formats/xspace.md says what maps to what and what is lost.
#pragma once

#include "base/result.h"
#include "io/byte_sink.h"
#include "trace/trace.h"

namespace lockstep::formats::xspace {

// Writes `trace`, of any number of ranks, to `sink`, which the caller closes. Besides the trace it
// needs memory for an index of the events and for the encoding of the largest plane, because the
// length of a plane stands before it.
[[nodiscard]] Status write_xspace(const trace::Trace& trace, io::ByteSink& sink);

}  // namespace lockstep::formats::xspace
