// Loops and phases as one JSON document, schema "lockstep.cycles/1" (docs/reference/cycles.md).
#pragma once

#include <span>
#include <string>

#include "analysis/cycles/cycles.h"
#include "formats/input/load.h"

namespace lockstep {

[[nodiscard]] std::string cycles_json(const Cycles& cycles, const CyclesOptions& options,
                                      std::span<const InputFacts> inputs);

}  // namespace lockstep
