// Names of kernels in a table, where one may have become another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lockstep::report::compare {

// Printable text.
struct RowName {
  std::string a;
  std::string b = {};    // what it became; empty where there is nothing to say
  std::string end = {};  // stands behind, whole
};

// "a -> b (end)", each in at most `width` columns where that is 12 at least, and different kernels
// of one table differently. Names are shortened in their middle, and the shorter one of a line
// keeps what it needs; where two would look alike, around what tells them apart. Where that leaves
// no difference between the names of one line: "gemm<float, {2 -> 5}" and an ellipsis.
[[nodiscard]] std::vector<std::string> row_names(std::span<const RowName> rows, std::size_t width);

}  // namespace lockstep::report::compare
