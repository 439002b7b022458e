// Words of the health section.
#include "report/info/health_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/layout/input_words.h"
#include "report/layout/text_width.h"

namespace lockstep::report::info {
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

std::string coloured(Severity severity, std::string_view word, const layout::TextStyle& style) {
  if (severity == Severity::kError) return style.alarm(word);
  if (severity == Severity::kDataLoss) return style.warning(word);
  return style.faint(word);
}

std::string place_words(const Place& place) {
  switch (place.unit) {
    case Place::Unit::kByte:
      return fmt::format(" First at byte {}.", place.at);
    case Place::Unit::kRow:
      return fmt::format(" First in row {}.", place.at);
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
  const std::string name = layout::shown_input(finding.first->source);
  if (finding.inputs == 1) return fmt::format(" In {}.", name);
  return fmt::format(" In {} of {} inputs, first {}.", grouped(finding.inputs), grouped(inputs),
                     name);
}

std::string sentence(const Finding& finding, std::size_t inputs) {
  Diagnostic shown = *finding.first;
  shown.example = layout::shorten_middle(one_line(shown.example), kMaxExample);
  return one_line(shown.text() + place_words(shown.first) + input_words(finding, inputs));
}

}  // namespace

std::string health_section(const Diagnostics& diagnostics, std::size_t inputs,
                           const layout::TextStyle& style, std::string_view heading) {
  std::string out = "\n" + style.heading(heading) + "\n";
  const std::vector<Finding> findings = worst_first(diagnostics);
  if (findings.empty()) return out + "  nothing repaired, nothing dropped\n";
  std::size_t digits = 0;
  for (const Finding& one : findings) digits = std::max(digits, grouped(one.count).size());
  const std::size_t indent = 2 + std::string_view("data loss").size() + 2 + digits + 2;
  for (const Finding& one : findings) {
    const std::string word = fmt::format("{:<9}", word_for(one.severity()));
    std::string first = fmt::format("  {}  {:>{}}  ", coloured(one.severity(), word, style),
                                    grouped(one.count), digits);
    const std::size_t room = style.width > indent ? style.width - indent : 1;
    for (const std::string& line : layout::wrap(sentence(one, inputs), room)) {
      out += first + line + "\n";
      first.assign(indent, ' ');
    }
  }
  return out;
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

}  // namespace lockstep::report::info
