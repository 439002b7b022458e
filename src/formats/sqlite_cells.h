// The cells of one page of a database (SQLite's file format, sections 1.5, 1.6 and 2.1): rows of
// tables, and branches that lead to more of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

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

[[nodiscard]] inline std::uint32_t number_at(SqlitePage page, std::size_t at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | page[at + i];
  return value;
}

// SQLite's numbers of variable length, cut off where the page ends. Moves `at` behind it.
[[nodiscard]] std::uint64_t variable_at(SqlitePage page, std::size_t& at);

// Whether cells, free blocks and fragments fill the part of the page that they are said to fill,
// no cell is there twice, and every row is of one piece. `header` is where its head begins.
[[nodiscard]] bool adds_up(SqlitePage page, std::size_t header);

}  // namespace lockstep
