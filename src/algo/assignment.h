// Optimal assignment: which rows go with which columns so that the sum of values is largest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::algo {

// values[row * columns + column]: what the pair is worth. Every row gets at most one column and
// every column at most one row; pairs worth 0 or less are never made (a caller that wants a price
// for leaving things alone subtracts it). The sum of the values of the pairs is the largest
// possible. Deterministic; of equally good answers the one that the order of rows and columns
// leads to. O(r^2 (r + c)) with r the smaller side. Values stay below 2^40 in magnitude.
[[nodiscard]] std::vector<std::optional<std::uint32_t>> best_assignment(
    std::span<const std::int64_t> values, std::uint32_t rows, std::uint32_t columns);

}  // namespace lockstep::algo
