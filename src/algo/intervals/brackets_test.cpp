// Claims on brackets, and comparison with trying all subsets.
#include "algo/intervals/brackets.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

// Ascending x, low <= high.
std::vector<Bracket> any_brackets() {
  struct Step {
    std::int64_t dx, low, width;
  };
  const auto steps = *rc::gen::container<std::vector<Step>>(rc::gen::construct<Step>(
      rc::gen::inRange<std::int64_t>(1, 6), rc::gen::inRange<std::int64_t>(0, 24),
      rc::gen::inRange<std::int64_t>(0, 8)));
  std::vector<Bracket> brackets;
  std::int64_t x = 0;
  for (const Step& step : steps) {
    x += step.dx;
    brackets.push_back({x, step.low, step.low + step.width});
  }
  return brackets;
}

TEST(Brackets, OfOneMomentAreIntersected) {
  std::vector<Bracket> brackets = {{5, 0, 10}, {1, 3, 4}, {5, 7, 20}};
  EXPECT_EQ(merge_brackets(brackets), 0U);
  EXPECT_EQ(brackets, (std::vector<Bracket>{{1, 3, 4}, {5, 7, 10}}));
}

TEST(Brackets, ThatContradictLeaveTheNarrowest) {
  std::vector<Bracket> brackets = {{5, 0, 10}, {5, 20, 21}, {5, 19, 30}};
  EXPECT_EQ(merge_brackets(brackets), 1U);
  EXPECT_EQ(brackets, (std::vector<Bracket>{{5, 20, 21}}));
}

TEST(Brackets, AnOutlierIsDroppedFromARisingCurve) {
  std::vector<Bracket> brackets = {{0, 0, 1}, {1, 900, 901}, {2, 4, 5}, {3, 6, 7}};
  EXPECT_EQ(keep_rising(brackets), 1U);
  EXPECT_EQ(brackets, (std::vector<Bracket>{{0, 0, 1}, {2, 4, 5}, {3, 6, 7}}));
}

TEST(Brackets, WideOnesWhoseMiddlesFallAreNoContradiction) {
  std::vector<Bracket> brackets = {{0, 0, 100}, {1, 10, 40}};
  EXPECT_EQ(keep_rising(brackets), 0U);
  EXPECT_EQ(brackets.size(), 2U);
}

RC_GTEST_PROP(Brackets, MergedHoldWhatAllOfOneMomentHold, ()) {
  auto brackets = any_brackets();
  for (Bracket& bracket : brackets) bracket.x /= 4;
  const auto before = brackets;
  const std::size_t contradictions = merge_brackets(brackets);
  RC_ASSERT(std::ranges::is_sorted(brackets, {}, &Bracket::x));
  for (std::size_t i = 1; i < brackets.size(); ++i) RC_ASSERT(brackets[i - 1].x < brackets[i].x);
  if (contradictions > 0) return;
  for (const Bracket& merged : brackets) {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    for (const Bracket& one : before) {
      if (one.x != merged.x) continue;
      low = std::max(low, one.low);
      high = std::min(high, one.high);
    }
    RC_ASSERT(merged == (Bracket{merged.x, low, high}));
  }
}

RC_GTEST_PROP(Brackets, KeptOnesRiseAndAreAsManyAsCanBe, ()) {
  auto brackets = any_brackets();
  if (brackets.size() > 10) brackets.resize(10);
  const auto middle = [](const Bracket& b) { return b.low + (b.high - b.low) / 2; };
  std::size_t most = 0;
  for (std::uint32_t subset = 0; subset < (1U << brackets.size()); ++subset) {
    std::vector<std::int64_t> chosen;
    for (std::size_t i = 0; i < brackets.size(); ++i) {
      if (((subset >> i) & 1U) != 0) chosen.push_back(middle(brackets[i]));
    }
    if (std::ranges::is_sorted(chosen)) most = std::max(most, chosen.size());
  }
  auto kept = brackets;
  const std::size_t dropped = keep_rising(kept);
  RC_ASSERT(kept.size() + dropped == brackets.size());
  RC_ASSERT(kept.size() >= most);
  std::int64_t reached = std::numeric_limits<std::int64_t>::min();
  for (const Bracket& bracket : kept) {
    RC_ASSERT(bracket.high >= reached);
    reached = std::max(reached, bracket.low);
  }
}

}  // namespace
}  // namespace lockstep::algo
