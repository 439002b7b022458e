// The kernel table of a summary as CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>

#include "analysis/summary/summary.h"

namespace lockstep::report::info {

[[nodiscard]] std::string info_csv(const analysis::summary::Summary& summary);

// One field, quoted where its text needs it.
[[nodiscard]] std::string csv_field(std::string_view text);

// A field for a name out of a trace, on one line. Spreadsheets run what begins with one of =+-@ as
// a formula: such a name, which no compiler makes, gets an apostrophe before it.
[[nodiscard]] std::string csv_name(std::string_view name);

}  // namespace lockstep::report::info
