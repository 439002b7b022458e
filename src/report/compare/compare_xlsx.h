// A comparison as a workbook: a summary of the pairs, and a coloured sheet for each matched one.
#pragma once

#include <vector>

#include "report/compare/compare_view.h"
#include "report/sinks/xlsx_book.h"

namespace lockstep::report::compare {

[[nodiscard]] std::vector<sinks::XlsxSheet> compare_sheets(
    const analysis::compare::Comparison& comparison);

}  // namespace lockstep::report::compare
