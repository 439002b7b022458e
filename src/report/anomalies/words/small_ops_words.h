// Whether small kernels matter, as a sentence.
#pragma once

#include <string>

#include "analysis/anomalies/timeline/op_table.h"

namespace lockstep::report::anomalies {

[[nodiscard]] std::string small_ops_words(const analysis::anomalies::SmallOps& small);

}  // namespace lockstep::report::anomalies
