// The layout of a page as Markdown (GitHub's dialect: pipe tables, fences).
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/layout/page.h"
#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

// Signs that Markdown may take for markup wherever they stand. An underscore inside a word is none.
constexpr std::string_view kMarkup = "\\`*<>[]|~#";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string escaped(const std::string& text) {
  const std::string line = one_line(text);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_outer_underscore =
        line[i] == '_' &&
        (i == 0 || !is_word(line[i - 1]) || i + 1 == line.size() || !is_word(line[i + 1]));
    if (kMarkup.contains(line[i]) || is_outer_underscore) out += '\\';
    out += line[i];
  }
  return out;
}

std::string list_markdown(const std::vector<PageItem>& items) {
  std::string out;
  for (const PageItem& item : items) {
    out += "* ";
    if (!item.mark.empty()) out += fmt::format("**{}** ", escaped(item.mark));
    out += escaped(item.text) + "\n";
    for (const std::string& note : item.notes) out += "  * " + escaped(note) + "\n";
  }
  return out;
}

std::string table_markdown(const PageBlock& block) {
  std::vector<std::string> titles;
  std::vector<std::string_view> lines;
  for (const Table::Column& column : block.columns) {
    titles.push_back(escaped(column.title));
    lines.push_back(column.align == Table::Align::kRight ? "---:" : "---");
  }
  std::string out = fmt::format("| {} |\n|{}|\n", fmt::join(titles, " | "), fmt::join(lines, "|"));
  for (const std::vector<std::string>& row : block.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(escaped(cell));
    out += fmt::format("| {} |\n", fmt::join(cells, " | "));
  }
  return out;
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
    case PageBlock::Kind::kHeading:
      return fmt::format("## {}\n", escaped(block.text));
    case PageBlock::Kind::kSubheading:
      return fmt::format("### {}\n", escaped(block.text));
    case PageBlock::Kind::kParagraph:
      return escaped(block.text) + "\n";
    case PageBlock::Kind::kList:
      return list_markdown(block.items);
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
  for (const PageBlock& block : page.blocks()) {
    if (!out.empty()) out += "\n";
    out += block_markdown(block);
  }
  return out;
}

}  // namespace lockstep::report::layout
