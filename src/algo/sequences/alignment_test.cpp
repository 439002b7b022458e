// Claims on alignments, and comparison with a plain recursive table and with all rotations.
#include "algo/sequences/alignment.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Classes = std::vector<std::uint32_t>;
using Pairs = std::vector<AlignedElements>;

constexpr std::uint32_t kClasses = 6;
constexpr std::uint16_t kGap = 10;

// Classes 2k and 2k + 1 are alike (cost 4), others never go together; sizes weigh up to 3.
std::vector<std::uint16_t> ladder() {
  std::vector<std::uint16_t> cost(std::size_t{kClasses} * kClasses, kNeverAligned);
  for (std::uint32_t i = 0; i < kClasses; ++i) {
    for (std::uint32_t j = 0; j < kClasses; ++j) {
      if (i == j) cost[i * kClasses + j] = 0;
      if (i != j && i / 2 == j / 2) cost[i * kClasses + j] = 4;
    }
  }
  return cost;
}

struct Sequences {
  Classes a;
  Classes b;
  std::vector<std::uint8_t> size_a;
  std::vector<std::uint8_t> size_b;
  std::vector<std::uint16_t> cost = ladder();

  Sequences(Classes left, Classes right)
      : a(std::move(left)), b(std::move(right)), size_a(a.size()), size_b(b.size()) {}

  [[nodiscard]] AlignmentProblem problem() const {
    return {a, b, size_a, size_b, cost, kClasses, 3, kGap};
  }
  void rotate_b(std::uint32_t rotation) {
    std::ranges::rotate(b, b.begin() + rotation);
    std::ranges::rotate(size_b, size_b.begin() + rotation);
  }
};

// The textbook table, without any saving.
std::uint64_t slow_cost(const Sequences& s) {
  const std::size_t width = s.b.size() + 1;
  std::vector<std::uint64_t> table((s.a.size() + 1) * width);
  for (std::size_t i = 0; i <= s.a.size(); ++i) {
    for (std::size_t j = 0; j <= s.b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i * width + j] = (i + j) * kGap;
        continue;
      }
      std::uint64_t best = std::min(table[(i - 1) * width + j], table[i * width + j - 1]) + kGap;
      const std::uint16_t pair = s.cost[s.a[i - 1] * kClasses + s.b[j - 1]];
      if (pair != kNeverAligned) {
        const int off = std::min(3, std::abs(s.size_a[i - 1] - s.size_b[j - 1]));
        best =
            std::min(best, table[(i - 1) * width + j - 1] + pair + static_cast<std::uint64_t>(off));
      }
      table[i * width + j] = best;
    }
  }
  return table.back();
}

// Adds up what the listing says, and checks that it lists everything once and in order.
std::uint64_t listed_cost(const Sequences& s, const Alignment& alignment) {
  std::uint64_t cost = 0;
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  for (const AlignedElements& at : alignment.elements) {
    if (at.a != kNoElement) RC_ASSERT(at.a == i++);
    if (at.b != kNoElement) RC_ASSERT(at.b == j++);
    if (at.a == kNoElement || at.b == kNoElement) {
      cost += kGap;
      continue;
    }
    cost += s.cost[s.a[at.a] * kClasses + s.b[at.b]];
    cost += static_cast<std::uint64_t>(std::min(3, std::abs(s.size_a[at.a] - s.size_b[at.b])));
  }
  RC_ASSERT(i == s.a.size());
  RC_ASSERT(j == s.b.size());
  return cost;
}

Sequences any_sequences(std::size_t longest) {
  const auto classes = rc::gen::inRange<std::uint32_t>(0, kClasses);
  const auto sizes = rc::gen::inRange<std::uint8_t>(0, 5);
  Sequences s(*rc::gen::container<Classes>(*rc::gen::inRange<std::size_t>(0, longest), classes),
              *rc::gen::container<Classes>(*rc::gen::inRange<std::size_t>(0, longest), classes));
  s.size_a = *rc::gen::container<std::vector<std::uint8_t>>(s.a.size(), sizes);
  s.size_b = *rc::gen::container<std::vector<std::uint8_t>>(s.b.size(), sizes);
  return s;
}

// A long, mildly changed copy: enough cells for the divide and conquer.
Sequences long_sequences(std::uint32_t length) {
  Classes a(length);
  std::uint32_t state = 12345;
  for (std::uint32_t& value : a) {
    state = state * 1'664'525U + 1'013'904'223U;
    value = (state >> 24) % kClasses;
  }
  Classes b = a;
  for (std::size_t i = 7; i < b.size(); i += 97) b.erase(b.begin() + static_cast<long>(i));
  for (std::size_t i = 11; i < b.size(); i += 53) b[i] ^= 1U;
  return {a, b};
}

