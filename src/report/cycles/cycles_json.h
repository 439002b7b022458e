// Loops and phases as one JSON document, schema "lockstep.cycles/2" (docs/reference/cycles.md).
#pragma once

#include <span>
#include <string>

#include "analysis/cycles/cycles.h"
#include "formats/input/load.h"

namespace lockstep::report::cycles {

[[nodiscard]] std::string cycles_json(const analysis::cycles::Cycles& cycles,
                                      const analysis::cycles::CyclesOptions& options,
                                      std::span<const formats::input::InputFacts> inputs);

}  // namespace lockstep::report::cycles
