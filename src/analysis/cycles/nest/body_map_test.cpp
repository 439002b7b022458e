// Which kernel of an iteration stands for which of the body, against the whole table of edits.
#include "analysis/cycles/nest/body_map.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

using Places = std::vector<std::uint32_t>;

// Iterations one after the other, the first of them the body. 'A' and 'a' have one role.
struct BodyAndOthers {
  explicit BodyAndOthers(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const auto start = static_cast<std::uint32_t>(test.stream.size());
      test.add_letters(word);
      iterations.push_back({start, static_cast<std::uint32_t>(test.stream.size())});
    }
    for (KernelSymbol& symbol : test.stream.symbols)
      symbol.facts.role = static_cast<kernels::KernelRole>((symbol.text.back() | 0x20) % 15);
  }

  [[nodiscard]] NestLoop loop() const {
    return loop_of(0, iterations.front().size(), {{.iterations = iterations}});
  }

  TestStream test;
  std::vector<Iteration> iterations;
};

// Of the one iteration `other`, as its own letters; '-' where one is missing.
std::string letters_for(const std::string& body, const std::string& other) {
  const BodyAndOthers all({body, other});
  const std::vector<OddIteration> odd = map_odd_iterations(all.test.stream, all.loop());
  if (odd.size() != 1) return "none";
  std::string letters;
  for (const std::uint32_t kernel : odd.front().kernels)
    letters += kernel == kNoKernel ? '-' : other[kernel - body.size()];
  return letters;
}

TEST(BodyMap, IterationsOfTheBodysLengthNeedNone) {
  EXPECT_EQ(letters_for("abcdef", "abcdef"), "none");
  EXPECT_EQ(letters_for("abcdef", "abXdef"), "none") << "whatever their names";
}

TEST(BodyMap, KernelsThatAreInsertedStandForNone) {
  EXPECT_EQ(letters_for("abcdef", "abc?def"), "abcdef");
  EXPECT_EQ(letters_for("abcdef", "?abcdef!"), "abcdef");
}

TEST(BodyMap, PlacesWhoseKernelIsMissingHaveNone) {
  EXPECT_EQ(letters_for("abcdef", "abdef"), "ab-def");
  EXPECT_EQ(letters_for("abcdef", "bcde"), "-bcde-");
}

TEST(BodyMap, ReplacedKernelsStandForThoseThatTheyReplace) {
  EXPECT_EQ(letters_for("abcdefgh", "aZcdefg"), "aZcdefg-");
}

TEST(BodyMap, WhereNamesDifferTooMuchRolesDecide) {
  EXPECT_EQ(letters_for("abcdefgh", "ABCD?EFGH"), "ABCDEFGH");
  EXPECT_EQ(letters_for("abcdefgh", "ABCEFGH"), "ABC-EFGH");
}

TEST(BodyMap, NamesDecideBeforeRoles) {
  EXPECT_EQ(letters_for("abcdefgh", "abCcdefgh"), "abcdefgh") << "not 'C', which has the role too";
  EXPECT_EQ(letters_for("abcdefgh", "abcCdefgh"), "abcdefgh");
}

TEST(BodyMap, NamesDecideUpToAQuarterOfEditsBesideTheLength) {
  // By role 'c' is missing and 'd', 'e' and 'f' are there.
  EXPECT_EQ(letters_for("abcdefghijk", "abDEFfghijk!"), "abDEFfghijk");
  EXPECT_EQ(letters_for("abcdefghijk", "abDEFGghijk!").substr(0, 5), "ab-DE");
}

TEST(BodyMap, RolesDecideUpToHalfOfEditsBesideTheLength) {
  EXPECT_EQ(letters_for("abcdefgh", "iabcdjklm"), "abcdjklm");
  EXPECT_EQ(letters_for("abcdefgh", "iabcjklmn"), "--------") << "nothing aligns it";
}

TEST(BodyMap, WhatNothingAlignsStandsForNone) {
  EXPECT_EQ(letters_for("abcdefgh", "ponmlkj"), "--------");
  EXPECT_EQ(letters_for("abcdef", "ponmlkji"), "------");
}

