// A comparison for people: the total, then a headline a pair and the rows that matter.
#pragma once

#include <cstddef>
#include <string>

#include "report/compare/compare_view.h"
#include "report/layout/text_style.h"

namespace lockstep::report::compare {

// `top` rows of each pair; 0 for all rows of all pairs.
[[nodiscard]] std::string compare_text(const ComparedTraces& compared, std::size_t top,
                                       const layout::TextStyle& style);

}  // namespace lockstep::report::compare
