// Claims on hashed comparison, against comparison symbol by symbol.
#include "algo/sequences/sequence_hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Symbols = std::vector<std::uint32_t>;

std::size_t slow_lce(const Symbols& symbols, std::size_t i, std::size_t j) {
  std::size_t length = 0;
  while (std::max(i, j) + length < symbols.size() && symbols[i + length] == symbols[j + length]) {
    ++length;
  }
  return length;
}

std::size_t slow_lcs(const Symbols& symbols, std::size_t i, std::size_t j) {
  std::size_t length = 0;
  while (length < std::min(i, j) && symbols[i - length - 1] == symbols[j - length - 1]) ++length;
  return length;
}

// A loop with some other symbols strewn in: extensions of all lengths.
Symbols loop_with_noise() {
  const auto size = *rc::gen::inRange<std::size_t>(0, 300);
  const auto period = *rc::gen::inRange<std::size_t>(1, 40);
  Symbols symbols(size);
  for (std::size_t at = 0; at < size; ++at) symbols[at] = static_cast<std::uint32_t>(at % period);
  const auto noise = *rc::gen::container<std::vector<std::size_t>>(
      rc::gen::inRange<std::size_t>(0, std::max<std::size_t>(size, 1)));
  for (std::size_t nth = 0; nth < noise.size() && nth < 4 && size > 0; ++nth) {
    symbols[noise[nth]] = 0xffffffff;
  }
  return symbols;
}

TEST(SequenceHash, EmptySequenceHasNoExtension) {
  const Symbols none;
  const SequenceHash hash(none);
  EXPECT_EQ(hash.lce(0, 0), 0U);
  EXPECT_EQ(hash.lcs(0, 0), 0U);
  EXPECT_TRUE(hash.equal(0, 0, 0));
}

TEST(SequenceHash, ExtensionOfAPositionWithItselfReachesTheEnds) {
  const Symbols symbols(100, 3);
  const SequenceHash hash(symbols);
  EXPECT_EQ(hash.lce(40, 40), 60U);
  EXPECT_EQ(hash.lcs(40, 40), 40U);
}

TEST(SequenceHash, BackwardExtensionStopsWhereTheCallerSays) {
  const Symbols symbols(100, 3);
  const SequenceHash hash(symbols);
  EXPECT_EQ(hash.lcs(50, 60, 5), 5U);
  EXPECT_EQ(hash.lcs(50, 60, 33), 33U);
}

TEST(SequenceHash, LeadingZerosCount) {
  const Symbols symbols = {0, 0, 1, 0, 1, 1};
  const SequenceHash hash(symbols);
  EXPECT_FALSE(hash.equal(0, 3, 3));
  EXPECT_TRUE(hash.equal(1, 3, 2));
}

TEST(SequenceHash, LengthsBeyondTheTableOfSmallPowersCompare) {
  Symbols symbols(20'000);
  for (std::size_t at = 0; at < symbols.size(); ++at) {
    symbols[at] = static_cast<std::uint32_t>((at % 10'000) * 2'654'435'761U);
  }
  symbols[19'000] ^= 1U;
  const SequenceHash hash(symbols);
  EXPECT_TRUE(hash.equal(0, 10'000, 9'000));
  EXPECT_FALSE(hash.equal(0, 10'000, 9'001));
  EXPECT_EQ(hash.lce(0, 10'000), 9'000U);
  EXPECT_EQ(hash.lcs(9'000, 19'000), 9'000U);
  EXPECT_EQ(hash.lcs(10'000, 20'000), 999U);
}

RC_GTEST_PROP(SequenceHash, ExtensionsEqualThoseSymbolBySymbol, ()) {
  const Symbols symbols = loop_with_noise();
  const SequenceHash hash(symbols);
  const auto i = *rc::gen::inRange<std::size_t>(0, symbols.size() + 1);
  const auto j = *rc::gen::inRange<std::size_t>(0, symbols.size() + 1);
  const std::size_t forwards = slow_lce(symbols, i, j);
  RC_ASSERT(hash.lce(i, j) == forwards);
  RC_ASSERT(hash.lcs(i, j) == slow_lcs(symbols, i, j));
  const std::size_t most = symbols.size() - std::max(i, j);
  for (std::size_t length = 0; length <= most; ++length) {
    RC_ASSERT(hash.equal(i, j, length) == (length <= forwards));
  }
}

}  // namespace
}  // namespace lockstep::algo
