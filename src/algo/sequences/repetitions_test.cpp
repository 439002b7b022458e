// Claims on maximal repetitions, against the definition and against a different algorithm.
#include "algo/sequences/repetitions.h"

#include <bit>
#include <ostream>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algo/sequences/main_lorentz_for_test.h"

namespace lockstep::algo {

void PrintTo(const Repetition& run, std::ostream* out) {
  *out << "[" << run.start << ", " << run.end << ") period " << run.period << " root " << run.root;
}

namespace {

using Symbols = std::vector<std::uint32_t>;
using Runs = std::vector<Repetition>;

Symbols symbols_of(std::string_view text) { return {text.begin(), text.end()}; }

Runs runs_of(std::string_view text) { return maximal_repetitions(symbols_of(text)); }

bool has_period(const Symbols& symbols, std::size_t start, std::size_t end, std::size_t period) {
  for (std::size_t at = start; at + period < end; ++at) {
    if (symbols[at] != symbols[at + period]) return false;
  }
  return true;
}

std::uint32_t slow_root(const Symbols& symbols, std::uint32_t start, std::uint32_t period) {
  const auto rotation = [&](std::uint32_t at) {
    return Symbols(symbols.begin() + at, symbols.begin() + at + period);
  };
  std::uint32_t least = start;
  for (std::uint32_t at = start + 1; at < start + period; ++at) {
    if (rotation(at) < rotation(least)) least = at;
  }
  return least;
}

// All stretches, all periods, word for word as the header defines them.
Runs slow_maximal_repetitions(const Symbols& symbols) {
  const auto size = static_cast<std::uint32_t>(symbols.size());
  Runs runs;
  for (std::uint32_t start = 0; start < size; ++start) {
    for (std::uint32_t period = 1; start + 2 * period <= size; ++period) {
      std::uint32_t end = start + period;
      while (end < size && symbols[end] == symbols[end - period]) ++end;
      const bool grows_left = start > 0 && symbols[start - 1] == symbols[start - 1 + period];
      bool is_least = true;
      for (std::uint32_t less = 1; less < period; ++less) {
        is_least = is_least && !has_period(symbols, start, end, less);
      }
      if (end - start < 2 * period || grows_left || !is_least) continue;
      runs.push_back({.start = start,
                      .end = end,
                      .period = period,
                      .root = slow_root(symbols, start, period)});
    }
  }
  return runs;
}

Symbols fibonacci(std::size_t size) {
  Symbols before = {1};
  Symbols word = {0};
  while (word.size() < size) {
    Symbols next = word;
    next.insert(next.end(), before.begin(), before.end());
    before = std::move(word);
    word = std::move(next);
  }
  word.resize(size);
  return word;
}

Symbols thue_morse(std::size_t size) {
  Symbols symbols(size);
  for (std::size_t at = 0; at < size; ++at) {
    symbols[at] = static_cast<std::uint32_t>(std::popcount(at) % 2);
  }
  return symbols;
}

Symbols random_symbols(std::size_t size, std::uint32_t letters, std::uint32_t seed) {
  std::mt19937 random(seed);
  Symbols symbols(size);
  for (std::uint32_t& symbol : symbols) symbol = static_cast<std::uint32_t>(random() % letters);
  return symbols;
}

// Passes of layers, one symbol in 200 replaced.
Symbols nested_with_noise(std::size_t size, std::uint32_t seed) {
  const Symbols layer = random_symbols(17, 9, seed);
  Symbols symbols;
  while (symbols.size() < size) {
    symbols.insert(symbols.end(), {20, 21, 22});
    for (int nth = 0; nth < 6; ++nth) symbols.insert(symbols.end(), layer.begin(), layer.end());
    symbols.push_back(23);
  }
  symbols.resize(size);
  std::mt19937 random(seed + 1);
  for (std::uint32_t& symbol : symbols) {
    if (random() % 200 == 0) symbol = static_cast<std::uint32_t>(100 + random() % 3);
  }
  return symbols;
}

void expect_bounds_of_the_runs_theorem(const Symbols& symbols, const Runs& runs) {
  EXPECT_LT(runs.size(), symbols.size());
  double exponents = 0;
  for (const Repetition& run : runs) {
    exponents += static_cast<double>(run.end - run.start) / run.period;
  }
  EXPECT_LT(exponents, 3.0 * static_cast<double>(symbols.size()));
}

void expect_agreement(const Symbols& symbols) {
  const Runs runs = maximal_repetitions(symbols);
  EXPECT_EQ(runs, main_lorentz::maximal_repetitions(symbols));
  expect_bounds_of_the_runs_theorem(symbols, runs);
}

TEST(Repetitions, NothingOneAndTwoSymbolsHaveWhatTheyMust) {
  EXPECT_EQ(runs_of(""), Runs{});
  EXPECT_EQ(runs_of("a"), Runs{});
  EXPECT_EQ(runs_of("ab"), Runs{});
  EXPECT_EQ(runs_of("aa"), (Runs{{0, 2, 1, 0}}));
}

TEST(Repetitions, OneSymbolOverAndOverIsOneRepetition) {
  EXPECT_EQ(runs_of("aaaaaaaaaaaaaaaaaaaaaaaa"), (Runs{{0, 24, 1, 0}}));
}

TEST(Repetitions, LastTurnMayBePartial) { EXPECT_EQ(runs_of("xabcabcabx"), (Runs{{1, 9, 3, 1}})); }

TEST(Repetitions, RootIsTheLeastRotationWhicheverWayTheLoopEnds) {
  EXPECT_EQ(runs_of("cabcabcz"), (Runs{{0, 7, 3, 1}}));
  EXPECT_EQ(runs_of("cabcabcA"), (Runs{{0, 7, 3, 1}}));
  EXPECT_EQ(runs_of("cabcabc"), (Runs{{0, 7, 3, 1}}));
}

TEST(Repetitions, AllRunsOfMississippi) {
  EXPECT_EQ(runs_of("mississippi"),
            (Runs{{1, 8, 3, 1}, {2, 4, 1, 2}, {5, 7, 1, 5}, {8, 10, 1, 8}}));
}

TEST(Repetitions, NestedLoopsAreAllFound) {
  EXPECT_EQ(runs_of("xababxababxabab"),
            (Runs{{0, 15, 5, 1}, {1, 5, 2, 1}, {6, 10, 2, 6}, {11, 15, 2, 11}}));
}

TEST(Repetitions, RunsThatStartTogetherComeByPeriod) {
  EXPECT_EQ(runs_of("aabaab"), (Runs{{0, 2, 1, 0}, {0, 6, 3, 0}, {3, 5, 1, 3}}));
}

TEST(Repetitions, SymbolsMayBeAnyNumbers) {
  const Symbols symbols = {0xffffffff, 0, 0xffffffff, 0};
  EXPECT_EQ(maximal_repetitions(symbols), (Runs{{0, 4, 2, 1}}));
}

TEST(Repetitions, FibonacciStringsAgreeWithMainLorentz) { expect_agreement(fibonacci(3000)); }

TEST(Repetitions, ThueMorseStringsAgreeWithMainLorentz) { expect_agreement(thue_morse(3000)); }

TEST(Repetitions, OneSymbolStringsAgreeWithMainLorentz) { expect_agreement(Symbols(2000, 7)); }

TEST(Repetitions, RandomStringsAgreeWithMainLorentz) {
  for (const std::uint32_t letters : {2U, 3U, 4U, 50U}) {
    expect_agreement(random_symbols(4000, letters, letters));
  }
}

TEST(Repetitions, NestedLoopsWithNoiseAgreeWithMainLorentz) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) expect_agreement(nested_with_noise(3000, seed));
}

