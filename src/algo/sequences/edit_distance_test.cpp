// Claims on edit distances, against the whole table of distances between prefixes.
#include "algo/sequences/edit_distance.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>
#include <random>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::algo {

void PrintTo(const NearestPart& part, std::ostream* out) {
  *out << "distance " << part.distance << " length " << part.length;
}

namespace {

using Symbols = std::vector<std::uint32_t>;
using Table = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

Symbols symbols_of(std::string_view text) { return {text.begin(), text.end()}; }

Table table_of(const Symbols& a, const Symbols& b) {
  Table table(a.size() + 1, std::vector<std::uint32_t>(b.size() + 1));
  for (std::uint32_t i = 0; i <= a.size(); ++i) {
    for (std::uint32_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::uint32_t replace = a[i - 1] == b[j - 1] ? 0 : 1;
      table[i][j] =
          std::min({table[i - 1][j - 1] + replace, table[i - 1][j] + 1, table[i][j - 1] + 1});
    }
  }
  return table;
}

std::uint32_t slow_distance(const Symbols& a, const Symbols& b) {
  return table_of(a, b).back().back();
}

NearestPart slow_nearest_prefix(const Symbols& body, const Symbols& text) {
  const Table table = table_of(body, text);
  const auto rank = [&](std::size_t length) {
    const std::size_t away = std::max(length, body.size()) - std::min(length, body.size());
    return std::tuple(table.back()[length], away, length);
  };
  std::size_t best = 0;
  for (std::size_t length = 1; length <= text.size(); ++length) {
    if (rank(length) < rank(best)) best = length;
  }
  return {.distance = table.back()[best], .length = static_cast<std::uint32_t>(best)};
}

Symbols reversed(Symbols symbols) {
  std::ranges::reverse(symbols);
  return symbols;
}

// Edits that the partners stand for; nothing when they do not rise or point outside.
std::optional<std::uint32_t> cost_of(const EditAlignment& alignment, const Symbols& a,
                                     const Symbols& b) {
  if (alignment.partners.size() != b.size()) return std::nullopt;
  std::uint32_t cost = 0;
  std::size_t next = 0;
  for (std::size_t at = 0; at < b.size(); ++at) {
    const std::uint32_t partner = alignment.partners[at];
    if (partner == kUnaligned) {
      ++cost;
      continue;
    }
    if (partner < next || partner >= a.size()) return std::nullopt;
    cost += static_cast<std::uint32_t>(partner - next) + (a[partner] == b[at] ? 0 : 1);
    next = partner + 1;
  }
  return cost + static_cast<std::uint32_t>(a.size() - next);
}

Symbols any_symbols(std::uint32_t letters) {
  return *rc::gen::container<Symbols>(rc::gen::inRange<std::uint32_t>(0, letters));
}

// Like `symbols`, with some taken out, put in or replaced.
Symbols edited(Symbols symbols, std::size_t edits, std::mt19937& random) {
  for (std::size_t nth = 0; nth < edits && !symbols.empty(); ++nth) {
    const auto at = symbols.begin() + static_cast<std::ptrdiff_t>(random() % symbols.size());
    switch (random() % 3) {
      case 0:
        symbols.erase(at);
        break;
      case 1:
        symbols.insert(at, 1000);
        break;
      default:
        *at = 1001;
    }
  }
  return symbols;
}

TEST(EditDistance, GoldenWords) {
  EXPECT_EQ(bounded_edit_distance(symbols_of("kitten"), symbols_of("sitting"), kNoLimit), 3U);
  EXPECT_EQ(bounded_edit_distance(symbols_of("abc"), symbols_of("abc"), 0), 0U);
  EXPECT_EQ(bounded_edit_distance({}, symbols_of("abc"), kNoLimit), 3U);
  EXPECT_EQ(bounded_edit_distance(symbols_of("abc"), {}, kNoLimit), 3U);
  EXPECT_EQ(bounded_edit_distance({}, {}, 0), 0U);
}

TEST(EditDistance, LimitIsTheGreatestDistanceThatIsTold) {
  EXPECT_EQ(bounded_edit_distance(symbols_of("kitten"), symbols_of("sitting"), 3), 3U);
  EXPECT_EQ(bounded_edit_distance(symbols_of("kitten"), symbols_of("sitting"), 2), std::nullopt);
  EXPECT_EQ(bounded_edit_distance(symbols_of("a"), symbols_of("abcd"), 2), std::nullopt);
}

TEST(NearestPart, EndOfTheTextIsFree) {
  EXPECT_EQ(nearest_prefix(symbols_of("abcd"), symbols_of("abxcdabcdabcd"), 2),
            (NearestPart{1, 5}));
  EXPECT_EQ(nearest_suffix(symbols_of("abcd"), symbols_of("abcdabcdabxcd"), 2),
            (NearestPart{1, 5}));
}

TEST(NearestPart, TiesGoToTheLengthOfTheBodyThenToTheShorter) {
  // One edit makes each of "ab" and "abx" of "abc".
  EXPECT_EQ(nearest_prefix(symbols_of("abc"), symbols_of("abx"), 3), (NearestPart{1, 3}));
  // Lengths 1 and 3 are at distance 1, length 2 is not.
  EXPECT_EQ(nearest_prefix(symbols_of("ab"), symbols_of("bab"), 2), (NearestPart{1, 1}));
}

TEST(NearestPart, EmptyTextIsAsFarAsTheBodyIsLong) {
  EXPECT_EQ(nearest_prefix(symbols_of("abc"), {}, 3), (NearestPart{3, 0}));
  EXPECT_EQ(nearest_prefix(symbols_of("abc"), {}, 2), std::nullopt);
  EXPECT_EQ(nearest_suffix({}, symbols_of("abc"), 0), (NearestPart{0, 0}));
}

TEST(EditAlignment, InsertedSymbolsHaveNoPartner) {
  const auto alignment = edit_alignment(symbols_of("abcd"), symbols_of("abxcd"), 1);
  ASSERT_TRUE(alignment.has_value());
  EXPECT_EQ(alignment->partners, (Symbols{0, 1, kUnaligned, 2, 3}));
}

TEST(EditAlignment, ReplacedSymbolsArePartnersAndDeletedOnesAreSkipped) {
  const auto alignment = edit_alignment(symbols_of("abcdef"), symbols_of("axcdf"), 2);
  ASSERT_TRUE(alignment.has_value());
  EXPECT_EQ(alignment->partners, (Symbols{0, 1, 2, 3, 5}));
  EXPECT_EQ(alignment->distance, 2U);
}

TEST(EditAlignment, BeyondTheLimitThereIsNone) {
  EXPECT_FALSE(edit_alignment(symbols_of("kitten"), symbols_of("sitting"), 2).has_value());
}

// Beyond what is traced back at once the alignment is found by halves.
TEST(EditAlignment, ManyEditsAreStillTheFewest) {
  std::mt19937 random(7);
  Symbols a(1500);
  for (std::uint32_t& symbol : a) symbol = static_cast<std::uint32_t>(random() % 3);
  Symbols unlike(1300);
  for (std::uint32_t& symbol : unlike) symbol = static_cast<std::uint32_t>(random() % 3);
  for (const Symbols& b : {edited(a, 700, random), unlike}) {
    const auto alignment = edit_alignment(a, b, kNoLimit);
    ASSERT_TRUE(alignment.has_value());
    EXPECT_GT(alignment->distance, 256U);
    EXPECT_EQ(alignment->distance, slow_distance(a, b));
    EXPECT_EQ(cost_of(*alignment, a, b), alignment->distance);
  }
}

RC_GTEST_PROP(EditDistance, EqualsTheWholeTable, ()) {
  const auto letters = *rc::gen::inRange<std::uint32_t>(1, 5);
  const Symbols a = any_symbols(letters);
  const Symbols b = any_symbols(letters);
  const auto limit = *rc::gen::inRange<std::uint32_t>(0, 40);
  const std::uint32_t distance = slow_distance(a, b);
  const auto bounded = bounded_edit_distance(a, b, limit);
  RC_ASSERT(bounded == (distance <= limit ? std::optional(distance) : std::nullopt));
  RC_ASSERT(bounded_edit_distance(a, b, kNoLimit) == distance);
}

RC_GTEST_PROP(NearestPart, EqualsTheWholeTable, ()) {
  const auto letters = *rc::gen::inRange<std::uint32_t>(1, 5);
  const Symbols body = any_symbols(letters);
  const Symbols text = any_symbols(letters);
  const auto limit = *rc::gen::inRange<std::uint32_t>(0, 40);
  const NearestPart best = slow_nearest_prefix(body, text);
  const auto expected = best.distance <= limit ? std::optional(best) : std::nullopt;
  RC_ASSERT(nearest_prefix(body, text, limit) == expected);
  RC_ASSERT(nearest_suffix(reversed(body), reversed(text), limit) == expected);
}

RC_GTEST_PROP(EditAlignment, CostsTheDistance, ()) {
  const auto letters = *rc::gen::inRange<std::uint32_t>(1, 5);
  const Symbols a = any_symbols(letters);
  const Symbols b = any_symbols(letters);
  const auto alignment = edit_alignment(a, b, kNoLimit);
  RC_ASSERT(alignment.has_value());
  RC_ASSERT(alignment->distance == slow_distance(a, b));
  RC_ASSERT(cost_of(*alignment, a, b) == std::optional(alignment->distance));
}

}  // namespace
}  // namespace lockstep::algo
