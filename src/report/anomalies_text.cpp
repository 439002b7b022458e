// The inputs, then the page.
#include "report/anomalies_text.h"

#include "report/anomalies_page.h"
#include "report/input_words.h"

namespace lockstep {

std::string anomalies_text(const AnomaliesReport& report, std::optional<BubbleLimit> bubbles,
                           const TextStyle& style) {
  AnomaliesDetail detail;
  detail.bubbles = bubbles;
  detail.width = style.width;
  return input_lines(report.inputs, style) + page_text(anomalies_page(report, detail), style);
}

}  // namespace lockstep
