// A report as a list of blocks (headings, sentences, lists, tables, drawings), made once and laid
// out for a terminal or as Markdown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/layout/table.h"
#include "report/layout/text_style.h"

namespace lockstep::report::layout {

// One entry of a list: "P1  text", and what belongs to it below.
struct PageItem {
  std::string mark = {};  // short; stands before the text
  std::string text = {};
  std::vector<std::string> notes = {};
};

struct PageBlock {
  enum class Kind : std::uint8_t { kHeading, kSubheading, kParagraph, kList, kTable, kDrawing };
  Kind kind = Kind::kParagraph;
  std::string text = {};
  std::vector<PageItem> items = {};
  std::vector<Table::Column> columns = {};
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::string> lines = {};  // of a drawing, already printable
};

class Page {
 public:
  void heading(std::string text) { add(PageBlock::Kind::kHeading, std::move(text)); }
  void subheading(std::string text) { add(PageBlock::Kind::kSubheading, std::move(text)); }
  void paragraph(std::string text) { add(PageBlock::Kind::kParagraph, std::move(text)); }
  void list(std::vector<PageItem> items);
  void table(std::vector<Table::Column> columns, std::vector<std::vector<std::string>> rows);
  void drawing(std::vector<std::string> lines);

  [[nodiscard]] const std::vector<PageBlock>& blocks() const { return blocks_; }

 private:
  void add(PageBlock::Kind kind, std::string text);

  std::vector<PageBlock> blocks_;
};

[[nodiscard]] std::string page_text(const Page& page, const TextStyle& style);

// Headings begin at the second level; drawings are code. Any text is safe: what would be markup is
// escaped.
[[nodiscard]] std::string page_markdown(const Page& page);

}  // namespace lockstep::report::layout
