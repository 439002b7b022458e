// Claims on assignments, and comparison with all permutations, which is slow and obvious.
#include "algo/assignment.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Columns = std::vector<std::optional<std::uint32_t>>;
using Values = std::vector<std::int64_t>;

std::int64_t worth(const Values& values, std::uint32_t columns, const Columns& assigned) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < assigned.size(); ++row) {
    if (assigned[row]) sum += values[row * columns + *assigned[row]];
  }
  return sum;
}

// Tries, row after row, every free column and none.
std::int64_t best_worth(const Values& values, std::uint32_t columns, std::size_t row,
                        std::size_t rows, std::uint32_t taken) {
  if (row == rows) return 0;
  std::int64_t best = best_worth(values, columns, row + 1, rows, taken);
  for (std::uint32_t column = 0; column < columns; ++column) {
    if ((taken >> column & 1U) != 0) continue;
    best = std::max(best, values[row * columns + column] +
                              best_worth(values, columns, row + 1, rows, taken | 1U << column));
  }
  return best;
}

TEST(Assignment, NothingHasNoPairs) {
  EXPECT_EQ(best_assignment({}, 0, 0), Columns{});
  EXPECT_EQ(best_assignment({}, 2, 0), (Columns{std::nullopt, std::nullopt}));
  EXPECT_EQ(best_assignment({}, 0, 3), Columns{});
}

TEST(Assignment, BestSumBeatsBestSinglePair) {
  // Greedy takes 10 and is left with 1; the best sum is 9 + 8.
  EXPECT_EQ(best_assignment(Values{10, 9, 8, 1}, 2, 2), (Columns{1, 0}));
}

TEST(Assignment, WorthlessPairsAreNotMade) {
  EXPECT_EQ(best_assignment(Values{0, -5, -1, 3}, 2, 2), (Columns{std::nullopt, 1}));
}

TEST(Assignment, LeavingARowAloneMayBeBest) {
  EXPECT_EQ(best_assignment(Values{10, 9}, 2, 1), (Columns{0, std::nullopt}));
  EXPECT_EQ(best_assignment(Values{9, 10}, 2, 1), (Columns{std::nullopt, 0}));
}

TEST(Assignment, EqualValuesKeepTheOrder) {
  EXPECT_EQ(best_assignment(Values(9, 4), 3, 3), (Columns{0, 1, 2}));
}

TEST(Assignment, TextbookProblemHasItsKnownOptimum) {
  // Costs {9 2 7 8; 6 4 3 7; 5 8 1 8; 7 6 9 4}: minimum 13 by columns 2 1 3 4. Values are 10 -
  // cost.
  EXPECT_EQ(best_assignment(Values{1, 8, 3, 2, 4, 6, 7, 3, 5, 2, 9, 2, 3, 4, 1, 6}, 4, 4),
            (Columns{1, 0, 2, 3}));
}

RC_GTEST_PROP(AssignmentProperties, WorthIsThatOfTheBestOfAll, ()) {
  const auto rows = *rc::gen::inRange<std::uint32_t>(0, 7);
  const auto columns = *rc::gen::inRange<std::uint32_t>(0, 7);
  const auto values = *rc::gen::container<Values>(std::size_t{rows} * columns,
                                                  rc::gen::inRange<std::int64_t>(-5, 20));
  const Columns assigned = best_assignment(values, rows, columns);
  RC_ASSERT(assigned.size() == rows);
  std::vector<bool> is_taken(columns);
  for (std::size_t row = 0; row < rows; ++row) {
    if (!assigned[row]) continue;
    RC_ASSERT(!is_taken[*assigned[row]]);
    is_taken[*assigned[row]] = true;
    RC_ASSERT(values[row * columns + *assigned[row]] > 0);
  }
  RC_ASSERT(worth(values, columns, assigned) == best_worth(values, columns, 0, rows, 0));
}

}  // namespace
}  // namespace lockstep::algo
