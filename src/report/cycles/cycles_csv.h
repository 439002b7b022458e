// Loops as CSV (RFC 4180), one file each: how often the loop ran, then one row a kernel of its
// body.
#pragma once

#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

struct CsvFile {
  std::string name;  // "cycle_3_layer.csv"; with several streams also which
  std::string content;
};

// One for every loop, hidden ones too. No two names are the same.
[[nodiscard]] std::vector<CsvFile> cycles_csv(const analysis::cycles::Cycles& cycles);

}  // namespace lockstep::report::cycles
