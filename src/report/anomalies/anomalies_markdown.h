// The anomalies of a trace as a Markdown file that stands by itself.
#pragma once

#include <string>

#include "report/anomalies/anomalies_view.h"

namespace lockstep::report::anomalies {

[[nodiscard]] std::string anomalies_markdown(const AnomaliesReport& report, BubbleLimit bubbles);

}  // namespace lockstep::report::anomalies