TEST(BodyMap, NumbersCountOverAllInstances) {
  const BodyAndOthers all({"abcd", "abc", "abcd", "abcd", "bcd"});
  const auto& at = all.iterations;
  const NestLoop loop = loop_of(
      0, 4,
      {{.iterations = {at[0], at[1]}}, {.iterations = {at[2]}}, {.iterations = {at[3], at[4]}}});
  const std::vector<OddIteration> odd = map_odd_iterations(all.test.stream, loop);
  ASSERT_EQ(odd.size(), 2U);
  EXPECT_EQ(odd[0].number, 1U);
  EXPECT_EQ(odd[0].kernels, (Places{4, 5, 6, kNoKernel}));
  EXPECT_EQ(odd[1].number, 4U);
  EXPECT_EQ(odd[1].kernels, (Places{kNoKernel, 15, 16, 17}));
}

// The fewest edits, from the whole table.
template <typename IsEqual>
std::uint32_t fewest_edits(std::size_t a, std::size_t b, const IsEqual& is_equal) {
  std::vector<std::uint32_t> before(b + 1);
  std::iota(before.begin(), before.end(), 0U);
  for (std::size_t i = 0; i < a; ++i) {
    std::vector<std::uint32_t> now(b + 1, before[0] + 1);
    for (std::size_t j = 0; j < b; ++j)
      now[j + 1] = std::min({before[j] + (is_equal(i, j) ? 0 : 1), before[j + 1] + 1, now[j] + 1});
    before = std::move(now);
  }
  return before.back();
}

// Edits that a map stands for: what is inserted, missing or replaced.
template <typename IsEqual>
std::uint32_t edits_of_map(const Places& kernels, Iteration part, const IsEqual& is_equal) {
  std::uint32_t edits = part.size();
  for (std::size_t place = 0; place < kernels.size(); ++place) {
    if (kernels[place] == kNoKernel) {
      ++edits;
    } else if (is_equal(place, kernels[place] - part.start)) {
      --edits;
    }
  }
  return edits;
}

RC_GTEST_PROP(BodyMap, HasTheFewestEditsByNameOrElseByRole, ()) {
  const auto word = [](const std::string& letters) {
    return *rc::gen::container<std::string>(*rc::gen::inRange(1, 24), rc::gen::elementOf(letters));
  };
  const std::string body = word("abcdefABCDEF");
  std::string other = *rc::gen::inRange(0, 3) == 0 ? word("abcdefABCDEF") : body;
  const int edits = *rc::gen::inRange(0, 6);
  for (int i = 0; i < edits && other.size() > 1; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, other.size());
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 0) other.erase(at, 1);
    if (kind == 1) other.insert(at, word("abcdefABCDEF"));
    if (kind == 2) other[at] = static_cast<char>(other[at] ^ 0x20);
  }
  const BodyAndOthers all({body, other});
  const std::vector<OddIteration> odd = map_odd_iterations(all.test.stream, all.loop());
  RC_ASSERT(odd.empty() == (body.size() == other.size()));
  if (odd.empty()) return;
  const Places& kernels = odd.front().kernels;
  RC_ASSERT(kernels.size() == body.size());
  std::uint32_t next = all.iterations[1].start;
  for (const std::uint32_t kernel : kernels) {
    if (kernel == kNoKernel) continue;
    RC_ASSERT(kernel >= next);
    RC_ASSERT(kernel < all.iterations[1].end);
    next = kernel + 1;
  }
  const auto by_name = [&](std::size_t i, std::size_t j) { return body[i] == other[j]; };
  const auto by_role = [&](std::size_t i, std::size_t j) {
    return (body[i] | 0x20) == (other[j] | 0x20);
  };
  const std::size_t longer = std::max(body.size(), other.size());
  const std::size_t difference = longer - std::min(body.size(), other.size());
  const std::uint32_t names = fewest_edits(body.size(), other.size(), by_name);
  const std::uint32_t roles = fewest_edits(body.size(), other.size(), by_role);
  if (names <= difference + longer / 4) {
    RC_ASSERT(edits_of_map(kernels, all.iterations[1], by_name) == names);
  } else if (roles <= difference + longer / 2) {
    RC_ASSERT(edits_of_map(kernels, all.iterations[1], by_role) == roles);
  } else {
    RC_ASSERT(std::ranges::count(kernels, kNoKernel) == std::ssize(kernels));
  }
}

}  // namespace
}  // namespace lockstep::analysis::cycles
