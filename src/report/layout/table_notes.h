// Lines of text between the rows of a table: what is worth saying on one row and fits in no column.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/layout/text_style.h"

namespace lockstep::report::layout {

// Of one row; nothing to say is said by an empty list.
struct RowNotes {
  std::vector<std::string> lines = {};
  std::size_t indent = 0;
};

// `table` as Table::render gives it, with the notes of each row wrapped below it.
[[nodiscard]] std::string with_notes(const std::string& table, std::span<const RowNotes> notes,
                                     const TextStyle& style);

}  // namespace lockstep::report::layout