TEST(Repetitions, StretchesOfOneSymbolBetweenLoopsAgreeWithMainLorentz) {
  Symbols symbols = nested_with_noise(500, 3);
  symbols.insert(symbols.end(), 700, 4);
  const Symbols more = nested_with_noise(500, 3);
  symbols.insert(symbols.end(), more.begin(), more.end());
  symbols.insert(symbols.end(), 300, 4);
  expect_agreement(symbols);
}

TEST(Repetitions, ManySymbolsKeepTheBoundsOfTheRunsTheorem) {
  const Symbols word = fibonacci(200'000);
  const Runs runs = maximal_repetitions(word);
  expect_bounds_of_the_runs_theorem(word, runs);
  EXPECT_GT(runs.size(), word.size() * 3 / 4);
}

// With base 1 the hash is the sum of the symbols, so that turns with two symbols swapped look
// alike.
TEST(Repetitions, HashCollisionsGiveNoWrongRepetition) {
  constexpr std::uint64_t kBlindBase = 1;
  Symbols body(40);
  for (std::uint32_t at = 0; at < body.size(); ++at) body[at] = at;
  Symbols symbols;
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    symbols.insert(symbols.end(), body.begin(), body.end());
    if (turn % 2 == 1) std::swap(symbols[symbols.size() - 20], symbols[symbols.size() - 19]);
  }
  EXPECT_EQ(maximal_repetitions(SequenceHash(symbols, kBlindBase)), (Runs{{0, 240, 80, 0}}));
}

RC_GTEST_PROP(Repetitions, EqualTheDefinition, ()) {
  const auto letters = *rc::gen::inRange<std::uint32_t>(1, 5);
  const auto size = *rc::gen::inRange<std::size_t>(0, 61);
  const auto symbols =
      *rc::gen::container<Symbols>(size, rc::gen::inRange<std::uint32_t>(0, letters));
  const Runs runs = maximal_repetitions(symbols);
  RC_ASSERT(runs == slow_maximal_repetitions(symbols));
  RC_ASSERT(runs == main_lorentz::maximal_repetitions(symbols));
}

// Random symbols repeat little: repeat some and break them.
RC_GTEST_PROP(Repetitions, OfBrokenLoopsEqualTheDefinition, ()) {
  const auto letters = *rc::gen::inRange<std::uint32_t>(1, 5);
  const auto period = *rc::gen::inRange<std::size_t>(1, 24);
  const auto size = *rc::gen::inRange<std::size_t>(1, 61);
  const auto body =
      *rc::gen::container<Symbols>(period, rc::gen::inRange<std::uint32_t>(0, letters));
  Symbols symbols(size);
  for (std::size_t at = 0; at < size; ++at) symbols[at] = body[at % period];
  symbols[*rc::gen::inRange<std::size_t>(0, size)] = *rc::gen::inRange<std::uint32_t>(0, letters);
  RC_ASSERT(maximal_repetitions(symbols) == slow_maximal_repetitions(symbols));
}

}  // namespace
}  // namespace lockstep::algo
