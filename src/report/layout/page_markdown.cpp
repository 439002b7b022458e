// The layout of a page as Markdown (GitHub's dialect: pipe tables, fences).
#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/letters.h"
#include "report/layout/page.h"
#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

using namespace std::string_view_literals;

// Signs that Markdown may take for markup wherever they stand ($ begins a formula). A single
// underscore inside a word is none; of two, the one that is escaped would free the other.
constexpr std::string_view kMarkup = "\\`*<[]|~#$";

bool is_word(char c) { return is_letter(c) || is_digit(c); }

// "&lt;", "&#60;"
bool begins_entity(std::string_view text) {
  return text.size() > 1 && text[0] == '&' && (text[1] == '#' || is_word(text[1]));
}

bool is_markup(std::string_view line, std::size_t i) {
  if (kMarkup.contains(line[i]) || begins_entity(line.substr(i))) return true;
  const bool is_inside =
      i > 0 && is_word(line[i - 1]) && i + 1 < line.size() && is_word(line[i + 1]);
  return line[i] == '_' && !is_inside;
}

std::string escaped(std::string_view text) {
  const std::string line = one_line(text);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_markup(line, i)) out += '\\';
    out += line[i];
  }
  return out;
}

// At the beginning of a line more is markup: "- x" and "1. x" begin lists, "---" is a rule, "> x" a
// quotation, four blanks begin code.
std::string escaped_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string out = escaped(text);
  if (out.starts_with('>')) return "\\" + out;
  const std::size_t digits = std::min(out.find_first_not_of("0123456789"), out.size());
  const std::string_view signs = digits == 0 ? "-+" : ".)";
  if (digits == out.size() || !signs.contains(out[digits])) return out;
  const bool is_alone = digits + 1 == out.size() || " -"sv.contains(out[digits + 1]);
  return is_alone ? out.insert(digits, "\\") : out;
}

// Blanks before the text show where in a tree it stands.
std::string cell_markdown(std::string_view text) {
  const std::size_t depth = std::min(text.find_first_not_of(' '), text.size());
  std::string out;
  for (std::size_t i = 0; i < depth; ++i) out += "&nbsp;";
  return out + escaped(text.substr(depth));
}

std::string title_markdown(const PageBlock& block) {
  const bool is_alone =
      block.items.size() == 1 && block.text.empty() && block.items.front().mark.empty();
  std::string out;
  for (const PageItem& item : block.items) {
    if (!is_alone) out += "* ";
    if (!item.mark.empty()) out += escaped(item.mark) + ": ";
    out += fmt::format("**{}**", escaped(item.text));
    for (const std::string& note : item.notes) out += fmt::format(" ({})", escaped(note));
    out += "\n";
  }
  return block.text.empty() ? out : out + fmt::format("* {}\n", escaped_line(block.text));
}

// Lists that follow each other are two only where their bullets differ.
std::string list_markdown(const std::vector<PageItem>& items, char bullet = '*') {
  std::string out;
  for (const PageItem& item : items) {
    out += item.mark.empty()
               ? fmt::format("{} {}\n", bullet, escaped_line(item.text))
               : fmt::format("{} **{}** {}\n", bullet, escaped(item.mark), escaped(item.text));
    for (const std::string& note : item.notes) {
      out += fmt::format("  {} {}\n", bullet, escaped_line(note));
    }
  }
  return out;
}