TEST(Alignment, EqualSequencesCostNothing) {
  const Alignment alignment = align(Sequences({0, 2, 4}, {0, 2, 4}).problem());
  EXPECT_EQ(alignment.cost, 0U);
  EXPECT_EQ(alignment.elements, (Pairs{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(Alignment, NothingAgainstSomethingIsGaps) {
  const Alignment alignment = align(Sequences({}, {0, 1}).problem());
  EXPECT_EQ(alignment.cost, 2U * kGap);
  EXPECT_EQ(alignment.elements, (Pairs{{kNoElement, 0}, {kNoElement, 1}}));
  EXPECT_EQ(align(Sequences({}, {}).problem()).cost, 0U);
  // Not even classes on one side: the table of costs is empty.
  const Classes one = {0};
  const std::vector<std::uint8_t> size = {5};
  EXPECT_EQ(align({one, {}, size, {}, {}, 0, 3, kGap}).cost, std::uint64_t{kGap});
}

TEST(Alignment, LikeClassesGoTogetherAndUnlikeOnesStandAlone) {
  EXPECT_EQ(align(Sequences({0, 2}, {1, 4}).problem()).elements,
            (Pairs{{0, 0}, {1, kNoElement}, {kNoElement, 1}}));
}

TEST(Alignment, SizesDecideBetweenEqualPlaces) {
  Sequences s({0}, {0, 0});
  s.size_a = {9};
  s.size_b = {1, 9};
  EXPECT_EQ(align(s.problem()).elements, (Pairs{{kNoElement, 0}, {0, 1}}));
  s.size_b = {9, 1};
  EXPECT_EQ(align(s.problem()).elements, (Pairs{{0, 0}, {kNoElement, 1}}));
}

TEST(Alignment, SizesNeverCostMoreThanTheirLimit) {
  Sequences s({0}, {0});
  s.size_a = {200};
  EXPECT_EQ(align(s.problem()).cost, 3U);
}

TEST(Alignment, LongSequencesAreAlignedInLinearMemoryAtTheSameCost) {
  const Sequences s = long_sequences(4'000);
  const Alignment alignment = align(s.problem());
  EXPECT_EQ(alignment.cost, alignment_cost(s.problem()));
  EXPECT_EQ(alignment.cost, listed_cost(s, alignment));
  EXPECT_EQ(alignment.cost, slow_cost(s));
}

TEST(Rotation, TurnedSequenceIsTurnedBack) {
  Sequences s({0, 2, 4, 4, 2}, {4, 2, 0, 2, 4});
  EXPECT_EQ(best_rotation(s.problem()), 2U);
}

TEST(Rotation, NoTurnWithoutGain) {
  EXPECT_EQ(best_rotation(Sequences({0, 0, 0}, {0, 0}).problem()), 0U);
  EXPECT_EQ(best_rotation(Sequences({0, 0}, {2, 2, 4}).problem()), 0U);
  EXPECT_EQ(best_rotation(Sequences({}, {0, 1}).problem()), 0U);
  EXPECT_EQ(best_rotation(Sequences({0, 1}, {}).problem()), 0U);
}

TEST(Rotation, LongChangedSequenceIsTurnedBackWithoutTryingAll) {
  Sequences s = long_sequences(600);
  const std::uint64_t straight = alignment_cost(s.problem());
  const auto length = static_cast<std::uint32_t>(s.b.size());
  for (const std::uint32_t turn : {1U, 100U, length - 1}) {
    s.rotate_b(turn);
    const std::uint32_t rotation = best_rotation(s.problem());
    s.rotate_b(rotation);
    EXPECT_LE(alignment_cost(s.problem()), straight) << turn;
    s.rotate_b((2 * length - turn - rotation) % length);
  }
}

RC_GTEST_PROP(AlignmentProperties, CostIsThatOfTheTextbookTable, ()) {
  const Sequences s = any_sequences(12);
  const Alignment alignment = align(s.problem());
  RC_ASSERT(alignment.cost == slow_cost(s));
  RC_ASSERT(alignment.cost == listed_cost(s, alignment));
  RC_ASSERT(alignment_cost(s.problem()) == alignment.cost);
}

RC_GTEST_PROP(AlignmentProperties, NarrowBandLosesNothing, ()) {
  // Long enough that the first band does not hold everything, with edits of any extent.
  Sequences s = long_sequences(*rc::gen::inRange<std::uint32_t>(150, 300));
  const auto edits = *rc::gen::inRange<int>(0, 6);
  for (int i = 0; i < edits; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, s.b.size());
    const auto length = *rc::gen::inRange<std::size_t>(0, s.b.size() / 2);
    const auto begin = s.b.begin() + static_cast<long>(at);
    const auto end = s.b.begin() + static_cast<long>(std::min(at + length, s.b.size()));
    if (*rc::gen::arbitrary<bool>()) {
      s.b.erase(begin, end);
      s.b.push_back(0);
    } else {
      const Classes copy(begin, end);
      s.b.insert(begin, copy.begin(), copy.end());
    }
  }
  s.size_b.resize(s.b.size());
  const Alignment alignment = align(s.problem());
  RC_ASSERT(alignment.cost == slow_cost(s));
  RC_ASSERT(alignment.cost == listed_cost(s, alignment));
}

RC_GTEST_PROP(AlignmentProperties, RotationIsTheBestOfAll, ()) {
  Sequences s = any_sequences(8);
  const std::uint32_t rotation = best_rotation(s.problem());
  std::uint64_t best = slow_cost(s);
  Sequences turned = s;
  for (std::size_t i = 0; i < s.b.size(); ++i) {
    turned.rotate_b(1);
    best = std::min(best, slow_cost(turned));
  }
  RC_ASSERT(rotation < std::max<std::size_t>(s.b.size(), 1));
  s.rotate_b(rotation);
  RC_ASSERT(slow_cost(s) == best);
}

}  // namespace
}  // namespace lockstep::algo
