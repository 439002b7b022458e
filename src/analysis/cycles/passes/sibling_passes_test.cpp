// Passes that never repeat, from the loops that they hold.
#include "analysis/cycles/passes/sibling_passes.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr double kPassTolerance = 0.05;

const std::string kThreeLayers = "abcdeabcdeabcde";
// So long that one kernel of a pass may be another one, or two.
const std::string kPassEnd = "zyxwvutsrqponmlkjihgf0123456789";
constexpr std::uint32_t kPass = 48;  // with a head of two kernels

struct Layers {
  std::uint32_t at = 0;
  std::uint32_t period = 5;
  std::uint32_t times = 3;
};

FoundLoop layers_at(const Layers& layers) {
  FoundLoop loop;
  loop.period = layers.period;
  loop.body_start = layers.at;
  loop.run_start = layers.at;
  loop.run_end = layers.at + layers.period * layers.times;
  for (std::uint32_t i = 0; i < layers.times; ++i)
    loop.iterations.push_back({layers.at + i * layers.period, layers.at + (i + 1) * layers.period});
  return loop;
}

struct Pass {
  std::uint32_t start = 0;
  std::uint32_t period = 0;

  friend bool operator==(const Pass&, const Pass&) = default;
};
using Passes = std::vector<Pass>;

Passes told(const std::vector<FoundLoop>& loops) {
  Passes passes;
  for (const FoundLoop& loop : loops) {
    EXPECT_TRUE(loop.holds_loop);
    EXPECT_EQ(loop.iterations.size(), 1U);
    passes.push_back({loop.start(), loop.period});
  }
  return passes;
}

Passes passes_of(const std::string& letters, const std::vector<Layers>& layers) {
  TestStream test;
  test.add_letters(letters);
  std::vector<FoundLoop> loops;
  for (const Layers& one : layers) loops.push_back(layers_at(one));
  return told(passes_around_siblings({test.stream, 0, static_cast<std::uint32_t>(letters.size())},
                                     loops, kPassTolerance));
}

// A pass with one foreign kernel at a place behind its layers.
std::string pass_with(char foreign, std::size_t place) {
  std::string pass = "+-" + kThreeLayers + kPassEnd;
  pass[place] = foreign;
  return pass;
}

const std::string kThreePasses = pass_with('!', 30) + pass_with('?', 40) + pass_with('=', 25);

TEST(SiblingPasses, LieBetweenTwoLoopsOfOneBody) {
  const Passes passes = passes_of(kThreePasses, {{2}, {2 + kPass}, {2 + 2 * kPass}});
  ASSERT_FALSE(passes.empty());
  EXPECT_EQ(passes.front().period, kPass);
}

TEST(SiblingPasses, BeginWithTheKernelsThatStandBeforeBothLoops) {
  const Passes passes = passes_of(kThreePasses, {{2}, {2 + kPass}, {2 + 2 * kPass}});
  ASSERT_FALSE(passes.empty());
  EXPECT_EQ(passes.front().start, 0U);
  const Passes headless = passes_of("!!" + kThreePasses.substr(2), {{2}, {50}, {98}});
  ASSERT_FALSE(headless.empty());
  EXPECT_EQ(headless.front().start, 2U);
}

TEST(SiblingPasses, NeedALoopThatStandsTwice) {
  EXPECT_TRUE(passes_of(kThreePasses, {}).empty());
  EXPECT_TRUE(passes_of(kThreePasses, {{2}}).empty());
}

TEST(SiblingPasses, LoopsAreTheSameWhereverTheyBegin) {
  const std::string pass = pass_with('!', 30);
  EXPECT_FALSE(passes_of(pass + pass + pass, {{2}, {3 + kPass}}).empty());
  // The second one begins behind the layers: another body.
  EXPECT_TRUE(passes_of(kThreePasses, {{2}, {20 + kPass}}).empty());
}

