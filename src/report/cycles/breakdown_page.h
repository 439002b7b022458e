// Where the time of a pass or step goes, by the role of what runs: a table whose rows add up.
#pragma once

#include <string>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/cycles/cycles.h"
#include "report/layout/page.h"

namespace lockstep::report::cycles {

// "gemm", "moe routing", "memcpy, memset"
[[nodiscard]] std::string part_words(analysis::breakdown::Part part);

// Of a mean window: the time in which a part runs beside others that take the moment.
[[nodiscard]] std::int64_t mean_hidden_ns(const analysis::breakdown::Breakdown& times,
                                          analysis::breakdown::Part part);

// Parts worth a row, those that take the most of the first breakdown first, idle last; the others,
// which take little of every one, are told together.
struct PartRows {
  std::vector<analysis::breakdown::Part> shown;
  std::vector<analysis::breakdown::Part> rest;
};
[[nodiscard]] PartRows part_rows(const std::vector<analysis::breakdown::Breakdown>& breakdowns);

// "3 more roles"
[[nodiscard]] std::string rest_words(const PartRows& rows);

void add_breakdown(const analysis::cycles::StreamCycles& cycles, layout::Page& page);

}  // namespace lockstep::report::cycles
