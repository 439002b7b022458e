// Blocks, and their layout on a terminal.
#include "report/layout/page.h"

#include <algorithm>
#include <utility>

#include "analysis/kernels/short_name.h"
#include "report/layout/paragraph.h"
#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

constexpr std::size_t kIndent = 2;  // as tables have it
constexpr std::size_t kMinWidth = 20;
constexpr std::size_t kLabelWidth = 13;  // of facts

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

std::string title_text(const PageBlock& block, const TextStyle& style) {
  std::string out;
  for (const PageItem& item : block.items) {
    const std::string mark = item.mark.empty() ? std::string() : item.mark + "  ";
    const std::string name = one_line(item.text);
    std::string facts;
    for (const std::string& note : item.notes) facts += "  " + one_line(note);
    out += mark + style.heading(name);
    // Names may be as long as they like; what is known of them goes below long ones.
    if (display_width(mark + name + facts) > style.width && !facts.empty()) out += "\n";
    out += facts + "\n";
  }
  return block.text.empty() ? out : out + block.text + "\n";
}

std::string facts_text(const std::vector<PageItem>& items, const TextStyle& style) {
  std::string out = "\n";
  for (const PageItem& item : items) {
    std::string before = item.mark;
    before.resize(std::max(before.size(), kLabelWidth), ' ');
    const std::size_t room = style.width - std::min(style.width, kLabelWidth);
    for (const std::string& line : wrap(one_line(item.text), room)) {
      out += before + line + "\n";
      before.assign(before.size(), ' ');
    }
  }
  return out;
}

std::string heading_text(const PageBlock& block, const TextStyle& style) {
  if (block.rest.empty()) {
    std::string out = "\n";
    for (const std::string& line : wrap(one_line(block.text), style.width)) {
      out += style.heading(line) + "\n";
    }
    return out;
  }
  if (block.is_wrapped) return "\n" + headed_paragraph(block.text, block.rest, style);
  return "\n" + style.heading(one_line(block.text)) + ": " + one_line(block.rest) + "\n";
}

// Of all columns but the last.
std::vector<std::size_t> row_widths(const PageRows& list) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i + 1 < list.columns.size(); ++i) {
    std::size_t width = list.columns[i].least;
    for (const PageRows::Row& row : list.rows) {
      width = std::max(width, display_width(one_line(row.cells[i])));
    }
    widths.push_back(std::min(width, list.columns[i].most));
  }
  return widths;
}

std::string rows_text(const PageRows& list, const TextStyle& style) {
  const std::vector<std::size_t> widths = row_widths(list);
  std::size_t indent = kIndent;
  for (const std::size_t width : widths) indent += width + kIndent;
  const std::size_t room = std::max(style.width, indent + kMinWidth) - indent;
  std::string out;
  for (const PageRows::Row& row : list.rows) {
    std::string before;
    std::string padding(kIndent, ' ');  // stands before what follows, if something does
    for (std::size_t i = 0; i < widths.size(); ++i) {
      std::string cell = shorten_middle(one_line(row.cells[i]), widths[i]);
      std::string fill(widths[i] - display_width(cell), ' ');
      before += padding;
      if (list.columns[i].align == Table::Align::kRight) cell.insert(0, std::exchange(fill, ""));
      // The colour of the first cell is that of its column.
      if (i == 0) cell = style.toned(row.tone, cell + std::exchange(fill, ""));
      before += cell;
      padding = fill + std::string(kIndent, ' ');
    }
    for (const std::string& line : wrap(one_line(row.cells.back()), room)) {
      out += before;
      if (!line.empty()) out += padding + line;
      out += "\n";
      before.clear();
      padding.assign(indent, ' ');
    }
  }
  return out;
}

