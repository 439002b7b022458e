// Which loop of a stream --mode prefill and --mode decode select.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::cycles {

// Of the loops of the wanted phase, at any depth, those of passes before those of layers, then the
// outermost; where no loop has the phase, the outermost loops. Of several the one with the earliest
// centre for prefill and the one with the latest for decode. An index of `cycles.loops`; nothing
// for kAuto and for a stream without loops.
[[nodiscard]] std::optional<std::uint32_t> select_loop(const StreamCycles& cycles, CycleMode mode);

}  // namespace lockstep::analysis::cycles
