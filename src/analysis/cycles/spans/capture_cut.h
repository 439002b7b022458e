// Single passes of which the capture has only a part.
#pragma once

#include <cstdint>

#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::cycles {

enum class Cut : std::uint8_t {
  kNone,   // as far as the trace tells
  kBegun,  // the capture begins inside it
  kEnded,  // the capture ends inside it
};

// A pass that begins or ends the stream and runs what a longer one runs last or first is a part of
// one like that. Where nothing else of the capture is longer, there is no telling.
[[nodiscard]] Cut cut_of(const StreamCycles& cycles, const PhaseSpan& span);

}  // namespace lockstep::analysis::cycles
