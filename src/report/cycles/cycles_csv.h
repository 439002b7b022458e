// Loops as CSV (RFC 4180), one file each: how often the loop ran, then one row a kernel of its
// body.
#pragma once

#include <vector>

#include "analysis/cycles/cycles.h"
#include "report/sinks/csv_text.h"

namespace lockstep::report::cycles {

// One for every loop, hidden ones too. No two names are the same; with several streams they also
// tell which.
[[nodiscard]] std::vector<sinks::CsvFile> cycles_csv(const analysis::cycles::Cycles& cycles);

}  // namespace lockstep::report::cycles
