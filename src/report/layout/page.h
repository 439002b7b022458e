// A report as a list of blocks (headings, sentences, lists, tables, drawings), made once and laid
// out for a terminal or as Markdown.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/layout/table.h"
#include "report/layout/table_notes.h"
#include "report/layout/text_style.h"

namespace lockstep::report::layout {

// What a page has room for. Tables and sentences are fitted when they are laid out; names inside
// sentences and drawings are not. A file has room for any name.
struct PageRoom {
  std::size_t names = std::numeric_limits<std::size_t>::max();  // a line that holds some
  std::size_t drawings = 100;
  bool has_full_names = true;  // of kernels

  [[nodiscard]] static PageRoom of(const TextStyle& style) {
    return {style.width, style.width, style.has_full_names};
  }
};

// One entry of a list: "P1  text", and what belongs to it below.
struct PageItem {
  std::string mark = {};  // short; stands before the text
  std::string text = {};
  std::vector<std::string> notes = {};
};

// Rows without titles on a terminal; their last cells are wrapped beside the others.
struct PageRows {
  struct Column {
    std::string title;  // in Markdown
    Table::Align align = Table::Align::kLeft;
    std::size_t least = 0;  // columns, where all cells are shorter
    std::size_t most = std::numeric_limits<std::size_t>::max();  // longer cells are shortened
  };
  struct Row {
    std::vector<std::string> cells;
    Tone tone = Tone::kPlain;  // of the first cell
  };
  std::vector<Column> columns = {};
  std::vector<Row> rows = {};
};

struct PageBlock {
  enum class Kind : std::uint8_t {
    kTitle,
    kFacts,
    kHeading,
    kSubheading,
    kParagraph,
    kLine,
    kWarning,
    kRemark,
    kList,
    kRows,
    kTable,
    kDrawing
  };
  Kind kind = Kind::kParagraph;
  std::string text = {};
  std::string rest = {};   // of a heading: what follows it on the line
  bool is_wrapped = true;  // a heading with what follows it
  bool is_nested = false;  // a heading below the last one that is not
  std::vector<PageItem> items = {};
  PageRows list = {};
  std::vector<Table::Column> columns = {};
  std::vector<std::vector<std::string>> rows = {};
  std::vector<RowNotes> notes = {};     // of rows of a table
  std::vector<std::string> lines = {};  // of a drawing, already printable
};

class Page {
 public:
  // What the report is on, at its top: names, each with what is known of it in notes; `rest` tells
  // of those that are left out.
  void title(std::vector<PageItem> items, std::string rest = {});
  // "label        text"
  void facts(std::vector<PageItem> items) { add_items(PageBlock::Kind::kFacts, std::move(items)); }
  void heading(std::string text) { add(PageBlock::Kind::kHeading, std::move(text)); }
  void nested_heading(std::string text);
  // "HEADING: text"; on one line, whatever its length, or wrapped.
  void headed_line(std::string heading, std::string text);
  void headed_paragraph(std::string heading, std::string text);
  void subheading(std::string text) { add(PageBlock::Kind::kSubheading, std::move(text)); }
  void paragraph(std::string text) { add(PageBlock::Kind::kParagraph, std::move(text)); }
  // Never wrapped: it has names in it that were fitted.
  void line(std::string text) { add(PageBlock::Kind::kLine, std::move(text)); }
  void warning(std::string text) { add(PageBlock::Kind::kWarning, std::move(text)); }
  // On the page as a whole, not on what stands above.
  void remark(std::string text) { add(PageBlock::Kind::kRemark, std::move(text)); }
  void list(std::vector<PageItem> items) { add_items(PageBlock::Kind::kList, std::move(items)); }
  void rows(PageRows rows);
  void table(std::vector<Table::Column> columns, std::vector<std::vector<std::string>> rows,
             std::vector<RowNotes> notes = {});
  void drawing(std::vector<std::string> lines);

  [[nodiscard]] const std::vector<PageBlock>& blocks() const { return blocks_; }

 private:
  void add(PageBlock::Kind kind, std::string text);
  void add_items(PageBlock::Kind kind, std::vector<PageItem> items);

  std::vector<PageBlock> blocks_;
};

[[nodiscard]] std::string page_text(const Page& page, const TextStyle& style);

// Headings begin at the second level; drawings are code. Any text is safe: what would be markup is
// escaped.
[[nodiscard]] std::string page_markdown(const Page& page);
// The same below a heading of the first level.
[[nodiscard]] std::string page_markdown(std::string_view title, const Page& page);

}  // namespace lockstep::report::layout
