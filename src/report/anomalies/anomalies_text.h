// The anomalies of a trace on a terminal.
#pragma once

#include <optional>
#include <string>

#include "report/anomalies/anomalies_view.h"
#include "report/layout/text_style.h"

namespace lockstep::report::anomalies {

// `bubbles` of each group are drawn; where nothing is said, the few that matter most. A brief text
// has the answers and the findings only.
[[nodiscard]] std::string anomalies_text(const AnomaliesReport& report,
                                         std::optional<BubbleLimit> bubbles, bool is_brief,
                                         const layout::TextStyle& style);

}  // namespace lockstep::report::anomalies
