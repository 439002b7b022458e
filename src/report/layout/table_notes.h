// Lines of text between the rows of a table: what is worth saying on one row and fits in no column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/layout/text_style.h"

namespace lockstep::report::layout {

class TableNotes {
 public:
  // On the next row; nothing to say is said by an empty list.
  void add(std::vector<std::string> lines, std::size_t indent) {
    rows_.push_back({std::move(lines), indent});
  }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  friend std::string with_notes(const std::string& table, const TableNotes& notes,
                                const TextStyle& style);
  struct Row {
    std::vector<std::string> lines;
    std::size_t indent = 0;
  };
  std::vector<Row> rows_;
};

// `table` as Table::render gives it, with the notes of each row wrapped below it.
[[nodiscard]] std::string with_notes(const std::string& table, const TableNotes& notes,
                                     const TextStyle& style);

}  // namespace lockstep::report::layout
