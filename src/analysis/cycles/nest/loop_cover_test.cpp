// The choice of loops against the shortest description that there is, found by trying everything.
#include "analysis/cycles/nest/loop_cover.h"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/nest/loop_candidates.h"

namespace lockstep::analysis::cycles {
namespace {

using Symbols = std::vector<std::uint32_t>;

Symbols symbols_of(std::string_view letters) { return {letters.begin(), letters.end()}; }

std::vector<PlacedLoop> chosen_from(const Symbols& symbols) {
  const algo::SequenceHash hash(symbols);
  return choose_loops(exact_candidates(hash), hash, 0.05);
}

// "2 x 3 at 1", one a loop.
std::vector<std::string> words_for(std::string_view letters) {
  std::vector<std::string> words;
  for (const PlacedLoop& loop : chosen_from(symbols_of(letters))) {
    words.push_back(std::to_string(loop.complete) + " x " + std::to_string(loop.candidate.period) +
                    " at " + std::to_string(loop.start));
  }
  return words;
}

// What the chosen loops cost, with those chosen in their bodies.
std::uint32_t cost_of_choice(const Symbols& symbols) {
  auto cost = static_cast<std::uint32_t>(symbols.size());
  for (const PlacedLoop& loop : chosen_from(symbols)) {
    const auto begin = symbols.begin() + loop.start;
    cost -= loop.complete * loop.candidate.period;
    cost += kLoopCost + cost_of_choice(Symbols(begin, begin + loop.candidate.period));
  }
  return cost;
}

// The least cost of any description, from the definition.
class EveryDescription {
 public:
  std::uint32_t least_cost(const Symbols& symbols) {
    if (symbols.empty()) return 0;
    if (const auto found = known_.find(symbols); found != known_.end()) return found->second;
    std::uint32_t least = 1 + least_cost(Symbols(symbols.begin() + 1, symbols.end()));
    for (std::size_t period = 1; 2 * period <= symbols.size(); ++period) {
      const auto body_end = symbols.begin() + static_cast<std::ptrdiff_t>(period);
      const std::uint32_t body = kLoopCost + least_cost(Symbols(symbols.begin(), body_end));
      for (auto at = body_end; symbols.end() - at >= body_end - symbols.begin();) {
        if (!std::equal(symbols.begin(), body_end, at)) break;
        at += static_cast<std::ptrdiff_t>(period);
        least = std::min(least, body + least_cost(Symbols(at, symbols.end())));
      }
    }
    return known_[symbols] = least;
  }

