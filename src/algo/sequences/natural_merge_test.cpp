// Comparison with std::stable_sort.
#include "algo/sequences/natural_merge.h"

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

using Pair = std::pair<std::int8_t, std::int32_t>;  // key, where it stood

bool has_less_key(const Pair& a, const Pair& b) { return a.first < b.first; }

std::vector<Pair> numbered(const std::vector<std::int8_t>& keys) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < keys.size(); ++i)
    pairs.emplace_back(keys[i], static_cast<std::int32_t>(i));
  return pairs;
}

TEST(NaturalMerge, NothingAndOneStayAsTheyAre) {
  std::vector<Pair> none;
  natural_merge_sort(none, has_less_key);
  EXPECT_TRUE(none.empty());
  std::vector<Pair> one = numbered({7});
  natural_merge_sort(one, has_less_key);
  EXPECT_EQ(one, numbered({7}));
}

TEST(NaturalMerge, AnOddNumberOfRunsIsMergedWhole) {
  std::vector<Pair> pairs = numbered({5, 6, 3, 4, 1, 2});
  natural_merge_sort(pairs, has_less_key);
  EXPECT_TRUE(std::ranges::is_sorted(pairs, has_less_key));
}

TEST(NaturalMerge, ValuesFarFromTheirPlaceAreMerged) {
  std::vector<std::int8_t> keys;
  for (int i = 0; i < 100; ++i) keys.push_back(static_cast<std::int8_t>(i));
  keys.push_back(10);  // too far from its place to be moved there
  keys.push_back(9);
  keys.push_back(100);
  std::vector<Pair> pairs = numbered(keys);
  std::vector<Pair> expected = pairs;
  std::ranges::stable_sort(expected, has_less_key);
  natural_merge_sort(pairs, has_less_key);
  EXPECT_EQ(pairs, expected);
}

RC_GTEST_PROP(NaturalMergeProperties, IsAStableSort, (const std::vector<std::int8_t>& keys)) {
  std::vector<Pair> pairs = numbered(keys);
  std::vector<Pair> expected = pairs;
  std::ranges::stable_sort(expected, has_less_key);
  natural_merge_sort(pairs, has_less_key);
  RC_ASSERT(pairs == expected);
}

}  // namespace
}  // namespace lockstep::algo
