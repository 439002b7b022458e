// Claims on least rotations, and comparison with all rotations written out.
#include "algo/sequences/least_rotation.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Symbols = std::vector<std::uint32_t>;

std::size_t slow_least_rotation(const Symbols& symbols) {
  Symbols least = symbols;
  std::size_t least_at = 0;
  for (std::size_t at = 1; at < symbols.size(); ++at) {
    Symbols rotation = symbols;
    std::ranges::rotate(rotation, rotation.begin() + static_cast<std::ptrdiff_t>(at));
    if (rotation < least) {
      least = rotation;
      least_at = at;
    }
  }
  return least_at;
}

TEST(LeastRotation, OfNothingIsZero) { EXPECT_EQ(least_rotation({}), 0U); }

TEST(LeastRotation, OfOneSymbolIsZero) { EXPECT_EQ(least_rotation(Symbols{5}), 0U); }

TEST(LeastRotation, IsTheFirstOfEqualOnes) {
  EXPECT_EQ(least_rotation(Symbols{7, 7, 7}), 0U);
  EXPECT_EQ(least_rotation(Symbols{2, 1, 2, 1}), 1U);
}

TEST(LeastRotation, WrapsAround) { EXPECT_EQ(least_rotation(Symbols{1, 2, 0, 0}), 2U); }

TEST(LeastRotation, ComparesTheWholeRangeOfSymbols) {
  EXPECT_EQ(least_rotation(Symbols{0xffffffff, 0x80000000, 0x7fffffff}), 2U);
}

RC_GTEST_PROP(LeastRotation, EqualsTheLeastOfAllRotations, ()) {
  const auto letters = *rc::gen::inRange<std::uint32_t>(1, 5);
  const auto symbols = *rc::gen::container<Symbols>(rc::gen::inRange<std::uint32_t>(0, letters));
  RC_ASSERT(least_rotation(symbols) == slow_least_rotation(symbols));
}

}  // namespace
}  // namespace lockstep::algo