 private:
  std::map<Symbols, std::uint32_t> known_;
};

TEST(ChooseLoops, FindsNothingWhereNothingRepeats) {
  EXPECT_TRUE(words_for("").empty());
  EXPECT_TRUE(words_for("a").empty());
  EXPECT_TRUE(words_for("abcdef").empty());
}

TEST(ChooseLoops, TwoOuterIterationsBeatTheLoopsInside) {
  EXPECT_EQ(words_for("xababababyzxababababyz"), (std::vector<std::string>{"2 x 11 at 0"}));
}

TEST(ChooseLoops, ALoopThatSavesNothingIsNone) {
  EXPECT_TRUE(words_for("xaay").empty());    // 2 x 1 costs three instead of two
  EXPECT_TRUE(words_for("xababy").empty());  // 2 x 2 costs four, as much as it covers
  EXPECT_EQ(words_for("xabcabcy"), (std::vector<std::string>{"2 x 3 at 1"}));
}

TEST(ChooseLoops, TheRemainderOfARunIsOutside) {
  EXPECT_EQ(words_for("abcdabcdab"), (std::vector<std::string>{"2 x 4 at 0"}));
}

TEST(ChooseLoops, ARunThatBeginsInsideItsNeighbourBeginsAfterIt) {
  // The last kernel of the first loop is also the last one of the second's body.
  EXPECT_EQ(words_for("abcz"
                      "abcz"
                      "abcz"
                      "defz"
                      "defz"
                      "defz"),
            (std::vector<std::string>{"3 x 4 at 0", "3 x 4 at 12"}));
}

TEST(ChooseLoops, EqualSavingsGoToTheSmallerPeriod) {
  EXPECT_EQ(words_for("aaaaaaaa"), (std::vector<std::string>{"8 x 1 at 0"}));
}

TEST(ChooseLoops, ExceptionsCost) {
  const Symbols symbols = symbols_of("abcdefghabcdefghabcdefgh");
  const algo::SequenceHash hash(symbols);
  std::vector<LoopCandidate> candidates = exact_candidates(hash);
  ASSERT_EQ(candidates.size(), 1U);
  candidates[0].exceptions = 13;  // 24 kernels for 2 + 8 + 13
  EXPECT_EQ(choose_loops(candidates, hash, 1.0).size(), 1U);
  candidates[0].exceptions = 14;
  EXPECT_TRUE(choose_loops(candidates, hash, 1.0).empty());
}

TEST(ChooseLoops, ALoopOfLoopsMayHaveFewerExceptions) {
  const Symbols symbols = symbols_of("abababababxyabababababxy");
  const algo::SequenceHash hash(symbols);
  std::vector<LoopCandidate> candidates = exact_candidates(hash);
  for (LoopCandidate& candidate : candidates) {
    if (candidate.period == 12) candidate.exceptions = 2;  // of 24 kernels
  }
  EXPECT_EQ(choose_loops(candidates, hash, 0.10).size(), 1U);
  EXPECT_EQ(choose_loops(candidates, hash, 0.05).size(), 2U);
}

RC_GTEST_PROP(ChooseLoops, IsTheShortestDescriptionOfANest, ()) {
  // outer x (head, inner x body, tail) with kernels of their own in every part
  const auto part = [](std::uint32_t first, std::uint32_t size) {
    Symbols symbols(size);
    for (std::uint32_t i = 0; i < size; ++i) symbols[i] = first + i;
    return symbols;
  };
  const auto size = [](std::uint32_t least) { return *rc::gen::inRange(least, least + 3); };
  const Symbols head = part(0, size(0));
  const Symbols body = part(10, size(1));
  const Symbols tail = part(20, size(1));
  const std::uint32_t inner = size(2);
  const std::uint32_t outer = size(2);
  Symbols symbols;
  for (std::uint32_t o = 0; o < outer; ++o) {
    symbols.insert(symbols.end(), head.begin(), head.end());
    for (std::uint32_t i = 0; i < inner; ++i)
      symbols.insert(symbols.end(), body.begin(), body.end());
    symbols.insert(symbols.end(), tail.begin(), tail.end());
  }
  RC_ASSERT(cost_of_choice(symbols) == EveryDescription().least_cost(symbols));
}

RC_GTEST_PROP(ChooseLoops, IsNeverLongerThanNoLoopsAndNearTheShortest, ()) {
  const auto symbols =
      *rc::gen::container<Symbols>(*rc::gen::inRange(0, 16), rc::gen::inRange<std::uint32_t>(0, 3));
  const std::uint32_t cost = cost_of_choice(symbols);
  const std::uint32_t least = EveryDescription().least_cost(symbols);
  RC_ASSERT(cost >= least);
  RC_ASSERT(cost <= symbols.size());
  // Runs are placed at three places of many: chance strings lose a little by that.
  RC_ASSERT(cost <= least + 2);
}

RC_GTEST_PROP(ChooseLoops, LoopsAreRealAndApart, ()) {
  const auto symbols = *rc::gen::container<Symbols>(rc::gen::inRange<std::uint32_t>(0, 3));
  std::uint32_t at = 0;
  for (const PlacedLoop& loop : chosen_from(symbols)) {
    RC_ASSERT(loop.start >= at);
    RC_ASSERT(loop.complete >= 2U);
    RC_ASSERT(loop.end() <= symbols.size());
    for (std::uint32_t i = loop.start + loop.candidate.period; i < loop.end(); ++i)
      RC_ASSERT(symbols[i] == symbols[i - loop.candidate.period]);
    at = loop.end();
  }
}

}  // namespace
}  // namespace lockstep::analysis::cycles
