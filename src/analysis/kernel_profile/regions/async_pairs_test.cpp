// Claims on the pairing of asynchronous work, and comparison with a search through all ends.
#include "analysis/kernel_profile/regions/async_pairs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/kernel_profile/profile_for_test.h"

namespace lockstep::analysis::kernel_profile {
namespace {

TimedAsyncEdge edge(bool is_begin, std::uint32_t lane, std::int64_t at, std::int64_t band = 0,
                    std::uint32_t token = 1) {
  return {.launch = 0,
          .lane = lane,
          .event = 5,
          .token = token,
          .at = {ns(at), ns(band)},
          .is_begin = is_begin,
          .block = 0};
}

std::vector<AsyncPair> pairs_of(const std::vector<TimedAsyncEdge>& edges) {
  Diagnostics findings;
  return pair_async_edges(edges, findings);
}

TEST(AsyncPairs, TokensThatAreUsedAgainPairInOrder) {
  const auto pairs =
      pairs_of({edge(true, 0, 0), edge(false, 1, 10), edge(true, 0, 20), edge(false, 1, 30)});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].end.time, ns(10));
  EXPECT_EQ(pairs[1].begin.time, ns(20));
  EXPECT_EQ(pairs[1].end.time, ns(30));
}

TEST(AsyncPairs, TokensOfABlockPairInTheBlockFirst) {
  const auto of_block = [](std::uint64_t block, TimedAsyncEdge edge) {
    edge.block = block;
    return edge;
  };
  // Block 1 is done before block 0 has its first end; work of block 2 ends in block 3.
  const auto pairs = pairs_of({of_block(0, edge(true, 0, 0)), of_block(0, edge(false, 1, 90)),
                               of_block(1, edge(true, 2, 10)), of_block(1, edge(false, 3, 20)),
                               of_block(2, edge(true, 4, 30)), of_block(3, edge(false, 5, 40))});
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].end_lane, 1U);
  EXPECT_EQ(pairs[1].end_lane, 3U);
  EXPECT_EQ(pairs[2].end_lane, 5U);
}

TEST(AsyncPairs, EndBeforeItsBeginPairsOnlyInsideTheBands) {
  EXPECT_EQ(pairs_of({edge(true, 0, 20, 3), edge(false, 1, 15, 2)}).size(), 1U);
  EXPECT_TRUE(pairs_of({edge(true, 0, 20, 2), edge(false, 1, 15, 2)}).empty());
}

TEST(AsyncPairs, OneLaneKnowsItsOwnOrder) {
  // The first end belongs to work from before; bands would allow it.
  const auto pairs =
      pairs_of({edge(false, 0, 15, 40), edge(true, 0, 20, 40), edge(false, 0, 30, 40)});
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].end.time, ns(30));
}

TEST(AsyncPairs, UnknownBandsDoNotOverflow) {
  constexpr Time kUnknown{std::numeric_limits<std::int64_t>::max()};
  TimedAsyncEdge begin = edge(true, 0, 500);
  TimedAsyncEdge end = edge(false, 1, 100);
  begin.at.uncertainty = end.at.uncertainty = kUnknown;
  EXPECT_EQ(pairs_of({begin, end}).size(), 1U);
}

TEST(AsyncPairs, LoneEdgesAreNamed) {
  Diagnostics findings;
  EXPECT_TRUE(
      pair_async_edges({edge(true, 3, 20, 0, 8), edge(false, 4, 10, 0, 8)}, findings).empty());
  ASSERT_EQ(findings.entries().size(), 2U);
  EXPECT_EQ(findings.count_of(kLoneAsyncEnd), 1U);
  EXPECT_EQ(findings.count_of(kLoneAsyncBegin), 1U);
  EXPECT_EQ(findings.entries()[0].example, "event 5, token 8, lane 4");
}

// Without bands and with a lane for every edge: begins in order of time, each looking through all
// ends for the first that is left.
RC_GTEST_PROP(AsyncPairs, ExactTimesPairAsASearchThroughAllEndsDoes, ()) {
  std::vector<TimedAsyncEdge> edges;
  const auto count = *rc::gen::inRange(0U, 40U);
  for (std::uint32_t i = 0; i < count; ++i) {
    edges.push_back(edge(*rc::gen::arbitrary<bool>(), i, *rc::gen::inRange(0, 60), 0,
                         *rc::gen::inRange(0U, 2U)));
  }
  auto begins = edges;
  std::erase_if(begins, [](const TimedAsyncEdge& e) { return !e.is_begin; });
  const auto by_time = [](const TimedAsyncEdge& e) { return std::tuple(e.at.time, e.lane); };
  std::ranges::sort(begins, {}, by_time);
  std::vector<bool> is_used(edges.size());
  std::vector<std::tuple<std::uint32_t, std::uint32_t>> expected;
  for (const TimedAsyncEdge& begin : begins) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const TimedAsyncEdge& end = edges[i];
      if (end.is_begin || is_used[i] || end.token != begin.token || end.at.time < begin.at.time)
        continue;
      if (!best || by_time(end) < by_time(edges[*best])) best = i;
    }
    if (!best) continue;
    is_used[*best] = true;
    expected.emplace_back(begin.lane, edges[*best].lane);
  }
  Diagnostics findings;
  std::vector<std::tuple<std::uint32_t, std::uint32_t>> found;
  for (const AsyncPair& pair : pair_async_edges(edges, findings))
    found.emplace_back(pair.begin_lane, pair.end_lane);
  std::ranges::sort(expected);
  std::ranges::sort(found);
  RC_ASSERT(found == expected);
  RC_ASSERT(findings.count_of(kLoneAsyncBegin) == begins.size() - found.size());
  RC_ASSERT(findings.count_of(kLoneAsyncEnd) == edges.size() - begins.size() - found.size());
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
