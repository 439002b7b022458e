// Blocks, and their layout on a terminal.
#include "report/layout/page.h"

#include <algorithm>

#include "report/layout/paragraph.h"
#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

constexpr std::size_t kIndent = 2;  // as tables have it
constexpr std::size_t kMinWidth = 20;

// "  P1  text that goes on
//        below itself"
std::string list_text(const std::vector<PageItem>& items, const TextStyle& style) {
  std::size_t marks = 0;
  for (const PageItem& item : items) marks = std::max(marks, display_width(one_line(item.mark)));
  const std::size_t indent = kIndent + (marks == 0 ? 0 : marks + kIndent);
  std::string out;
  for (const PageItem& item : items) {
    const std::string mark = one_line(item.mark);
    std::string before = std::string(kIndent, ' ') + mark;
    before.append(indent - kIndent - display_width(mark), ' ');
    const std::size_t room = std::max(style.width, indent + kMinWidth) - indent;
    for (const std::string& line : wrap(one_line(item.text), room)) {
      out += before + line + "\n";
      before.assign(indent, ' ');
    }
    for (const std::string& note : item.notes) out += faint_paragraph(note, style, indent);
  }
  return out;
}

std::string table_text(const PageBlock& block, const TextStyle& style) {
  Table table(block.columns);
  for (const std::vector<std::string>& row : block.rows) table.add_row(row);
  return table.render(style.width);
}

std::string block_text(const PageBlock& block, const TextStyle& style) {
  std::string out;
  switch (block.kind) {
    case PageBlock::Kind::kHeading:
      for (const std::string& line : wrap(one_line(block.text), style.width)) {
        out += style.heading(line) + "\n";
      }
      return "\n" + out;
    case PageBlock::Kind::kSubheading:
      for (const std::string& line : wrap(one_line(block.text), style.width)) {
        out += line + "\n";
      }
      return out;
    case PageBlock::Kind::kParagraph:
      return paragraph(block.text, style, kIndent);
    case PageBlock::Kind::kList:
      return list_text(block.items, style);
    case PageBlock::Kind::kTable:
      return table_text(block, style);
    case PageBlock::Kind::kDrawing:
      for (const std::string& line : block.lines) out += std::string(kIndent, ' ') + line + "\n";
      return out;
  }
  return out;
}

}  // namespace

void Page::add(PageBlock::Kind kind, std::string text) {
  PageBlock block;
  block.kind = kind;
  block.text = std::move(text);
  blocks_.push_back(std::move(block));
}

void Page::list(std::vector<PageItem> items) {
  if (items.empty()) return;
  add(PageBlock::Kind::kList, {});
  blocks_.back().items = std::move(items);
}

void Page::table(std::vector<Table::Column> columns, std::vector<std::vector<std::string>> rows) {
  if (rows.empty()) return;
  add(PageBlock::Kind::kTable, {});
  blocks_.back().columns = std::move(columns);
  blocks_.back().rows = std::move(rows);
}

void Page::drawing(std::vector<std::string> lines) {
  if (lines.empty()) return;
  add(PageBlock::Kind::kDrawing, {});
  blocks_.back().lines = std::move(lines);
}

std::string page_text(const Page& page, const TextStyle& style) {
  std::string out;
  bool is_below_heading = false;
  for (const PageBlock& block : page.blocks()) {
    const bool is_subheading = block.kind == PageBlock::Kind::kSubheading;
    if (is_subheading && !is_below_heading) out += "\n";
    is_below_heading = block.kind == PageBlock::Kind::kHeading;
    out += block_text(block, style);
  }
  return out;
}

}  // namespace lockstep::report::layout
