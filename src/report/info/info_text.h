// The summary for people: one screen where the trace allows it.
#pragma once

#include <span>
#include <string>

#include "analysis/summary/summary.h"
#include "formats/input/load.h"
#include "report/layout/text_style.h"

namespace lockstep {

[[nodiscard]] std::string info_text(const Summary& summary, std::span<const InputFacts> inputs,
                                    const TextStyle& style);

}  // namespace lockstep
