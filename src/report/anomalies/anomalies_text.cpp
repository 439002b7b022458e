// The inputs, then the page.
#include "report/anomalies/anomalies_text.h"

#include "report/anomalies/anomalies_page.h"
#include "report/layout/input_words.h"

namespace lockstep::report::anomalies {

std::string anomalies_text(const AnomaliesReport& report, std::optional<BubbleLimit> bubbles,
                           bool is_brief, const layout::TextStyle& style) {
  AnomaliesDetail detail;
  detail.bubbles = bubbles;
  detail.is_brief = is_brief;
  detail.width = style.width;
  detail.has_full_names = style.has_full_names;
  layout::Page head;
  layout::add_inputs(report.inputs, head);
  return layout::page_text(head, style) + layout::page_text(anomalies_page(report, detail), style);
}

}  // namespace lockstep::report::anomalies