// Names of kernels as one table shows them: two that differ never look alike in it.
void tell_kernels(const std::vector<Table::Column>& columns,
                  std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string*> cells;
  for (std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < std::min(row.size(), columns.size()); ++i) {
      if (columns[i].holds == Table::Holds::kKernels) cells.push_back(&row[i]);
    }
  }
  std::vector<std::string_view> names;
  for (const std::string* const cell : cells) names.push_back(*cell);
  std::vector<std::string> told = analysis::kernels::telling_names(names);
  for (std::size_t i = 0; i < cells.size(); ++i) *cells[i] = std::move(told[i]);
}

std::string table_text(const PageBlock& block, const TextStyle& style) {
  std::vector<Table::Column> columns = block.columns;
  std::vector<std::vector<std::string>> rows = block.rows;
  if (!style.has_full_names) tell_kernels(columns, rows);
  if (!columns.empty() && columns.back().holds != Table::Holds::kText)
    columns.back().is_whole = style.has_full_names;
  Table table(std::move(columns));
  for (std::vector<std::string>& row : rows) table.add_row(std::move(row));
  return with_notes(table.render(style.width), block.notes, style);
}

std::string lines_text(const std::vector<std::string>& lines, std::size_t indent) {
  std::string out;
  for (const std::string& line : lines) out += std::string(indent, ' ') + line + "\n";
  return out;
}

std::string block_text(const PageBlock& block, const TextStyle& style) {
  switch (block.kind) {
    case PageBlock::Kind::kTitle:
      return title_text(block, style);
    case PageBlock::Kind::kFacts:
      return facts_text(block.items, style);
    case PageBlock::Kind::kHeading:
      return heading_text(block, style);
    case PageBlock::Kind::kSubheading:
      return lines_text(wrap(one_line(block.text), style.width), 0);
    case PageBlock::Kind::kParagraph:
      return paragraph(block.text, style, kIndent);
    case PageBlock::Kind::kLine:
      return lines_text({one_line(block.text)}, kIndent);
    case PageBlock::Kind::kWarning:
      return style.warning(lines_text({one_line(block.text)}, kIndent));
    case PageBlock::Kind::kRemark:
      return "\n" + paragraph(block.text, style);
    case PageBlock::Kind::kList:
      return list_text(block.items, style);
    case PageBlock::Kind::kRows:
      return rows_text(block.list, style);
    case PageBlock::Kind::kTable:
      return table_text(block, style);
    case PageBlock::Kind::kDrawing:
      return lines_text(block.lines, kIndent);
  }
  return {};
}

}  // namespace

void Page::add(PageBlock::Kind kind, std::string text) {
  PageBlock block;
  block.kind = kind;
  block.text = std::move(text);
  blocks_.push_back(std::move(block));
}

void Page::nested_heading(std::string text) {
  heading(std::move(text));
  blocks_.back().is_nested = true;
}

void Page::headed_paragraph(std::string heading, std::string text) {
  add(PageBlock::Kind::kHeading, std::move(heading));
  blocks_.back().rest = std::move(text);
}

void Page::headed_line(std::string heading, std::string text) {
  headed_paragraph(std::move(heading), std::move(text));
  blocks_.back().is_wrapped = false;
}

void Page::add_items(PageBlock::Kind kind, std::vector<PageItem> items) {
  if (items.empty()) return;
  add(kind, {});
  blocks_.back().items = std::move(items);
}

void Page::title(std::vector<PageItem> items, std::string rest) {
  if (items.empty()) return;
  add_items(PageBlock::Kind::kTitle, std::move(items));
  blocks_.back().text = std::move(rest);
}

void Page::rows(PageRows rows) {
  if (rows.rows.empty()) return;
  add(PageBlock::Kind::kRows, {});
  blocks_.back().list = std::move(rows);
}

void Page::table(std::vector<Table::Column> columns, std::vector<std::vector<std::string>> rows,
                 std::vector<RowNotes> notes) {
  if (rows.empty()) return;
  add(PageBlock::Kind::kTable, {});
  blocks_.back().columns = std::move(columns);
  blocks_.back().rows = std::move(rows);
  blocks_.back().notes = std::move(notes);
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
