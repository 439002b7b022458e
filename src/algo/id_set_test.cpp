// Claims on IdSet in both of its forms.
#include "algo/id_set.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {
namespace {

TEST(IdSet, EmptySetContainsNothing) {
  const IdSet ids;
  EXPECT_TRUE(ids.is_empty());
  EXPECT_FALSE(ids.contains(0));
}

TEST(IdSet, DenseIdsAreFoundAndTheirNeighboursAreNot) {
  const IdSet ids(std::vector<std::int64_t>{12, 10, 13, 10});
  EXPECT_FALSE(ids.is_empty());
  EXPECT_TRUE(ids.contains(10));
  EXPECT_FALSE(ids.contains(11));
  EXPECT_FALSE(ids.contains(9));
  EXPECT_FALSE(ids.contains(14));
}

TEST(IdSet, EndsOfTheTypeAreHeldTogether) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const IdSet ids(std::vector<std::int64_t>{kMax, kMin});
  EXPECT_TRUE(ids.contains(kMin));
  EXPECT_TRUE(ids.contains(kMax));
  EXPECT_FALSE(ids.contains(0));
}

RC_GTEST_PROP(IdSetProperties, ContainsWhatAListContains,
              (const std::vector<std::int64_t>& list, std::int64_t probe)) {
  const IdSet ids(list);
  for (const std::int64_t id : list) RC_ASSERT(ids.contains(id));
  RC_ASSERT(ids.contains(probe) == (std::ranges::find(list, probe) != list.end()));
}

}  // namespace
}  // namespace lockstep::algo
