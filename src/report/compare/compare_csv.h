// All rows of a comparison as one CSV table (RFC 4180).
#pragma once

#include <string>

#include "analysis/compare/compare.h"

namespace lockstep::report::compare {

// Pairs are numbered as in the JSON document, from 0. Unmatched pairs have one row.
[[nodiscard]] std::string compare_csv(const analysis::compare::Comparison& comparison);

}  // namespace lockstep::report::compare
