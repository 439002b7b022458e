// Words of the health section.
#include "report/layout/health_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/layout/input_words.h"
#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

constexpr std::size_t kMaxExample = 160;  // columns; names in traces can be as long as they like

std::string_view word_for(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "note";
    case Severity::kDataLoss:
      return "data loss";
    case Severity::kError:
      return "error";
  }
  return "note";
}

Tone tone_of(Severity severity) {
  if (severity == Severity::kError) return Tone::kAlarm;
  return severity == Severity::kDataLoss ? Tone::kWarning : Tone::kFaint;
}

std::string place_words(const Place& place) {
  switch (place.unit) {
    case Place::Unit::kByte:
      return fmt::format(" First at byte {}.", place.at);
    case Place::Unit::kRow:
      return fmt::format(" First in row {}.", place.at);
    case Place::Unit::kTime:  // stands with the example
    case Place::Unit::kNone:
      return {};
  }
  return {};
}

// What is known of one kind, over all inputs.
struct Finding {
  const Diagnostic* first = nullptr;
  std::uint64_t count = 0;
  std::size_t inputs = 0;

  [[nodiscard]] Severity severity() const { return first->kind->severity; }
};

std::vector<Finding> worst_first(const Diagnostics& diagnostics) {
  std::vector<Finding> findings;
  for (const Diagnostic& one : diagnostics.entries()) {
    auto same = std::ranges::find(findings, one.kind,
                                  [](const Finding& finding) { return finding.first->kind; });
    if (same == findings.end()) same = findings.insert(same, {&one, 0, 0});
    same->count += one.count;
    same->inputs += one.source.empty() ? 0 : 1;
  }
  std::ranges::stable_sort(findings, std::ranges::greater{}, &Finding::severity);
  return findings;
}

std::string input_words(const Finding& finding, std::size_t inputs) {
  if (inputs <= 1 || finding.inputs == 0) return {};
  const std::string name = shown_input(finding.first->source);
  if (finding.inputs == 1) return fmt::format(" In {}.", name);
  return fmt::format(" In {} of {} inputs, first {}.", grouped(finding.inputs), grouped(inputs),
                     name);
}

std::string sentence(const Finding& finding, std::size_t inputs) {
  Diagnostic shown = *finding.first;
  const std::string place = place_words(shown.first);
  shown.example = shorten_middle(one_line(shown.example_words()), kMaxExample);
  shown.first = Place::none();
  return one_line(shown.text() + place + input_words(finding, inputs));
}

}  // namespace

void add_health(const Diagnostics& diagnostics, std::size_t inputs, std::string_view heading,
                Page& page, const DiagnosticKind* silent) {
  page.heading(std::string(heading));
  std::vector<Finding> findings = worst_first(diagnostics);
  std::erase_if(findings, [&](const Finding& one) { return one.first->kind == silent; });
  if (findings.empty()) return page.paragraph("nothing repaired, nothing dropped");
  PageRows list;
  list.columns = {{"kind", Table::Align::kLeft, word_for(Severity::kDataLoss).size()},
                  {"count", Table::Align::kRight},
                  {"what", Table::Align::kLeft}};
  for (const Finding& one : findings) {
    list.rows.push_back(
        {{std::string(word_for(one.severity())), grouped(one.count), sentence(one, inputs)},
         tone_of(one.severity())});
  }
  page.rows(std::move(list));
}

std::vector<std::string> warning_lines(const Diagnostics& diagnostics, std::size_t inputs) {
  std::vector<std::string> lines;
  for (const Finding& one : worst_first(diagnostics)) {
    if (one.severity() == Severity::kInfo) continue;
    lines.push_back(fmt::format("{}: {} x {}", word_for(one.severity()), grouped(one.count),
                                sentence(one, inputs)));
  }
  return lines;
}

}  // namespace lockstep::report::layout
