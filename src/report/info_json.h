// The summary as one JSON document, schema "lockstep.info/1" (docs/reference/info.md).
#pragma once

#include <span>
#include <string>

#include "analysis/summary/summary.h"
#include "formats/load.h"

namespace lockstep {

[[nodiscard]] std::string info_json(const Summary& summary, std::span<const InputFacts> inputs);

}  // namespace lockstep
