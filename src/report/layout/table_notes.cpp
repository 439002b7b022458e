// The first line of a table is its titles, each further one a row.
#include "report/layout/table_notes.h"

#include "report/layout/paragraph.h"

namespace lockstep::report::layout {
namespace {

constexpr std::size_t kTableIndent = 2;

}  // namespace

std::string with_notes(const std::string& table, std::span<const RowNotes> notes,
                       const TextStyle& style) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t line = 0; from < table.size(); ++line) {
    const std::size_t to = table.find('\n', from) + 1;
    out += table.substr(from, to - from);
    from = to;
    if (line == 0 || line > notes.size()) continue;
    const RowNotes& row = notes[line - 1];
    for (const std::string& note : row.lines)
      out += faint_paragraph(note, style, row.indent + kTableIndent);
  }
  return out;
}

}  // namespace lockstep::report::layout
