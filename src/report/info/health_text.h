// Diagnostics for people: a section of a report, or warnings of one line each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "report/layout/text_style.h"

namespace lockstep::report::info {

// Everything, worst first, one entry a kind. With several `inputs`, those that it was met in are
// told.
[[nodiscard]] std::string health_section(const Diagnostics& diagnostics, std::size_t inputs,
                                         const layout::TextStyle& style,
                                         std::string_view heading = "Health");

// Data loss and errors only, one line a kind, for standard error.
[[nodiscard]] std::vector<std::string> warning_lines(const Diagnostics& diagnostics,
                                                     std::size_t inputs);

}  // namespace lockstep::report::info
