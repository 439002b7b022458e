// The first line of a table is its titles, each further one a row.
#include "report/table_notes.h"

#include <algorithm>

#include "report/text_width.h"

namespace lockstep {
namespace {

constexpr std::size_t kTableIndent = 2;
constexpr std::size_t kMinWidth = 20;

std::string wrapped(const std::string& note, std::size_t indent, const TextStyle& style) {
  const std::size_t width = std::max(style.width, indent + kMinWidth) - indent;
  std::string out;
  for (const std::string& line : wrap(one_line(note), width)) {
    out += std::string(indent, ' ') + style.faint(line) + "\n";
  }
  return out;
}

}  // namespace

std::string with_notes(const std::string& table, const TableNotes& notes, const TextStyle& style) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t line = 0; from < table.size(); ++line) {
    const std::size_t to = table.find('\n', from) + 1;
    out += table.substr(from, to - from);
    from = to;
    if (line == 0 || line > notes.rows_.size()) continue;
    const TableNotes::Row& row = notes.rows_[line - 1];
    for (const std::string& note : row.lines)
      out += wrapped(note, row.indent + kTableIndent, style);
  }
  return out;
}

}  // namespace lockstep
