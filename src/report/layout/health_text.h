// Diagnostics for people: a section of a report, or warnings of one line each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "report/layout/page.h"

namespace lockstep::report::layout {

// Everything but `silent`, worst first, one entry a kind. With several `inputs`, those that it was
// met in are told.
void add_health(const Diagnostics& diagnostics, std::size_t inputs, std::string_view heading,
                Page& page, const DiagnosticKind* silent = nullptr);

// Data loss and errors only, one line a kind, for standard error.
[[nodiscard]] std::vector<std::string> warning_lines(const Diagnostics& diagnostics,
                                                     std::size_t inputs);

}  // namespace lockstep::report::layout