TEST(SiblingPasses, LoopsThatDoNoRealWorkAreNone) {
  std::string letters;
  for (int i = 0; i < 3; ++i) letters += "abcdabcdabcd" + kPassEnd;
  const std::uint32_t pass = 12 + 31;
  EXPECT_TRUE(passes_of(letters, {{0, 4, 3}, {pass, 4, 3}, {2 * pass, 4, 3}}).empty());
  EXPECT_TRUE(passes_of(kThreePasses, {{2, 5, 2}, {50, 5, 2}, {98, 5, 2}}).empty());
}

TEST(SiblingPasses, MustBeFollowedByTheirLike) {
  EXPECT_TRUE(passes_of(pass_with('!', 30) + "+-" + kThreeLayers, {{2}, {2 + kPass}}).empty());
  std::string other = pass_with('!', 30);
  for (std::size_t i = 20; i < 26; ++i) other[i] = '#';
  EXPECT_TRUE(passes_of(pass_with('!', 30) + other, {{2}, {2 + kPass}}).empty());
}

// Passes of two kinds of layers, so many of each, divided by another kernel every time.
Passes passes_of_two_kinds(std::uint32_t first, std::uint32_t second) {
  std::string letters;
  std::vector<Layers> layers;
  const auto add = [&](std::string_view layer, std::uint32_t times) {
    layers.push_back({static_cast<std::uint32_t>(letters.size()), 5, times});
    for (std::uint32_t i = 0; i < times; ++i) letters += layer;
  };
  for (const char foreign : {'!', '?', '='}) {
    add("abcde", first);
    letters += foreign;
    add("ABCDE", second);
    letters += kPassEnd;
  }
  add("<>,.;", 20);  // a loop that covers more and stands once
  return passes_of(letters, layers);
}

TEST(SiblingPasses, TheLoopsThatCoverMostDecide) {
  const Passes by_second = passes_of_two_kinds(3, 4);
  ASSERT_FALSE(by_second.empty());
  EXPECT_EQ(by_second.front(), (Pass{16, 67})) << "behind the foreign kernel";
  const Passes by_first = passes_of_two_kinds(4, 3);
  ASSERT_FALSE(by_first.empty());
  EXPECT_EQ(by_first.front(), (Pass{0, 67}));
}

TEST(SiblingPasses, OfLoopsThatCoverAsMuchTheFirstDecides) {
  const Passes passes = passes_of_two_kinds(3, 3);
  ASSERT_FALSE(passes.empty());
  EXPECT_EQ(passes.front(), (Pass{0, 62}));
}

TEST(SiblingPasses, LoopsOfOtherBodiesDoNotDivideThem) {
  std::string letters;
  std::vector<Layers> layers;
  for (int pass = 0; pass < 3; ++pass) {
    for (const std::string_view layer : {"abcde", "ABCDE", "fghij", "FGHIJ"}) {
      layers.push_back({static_cast<std::uint32_t>(letters.size())});
      for (int i = 0; i < 3; ++i) letters += layer;
    }
  }
  const Passes passes = passes_of(letters, layers);
  ASSERT_FALSE(passes.empty());
  EXPECT_EQ(passes.front().period, 60U);
}

TEST(SiblingPasses, AnExceptionInTheLayersOfOneHidesNoPass) {
  // The layers of the second pass are in two parts, so that its loop is missing.
  std::string second = pass_with('?', 40);
  second[9] = '#';
  const std::string letters =
      pass_with('!', 30) + second + pass_with('=', 25) + pass_with('~', 35) + "+-";
  const Passes passes = passes_of(letters, {{2}, {2 + 2 * kPass}, {2 + 3 * kPass}});
  EXPECT_TRUE(std::ranges::find(passes, kPass, &Pass::period) != passes.end());
}

std::vector<FoundLoop> between(const TestStream& test, const std::vector<std::uint32_t>& starts) {
  return passes_between({test.stream, 0, static_cast<std::uint32_t>(test.stream.size())}, starts,
                        kPassTolerance);
}

