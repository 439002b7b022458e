// Loops as a workbook: a sheet of all loops, one of phases, one for the body of each shown loop.
#pragma once

#include <vector>

#include "analysis/cycles/cycles.h"
#include "report/sinks/xlsx_book.h"

namespace lockstep::report::cycles {

[[nodiscard]] std::vector<sinks::XlsxSheet> cycles_sheets(const analysis::cycles::Cycles& cycles,
                                                          bool show_all);

}  // namespace lockstep::report::cycles
