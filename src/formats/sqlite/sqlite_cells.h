// The cells of one page of a database (SQLite's file format, sections 1.5, 1.6 and 2.1): rows of
// tables, and branches that lead to more of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "formats/sqlite/sqlite_numbers.h"

namespace lockstep::formats::sqlite {

using SqlitePage = std::span<const unsigned char>;  // what of it is usable

// The sorts of pages that have cells: the first byte of their head.
inline constexpr unsigned char kLeaf = 0x0D;
inline constexpr unsigned char kBranch = 0x05;
inline constexpr unsigned char kIndexLeaf = 0x0A;  // of tables WITHOUT ROWID, too
inline constexpr unsigned char kIndexBranch = 0x02;

inline constexpr std::uint32_t kLeastCellBytes = 4;

[[nodiscard]] inline bool is_leaf(unsigned char sort) {
  return sort == kLeaf || sort == kIndexLeaf;
}
[[nodiscard]] inline bool is_of_index(unsigned char sort) {
  return sort == kIndexLeaf || sort == kIndexBranch;
}

// SQLite's numbers of variable length, cut off where the page ends. Moves `at` behind it.
[[nodiscard]] std::uint64_t variable_at(SqlitePage page, std::size_t& at);

// Of the rows of a leaf or the keys of a branch, which ascend.
struct RowNumbers {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();

  [[nodiscard]] bool is_empty() const { return first > last; }
};

struct PageRows {
  RowNumbers numbers;             // those of an index have none
  std::uint32_t most_values = 0;  // of a row, as far as its head lies on the page
};

// The rows of a page. Nothing where the page
// contradicts itself: cells, free blocks and fragments fill the part of it that they are said to
// fill, no cell is there twice, every row is of one piece, and the numbers of rows ascend. `header`
// is where its head begins.
[[nodiscard]] std::optional<PageRows> sound_rows(SqlitePage page, std::size_t header);

}  // namespace lockstep::formats::sqlite
