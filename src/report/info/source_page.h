// The section of `info` on evidence: which parts of the inputs were used, which were not, and which
// are missing.
#pragma once

#include <string>

#include "analysis/summary/summary.h"
#include "report/layout/text_style.h"

namespace lockstep::report::info {

// Empty when no input has parts. Of ranks with the same parts one stands for all.
[[nodiscard]] std::string sources_section(const analysis::summary::Summary& summary,
                                          const layout::TextStyle& style);

}  // namespace lockstep::report::info