std::string row_markdown(std::span<const std::string> cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

// Titles, and the side that each column is aligned to.
template <typename Column>
std::string head_markdown(const std::vector<Column>& columns) {
  std::vector<std::string> titles;
  std::string sides = "|";
  for (const Column& column : columns) {
    titles.push_back(escaped(column.title));
    sides += column.align == Table::Align::kRight ? "---:|" : "---|";
  }
  return row_markdown(titles) + sides + "\n";
}

std::vector<std::string> cells_markdown(const std::vector<std::string>& row, std::size_t columns) {
  std::vector<std::string> cells;
  for (const std::string& cell : row) cells.push_back(cell_markdown(cell));
  cells.resize(columns);
  return cells;
}

// A table has no room for lines below a row: they stand below the table, by the first cell of it.
std::string notes_markdown(const PageBlock& block) {
  std::vector<PageItem> items;
  for (std::size_t i = 0; i < std::min(block.notes.size(), block.rows.size()); ++i) {
    const std::vector<std::string>& lines = block.notes[i].lines;
    if (lines.empty()) continue;
    std::string_view mark = block.rows[i].front();
    mark.remove_prefix(std::min(mark.find_first_not_of(' '), mark.size()));
    items.push_back({std::string(mark), fmt::format("{}", fmt::join(lines, "; "))});
  }
  return items.empty() ? "" : "\n" + list_markdown(items);
}

std::string table_markdown(const PageBlock& block) {
  std::string out = head_markdown(block.columns);
  for (const std::vector<std::string>& row : block.rows) {
    out += row_markdown(cells_markdown(row, block.columns.size()));
  }
  return out + notes_markdown(block);
}

std::string rows_markdown(const PageRows& list) {
  std::string out = head_markdown(list.columns);
  for (const PageRows::Row& row : list.rows) {
    std::vector<std::string> cells = cells_markdown(row.cells, list.columns.size());
    const bool is_loud = row.tone == Tone::kWarning || row.tone == Tone::kAlarm;
    if (is_loud) cells.front() = fmt::format("**{}**", cells.front());
    out += row_markdown(cells);
  }
  return out;
}

std::string heading_markdown(const PageBlock& block) {
  const std::string_view level = block.is_nested ? "###" : "##";
  std::string out = fmt::format("{} {}\n", level, escaped(block.text));
  return block.rest.empty() ? out : out + "\n" + escaped_line(block.rest) + "\n";
}

// Longer than any run of backticks inside.
std::string fence_for(const std::vector<std::string>& lines) {
  std::size_t longest = 2;
  for (const std::string& line : lines) {
    std::size_t run = 0;
    for (const char c : line) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  return std::string(longest + 1, '`');
}

std::string block_markdown(const PageBlock& block) {
  switch (block.kind) {
    case PageBlock::Kind::kTitle:
      return title_markdown(block);
    case PageBlock::Kind::kFacts:
      return list_markdown(block.items, '-');
    case PageBlock::Kind::kList:
      return list_markdown(block.items);
    case PageBlock::Kind::kHeading:
      return heading_markdown(block);
    case PageBlock::Kind::kSubheading:
      return fmt::format("### {}\n", escaped(block.text));
    case PageBlock::Kind::kParagraph:
    case PageBlock::Kind::kLine:
    case PageBlock::Kind::kRemark:
      return escaped_line(block.text) + "\n";
    case PageBlock::Kind::kWarning:
      return fmt::format("**{}**\n", escaped(block.text));
    case PageBlock::Kind::kRows:
      return rows_markdown(block.list);
    case PageBlock::Kind::kTable:
      return table_markdown(block);
    case PageBlock::Kind::kDrawing: {
      const std::string fence = fence_for(block.lines);
      return fmt::format("{}\n{}\n{}\n", fence, fmt::join(block.lines, "\n"), fence);
    }
  }
  return {};
}

}  // namespace

std::string page_markdown(const Page& page) {
  std::string out;
  PageBlock::Kind above = PageBlock::Kind::kDrawing;
  for (const PageBlock& block : page.blocks()) {
    const bool goes_on = block.kind == PageBlock::Kind::kTitle && above == block.kind;
    if (!out.empty() && !goes_on) out += "\n";
    above = block.kind;
    out += block_markdown(block);
  }
  return out;
}

std::string page_markdown(std::string_view title, const Page& page) {
  return fmt::format("# {}\n\n", escaped(title)) + page_markdown(page);
}

}  // namespace lockstep::report::layout