TEST(SiblingPasses, TheMostFrequentDistanceComesFirst) {
  TestStream test;
  std::vector<std::uint32_t> starts;
  for (const bool is_long : {true, true, false, false, false, false}) {
    starts.push_back(static_cast<std::uint32_t>(test.stream.size()));
    test.add_letters(is_long ? kPassEnd + "ABCDEFGHIJ" : kPassEnd);
  }
  const Passes passes = told(between(test, starts));
  ASSERT_GE(passes.size(), 2U);
  EXPECT_EQ(passes[0].period, 31U);
  EXPECT_EQ(passes[1].period, 41U);
}

TEST(SiblingPasses, EveryThirdStartIsTriedAtMost) {
  TestStream test;
  for (int i = 0; i < 4; ++i) test.add_letters(kPassEnd);
  std::vector<std::uint32_t> starts;
  for (std::uint32_t pass = 0; pass < 4; ++pass) {
    for (const std::uint32_t place : {0U, 5U, 17U}) starts.push_back(31 * pass + place);
  }
  EXPECT_EQ(told(between(test, starts)).back().period, 31U);
  for (std::uint32_t pass = 0; pass < 4; ++pass) starts.push_back(31 * pass + 25);
  std::ranges::sort(starts);
  EXPECT_TRUE(between(test, starts).empty());
}

TEST(SiblingPasses, NearlyEqualDistancesCountTogether) {
  // Three passes of a hundred kernels and a few, four of fifty: two of them are one distance.
  TestStream test;
  std::vector<std::uint32_t> starts;
  const auto add = [&](std::string_view kind, std::uint32_t kernels, std::uint32_t more) {
    starts.push_back(static_cast<std::uint32_t>(test.stream.size()));
    for (std::uint32_t i = 0; i < kernels; ++i)
      test.add(std::string(kind) + std::to_string(i), 10 * std::int64_t{i}, 4);
    for (std::uint32_t i = 0; i < more; ++i) test.add_letters("?");
  };
  for (const std::uint32_t more : {0U, 1U, 2U, 3U}) add("long", 100, more);
  for (int i = 0; i < 3; ++i) add("short", 50, 0);
  const Passes passes = told(between(test, starts));
  ASSERT_GE(passes.size(), 2U);
  EXPECT_EQ(passes[0].period, 101U) << "the middle one";
  EXPECT_EQ(passes[1].period, 50U);
}

TEST(SiblingPasses, BeginInTheStretchAndLessThanAPassBeforeTheirLoop) {
  TestStream test;
  for (int i = 0; i < 4; ++i) test.add_letters(kPassEnd);
  const Passes passes = told(between(test, {62, 93}));
  ASSERT_EQ(passes.size(), 1U);
  EXPECT_EQ(passes.front(), (Pass{62 - 30, 31}));
  const Passes inside = told(passes_between({test.stream, 40, 124}, {62, 93}, kPassTolerance));
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_EQ(inside.front(), (Pass{40, 31}));
}

TEST(SiblingPasses, WithFewStartsThereAreNone) {
  TestStream test;
  test.add_letters(kThreePasses);
  EXPECT_TRUE(between(test, {}).empty());
  EXPECT_TRUE(between(test, {7}).empty());
}

RC_GTEST_PROP(SiblingPasses, LieInTheStretchAndRepeatWithinTheTolerance, ()) {
  const auto letters = *rc::gen::container<std::string>(*rc::gen::inRange(1, 200),
                                                        rc::gen::elementOf(std::string("abc")));
  TestStream test;
  test.add_letters("xyz" + letters + "xyz");
  const auto size = static_cast<std::uint32_t>(letters.size());
  auto starts = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(3U, 3 + size));
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  for (const FoundLoop& pass : passes_between({test.stream, 3, 3 + size}, starts, 0.2)) {
    RC_ASSERT(pass.period > 0U);
    RC_ASSERT(pass.start() >= 3U);
    RC_ASSERT(pass.end() - pass.start() == pass.period);
    RC_ASSERT(pass.end() <= 3 + size);
  }
}

}  // namespace
}  // namespace lockstep::analysis::cycles
