// A plain table for terminals: aligned columns, no frame. Names give way to the width, then whole
// columns; names of kernels keep some room before other columns do. Different cells of a column are
// never shortened to the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lockstep::report::layout {

class Table {
 public:
  enum class Align { kLeft, kRight };
  // What a column is about: whole names of kernels are given room before other columns.
  enum class Holds : std::uint8_t { kText, kKernels, kShownKernels };
  struct Column {
    std::string title;
    Align align = Align::kRight;
    bool may_shrink = false;  // shortened in the middle where the table is too wide
    int drop_order = 0;       // left out where that does not help: 1 first; 0 never
    // Whole names of kernels, which the page makes short, or ones that are short already.
    Holds holds = Holds::kText;
    bool is_whole = false;  // never shortened, and not counted in the width: for the last column
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as columns; their text is made printable.
  void add_row(std::vector<std::string> cells);
  [[nodiscard]] bool is_empty() const { return rows_.empty(); }

  // Lines of at most `width` columns where that is possible, each indented by two.
  [[nodiscard]] std::string render(std::size_t width) const;

 private:
  [[nodiscard]] std::vector<std::size_t> column_widths(std::size_t width) const;
  // With the columns dropped up to this order, names shortened but not below `least`; a dropped
  // column is nothing wide.
  [[nodiscard]] std::vector<std::size_t> widths_without(int dropped, std::size_t width,
                                                        std::size_t least) const;
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;
  void render_row(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                  std::string& out) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace lockstep::report::layout
