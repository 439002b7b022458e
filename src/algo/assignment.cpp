// The Hungarian method by shortest augmenting paths (Jonker and Volgenant 1987), row by row.
#include "algo/assignment.h"

#include <algorithm>
#include <limits>

namespace lockstep::algo {
namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Rows are the smaller side. Behind the real columns each row has one of its own that costs 0:
// being left alone.
class Assigner {
 public:
  Assigner(std::span<const std::int64_t> values, std::uint32_t rows, std::uint32_t columns,
           bool is_transposed)
      : values_(values),
        rows_(rows),
        columns_(columns),
        is_transposed_(is_transposed),
        row_price_(rows),
        column_price_(std::size_t{columns} + rows),
        row_of_(std::size_t{columns} + rows, kNone) {}

  void assign(std::uint32_t row) {
    distance_.assign(column_price_.size(), kFar);
    came_from_.assign(column_price_.size(), kNone);
    is_done_.assign(column_price_.size(), false);
    std::uint32_t at = row;  // the row whose columns are looked at
    std::uint32_t via = kNone;
    std::int64_t travelled = 0;
    while (true) {
      look_from(at, via, travelled);
      const std::uint32_t next = nearest();
      travelled = distance_[next];
      is_done_[next] = true;
      via = next;
      if (row_of_[next] == kNone) break;
      at = row_of_[next];
    }
    raise_prices(row, travelled);
    for (std::uint32_t column = via; column != kNone;) {
      const std::uint32_t before = came_from_[column];
      row_of_[column] = before == kNone ? row : row_of_[before];
      column = before;
    }
  }

  [[nodiscard]] std::uint32_t row_of(std::uint32_t column) const { return row_of_[column]; }

 private:
  [[nodiscard]] std::int64_t value(std::uint32_t row, std::uint32_t column) const {
    return is_transposed_ ? values_[std::size_t{column} * rows_ + row]
                          : values_[std::size_t{row} * columns_ + column];
  }

  void look_from(std::uint32_t row, std::uint32_t via, std::int64_t travelled) {
    const auto try_column = [&](std::uint32_t column, std::int64_t cost) {
      const std::int64_t through = travelled + cost - row_price_[row] - column_price_[column];
      if (is_done_[column] || through >= distance_[column]) return;
      distance_[column] = through;
      came_from_[column] = via;
    };
    for (std::uint32_t column = 0; column < columns_; ++column) {
      if (const std::int64_t worth = value(row, column); worth > 0) try_column(column, -worth);
    }
    try_column(columns_ + row, 0);
  }

  [[nodiscard]] std::uint32_t nearest() const {
    std::uint32_t best = kNone;
    for (std::uint32_t column = 0; column < distance_.size(); ++column) {
      if (is_done_[column]) continue;
      if (best == kNone || distance_[column] < distance_[best]) best = column;
    }
    return best;
  }

  void raise_prices(std::uint32_t row, std::int64_t travelled) {
    row_price_[row] += travelled;
    for (std::uint32_t column = 0; column < distance_.size(); ++column) {
      if (!is_done_[column]) continue;
      const std::int64_t rise = travelled - distance_[column];
      if (row_of_[column] != kNone) row_price_[row_of_[column]] += rise;
      column_price_[column] -= rise;
    }
  }

  std::span<const std::int64_t> values_;
  std::uint32_t rows_;
  std::uint32_t columns_;
  bool is_transposed_;
  std::vector<std::int64_t> row_price_;
  std::vector<std::int64_t> column_price_;
  std::vector<std::uint32_t> row_of_;  // by column
  std::vector<std::int64_t> distance_;
  std::vector<std::uint32_t> came_from_;
  std::vector<bool> is_done_;
};

}  // namespace

std::vector<std::optional<std::uint32_t>> best_assignment(std::span<const std::int64_t> values,
                                                          std::uint32_t rows,
                                                          std::uint32_t columns) {
  const bool is_transposed = rows > columns;
  const std::uint32_t smaller = std::min(rows, columns);
  const std::uint32_t larger = std::max(rows, columns);
  Assigner assigner(values, smaller, larger, is_transposed);
  for (std::uint32_t row = 0; row < smaller; ++row) assigner.assign(row);
  std::vector<std::optional<std::uint32_t>> column_of(rows);
  for (std::uint32_t column = 0; column < larger; ++column) {
    const std::uint32_t row = assigner.row_of(column);
    if (row == kNone) continue;
    if (is_transposed) {
      column_of[column] = row;
    } else {
      column_of[row] = column;
    }
  }
  return column_of;
}

}  // namespace lockstep::algo
