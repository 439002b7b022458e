// Everything that the page can tell, with what it was told from and the thresholds that decided.
#include "report/anomalies/anomalies_markdown.h"

#include <fmt/format.h>

#include "report/anomalies/anomalies_page.h"
#include "report/layout/input_words.h"

namespace lockstep::report::anomalies {
namespace {

using Align = layout::Table::Align;

layout::Page inputs_page(const AnomaliesReport& report) {
  layout::Page page;
  page.heading("Inputs");
  std::vector<layout::PageItem> items;
  for (const formats::input::InputFacts& input : report.inputs) {
    items.push_back({"", fmt::format("{} ({})", layout::shown_input(input.path), input.format)});
  }
  page.list(std::move(items));
  return page;
}

layout::Page thresholds_page(const analysis::anomalies::AnomaliesOptions& options) {
  layout::Page page;
  page.heading(fmt::format("Thresholds ({})", name_of(options.rules)));
  std::vector<std::vector<std::string>> rows;
  for (const analysis::anomalies::ThresholdField& field : analysis::anomalies::threshold_fields()) {
    rows.push_back({std::string(field.name), fmt::format("{:g}", options.thresholds.*field.value),
                    std::string(field.meaning)});
  }
  page.table({{"name", Align::kLeft}, {"value", Align::kRight}, {"meaning", Align::kLeft}},
             std::move(rows));
  return page;
}

}  // namespace

std::string anomalies_markdown(const AnomaliesReport& report, BubbleLimit bubbles) {
  AnomaliesDetail detail;
  detail.bubbles = bubbles;
  detail.is_full = true;
  return "# Where the device idles\n\n" + layout::page_markdown(inputs_page(report)) + "\n" +
         layout::page_markdown(anomalies_page(report, detail)) + "\n" +
         layout::page_markdown(thresholds_page(report.options));
}

}  // namespace lockstep::report::anomalies
