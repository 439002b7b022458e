// The anomalies of a trace for people, as a page: the summary first, then what was found, the
// bubbles drawn, the step taken apart, and what to do next.
#pragma once

#include <cstddef>
#include <optional>

#include "report/anomalies/anomalies_view.h"
#include "report/layout/page.h"

namespace lockstep::report::anomalies {

struct AnomaliesDetail {
  // Bubbles of each group to draw; nothing for a choice: what findings point at, then the longest.
  std::optional<BubbleLimit> bubbles = {};
  bool is_brief = false;        // the answers and the findings only
  bool is_full = false;         // all rows, with evidence: for a file rather than a screen
  bool has_full_names = false;  // of kernels, in lists
  std::size_t width = 100;      // of drawings
};

[[nodiscard]] layout::Page anomalies_page(const AnomaliesReport& report,
                                          const AnomaliesDetail& detail);

}  // namespace lockstep::report::anomalies
