// The table of ranks, devices and streams for people.
#pragma once

#include <string>

#include "analysis/summary/summary.h"
#include "report/layout/text_style.h"

namespace lockstep::report::info {

[[nodiscard]] std::string devices_section(const analysis::summary::Summary& summary,
                                          const layout::TextStyle& style);

}  // namespace lockstep::report::info
