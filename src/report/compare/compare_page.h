// A comparison for people: the total, then a headline a pair and the rows that matter.
#pragma once

#include <cstddef>
#include <string>

#include "report/compare/compare_view.h"
#include "report/layout/page.h"

namespace lockstep::report::compare {

// `top` rows of each pair; 0 for all rows of all pairs.
[[nodiscard]] layout::Page compare_page(const ComparedTraces& compared, std::size_t top,
                                        const layout::PageRoom& room);

// The same on a terminal and as a file.
[[nodiscard]] std::string compare_text(const ComparedTraces& compared, std::size_t top,
                                       const layout::TextStyle& style);
[[nodiscard]] std::string compare_markdown(const ComparedTraces& compared, std::size_t top);

}  // namespace lockstep::report::compare
