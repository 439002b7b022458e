// Wrapping before colouring: escapes take no room.
#include "report/layout/paragraph.h"

#include <algorithm>
#include <vector>

#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

constexpr std::size_t kMinWidth = 20;

std::vector<std::string> lines_of(const std::string& text, const TextStyle& style,
                                  std::size_t indent) {
  return wrap(one_line(text), std::max(style.width, indent + kMinWidth) - indent);
}

}  // namespace

std::string paragraph(const std::string& text, const TextStyle& style, std::size_t indent) {
  std::string out;
  for (const std::string& line : lines_of(text, style, indent)) {
    out += std::string(indent, ' ') + line + "\n";
  }
  return out;
}

std::string faint_paragraph(const std::string& text, const TextStyle& style, std::size_t indent) {
  std::string out;
  for (const std::string& line : lines_of(text, style, indent)) {
    out += std::string(indent, ' ') + style.faint(line) + "\n";
  }
  return out;
}

std::string headed_paragraph(const std::string& heading, const std::string& text,
                             const TextStyle& style) {
  const std::string out = paragraph(heading + ": " + text, style);
  // A heading that was wrapped itself stays plain.
  if (!out.starts_with(heading)) return out;
  return style.heading(heading) + out.substr(heading.size());
}

}  // namespace lockstep::report::layout
