// Diagnostics for people: a section of a report, or warnings of one line each.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "report/text_style.h"

namespace lockstep {

// Everything, worst first. `name_inputs` says which input each line is about.
[[nodiscard]] std::string health_section(const Diagnostics& diagnostics, bool name_inputs,
                                         const TextStyle& style);

// Data loss and errors only, one line each, for standard error.
[[nodiscard]] std::vector<std::string> warning_lines(const Diagnostics& diagnostics,
                                                     bool name_inputs);

}  // namespace lockstep
