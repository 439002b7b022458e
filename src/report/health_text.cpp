// Words of the health section.
#include "report/health_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/text_width.h"

namespace lockstep {
namespace {

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

std::string coloured(Severity severity, std::string_view word, const TextStyle& style) {
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

std::string sentence(const Diagnostic& diagnostic, bool name_input) {
  std::string out = diagnostic.text() + place_words(diagnostic.first);
  if (name_input && !diagnostic.source.empty()) out += " In " + diagnostic.source + ".";
  return one_line(out);
}

std::vector<const Diagnostic*> worst_first(const Diagnostics& diagnostics) {
  std::vector<const Diagnostic*> order;
  for (const Diagnostic& diagnostic : diagnostics.entries()) order.push_back(&diagnostic);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const Diagnostic* one) { return one->kind->severity; });
  return order;
}

}  // namespace

std::string health_section(const Diagnostics& diagnostics, bool name_inputs,
                           const TextStyle& style) {
  std::string out = "\n" + style.heading("Health") + "\n";
  if (diagnostics.entries().empty()) return out + "  nothing repaired, nothing dropped\n";
  std::size_t digits = 0;
  for (const Diagnostic& one : diagnostics.entries()) {
    digits = std::max(digits, grouped(one.count).size());
  }
  const std::size_t indent = 2 + std::string_view("data loss").size() + 2 + digits + 2;
  for (const Diagnostic* one : worst_first(diagnostics)) {
    const std::string word = fmt::format("{:<9}", word_for(one->kind->severity));
    std::string first = fmt::format("  {}  {:>{}}  ", coloured(one->kind->severity, word, style),
                                    grouped(one->count), digits);
    const std::size_t room = style.width > indent ? style.width - indent : 1;
    for (const std::string& line : wrap(sentence(*one, name_inputs), room)) {
      out += first + line + "\n";
      first.assign(indent, ' ');
    }
  }
  return out;
}

std::vector<std::string> warning_lines(const Diagnostics& diagnostics, bool name_inputs) {
  std::vector<std::string> lines;
  for (const Diagnostic* one : worst_first(diagnostics)) {
    if (one->kind->severity == Severity::kInfo) continue;
    lines.push_back(fmt::format("{}: {} x {}", word_for(one->kind->severity), grouped(one->count),
                                sentence(*one, name_inputs)));
  }
  return lines;
}

}  // namespace lockstep
