// Whole nests: tolerance, partial iterations, ids, loops inside imperfect iterations.
#include "analysis/cycles/nest/nest_finder.h"

#include <string>

#include <gtest/gtest.h>

#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

std::string times(int count, std::string_view text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// Three layers of eight kernels with a head and a tail. 'g' is a GEMM.
const std::string kPass = "xy" + times(3, "abcdefgh") + "zwvutsrqponml";
constexpr std::uint32_t kPassLength = 39;

TestStream stream_of(std::string_view letters) {
  TestStream test;
  test.add_letters(letters);
  for (KernelSymbol& symbol : test.stream.symbols) {
    const char letter = symbol.text.back();
    symbol.facts.role = static_cast<kernels::KernelRole>((letter | 0x20) % 5 + 2);
    if (letter == 'g' || letter == 'G') symbol.facts.role = kernels::KernelRole::kGemm;
  }
  return test;
}

Nest find(const KernelStream& stream, const CyclesOptions& options = {}) {
  trace::Trace trace;
  trace.ranks.emplace_back();
  return find_nest(trace, MarkWindows(trace), stream, options);
}

Nest nest_of(std::string_view letters, const CyclesOptions& options = {}) {
  return find(stream_of(letters).stream, options);
}

// "[2] 4 x 3", children indented, with exceptions where there are any.
std::vector<std::string> words_for(const Nest& nest) {
  std::vector<std::string> words;
  for (const NestLoop& loop : nest.loops) {
    std::string word = std::string(2 * loop.depth, ' ') + "[" +
                       std::to_string(loop.instances.front().start()) + "] " +
                       std::to_string(loop.instances.front().iterations.size()) + " x " +
                       std::to_string(loop.period);
    if (loop.exceptions > 0) word += " -" + std::to_string(loop.exceptions);
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> loops_in(std::string_view letters, const CyclesOptions& options = {}) {
  return words_for(nest_of(letters, options));
}

using Words = std::vector<std::string>;

TEST(FindNest, TooFewKernelsHaveNoLoops) {
  EXPECT_TRUE(loops_in("").empty());
  EXPECT_TRUE(loops_in("a").empty());
  EXPECT_TRUE(loops_in("aa").empty());
}

TEST(FindNest, OneKernelManyTimesIsALoop) {
  EXPECT_EQ(loops_in(times(100, "a")), (Words{"[0] 100 x 1"}));
}

TEST(FindNest, PassesHoldLayers) {
  const Nest nest = nest_of(times(4, kPass));
  EXPECT_EQ(words_for(nest), (Words{"[0] 4 x 39", "  [2] 3 x 8"}));
  EXPECT_EQ(nest.loops[1].parent, 0);
  EXPECT_EQ(nest.loops[1].instances.size(), 4U);
  EXPECT_EQ(nest.loops[1].instances[3].start(), 3 * kPassLength + 2);
  EXPECT_TRUE(nest.loops[0].is_exact);
}

TEST(FindNest, AForeignKernelInAnyPassIsAnException) {
  for (std::uint32_t pass = 0; pass < 6; ++pass) {
    for (const std::uint32_t place : {1U, 10U, 20U, 38U}) {
      std::string letters = times(6, kPass);
      letters.insert(pass * kPassLength + place, "?");
      // Of the layers the first instance is told.
      std::string layers = pass == 0 && place == 1 ? "  [3] 3 x 8" : "  [2] 3 x 8";
      const bool is_in_the_layers = place == 10 || place == 20;
      if (pass == 0 && is_in_the_layers) layers += " -1";
      const Nest nest = nest_of(letters);
      EXPECT_EQ(words_for(nest), (Words{"[0] 6 x 39 -1", layers}))
          << "pass " << pass << " place " << place;
      EXPECT_EQ(nest.loops[1].is_exact, !is_in_the_layers) << "pass " << pass << " place " << place;
    }
  }
}

TEST(FindNest, AMissingKernelIsAnException) {
  std::string letters = times(6, kPass);
  letters.erase(2 * kPassLength + 30, 1);
  EXPECT_EQ(loops_in(letters), (Words{"[0] 6 x 39 -1", "  [2] 3 x 8"}));
}

TEST(FindNest, AKernelMissingInsideThePassAtAnEdgeOfTheCaptureIsAnException) {
  std::string first = times(6, kPass);
  first.erase(30, 1);
  EXPECT_EQ(loops_in(first), (Words{"[0] 6 x 39 -1", "  [2] 3 x 8"}));
  std::string last = times(6, kPass);
  last.erase(5 * kPassLength + 30, 1);
  EXPECT_EQ(loops_in(last), (Words{"[0] 6 x 39 -1", "  [2] 3 x 8"}));
}

TEST(FindNest, APassThatTheCaptureCutOffIsNone) {
  const std::string letters = times(6, kPass);
  EXPECT_EQ(loops_in(letters.substr(1)).front(), "[0] 5 x 39");
  EXPECT_EQ(loops_in(letters.substr(0, letters.size() - 1)).front(), "[0] 5 x 39");
  // Nor where its last kernels are alike.
  const std::string alike = times(6, kPass + "kkk");
  EXPECT_EQ(loops_in(alike.substr(0, alike.size() - 1)).front(), "[0] 5 x 42");
}

TEST(FindNest, LayersStayTogetherWhereTheCaptureBeginsAmongThem) {
  // The pieces at both ends are as long as a pass, so that one more would fit from the first on.
  const std::string cut = times(4, kPass).substr(10, 3 * kPassLength);
  EXPECT_EQ(loops_in(cut), (Words{"[0] 2 x 8", "[16] 2 x 39", "  [31] 3 x 8"}));
}

TEST(FindNest, AMissingKernelIsAnExceptionWhereItSplitsThePassesInHalves) {
  // What repeats then are twelve passes of which one lacks a kernel, twice.
  for (const std::uint32_t missing : {12 * kPassLength - 1, 12 * kPassLength}) {
    std::string letters = "m" + times(24, kPass);
    letters.erase(1 + missing, 1);
    EXPECT_EQ(loops_in(letters), (Words{"[1] 24 x 39 -1", "  [3] 3 x 8"})) << missing;
  }
}

TEST(FindNest, LoopsInAnImperfectIterationAreWhereItsKernelsAre) {
  std::string letters = times(6, kPass);
  letters.insert(3 * kPassLength + 1, "?");
  const Nest nest = nest_of(letters);
  ASSERT_EQ(nest.loops.size(), 2U);
  EXPECT_EQ(nest.loops[0].instances[0].iterations[3].size(), kPassLength + 1);
  EXPECT_EQ(nest.loops[1].instances[3].start(), 3 * kPassLength + 3);
  EXPECT_EQ(nest.loops[1].instances[4].start(), 4 * kPassLength + 3);
}

TEST(FindNest, WhatOneIterationHasBehindAnInnerLoopIsNotOfIt) {
  // The first update of an optimizer makes its state, behind the layers.
  const std::uint32_t behind = 3 * kPassLength + 2 + 3 * 8;
  std::string letters = times(6, kPass);
  letters.insert(behind, "???");
  const Nest nest = nest_of(letters);
  ASSERT_EQ(nest.loops.size(), 2U);
  EXPECT_EQ(nest.loops[1].instances[3].end(), behind);
  EXPECT_EQ(nest.loops[1].instances[4].end(), behind + kPassLength + 3);
}

TEST(FindNest, TheRunOfAnInnerLoopLiesAroundItsFirstInstance) {
  // The first pass is not the body; the layers repeat a little beyond their last.
  const std::string pass = "xy" + times(3, "abcdefgh") + "abzwvutsrqponml";
  std::string letters = times(6, pass);
  letters[0] = '?';
  const Nest nest = nest_of(letters);
  ASSERT_EQ(words_for(nest), (Words{"[0] 6 x 41 -1", "  [2] 3 x 8"}));
  EXPECT_TRUE(nest.loops[1].is_exact);
  EXPECT_EQ(nest.loops[1].run_start, 2U);
  EXPECT_EQ(nest.loops[1].run_end, 28U);
}

TEST(FindNest, PassesThatDifferTooMuchAreNotOneLoop) {
  std::string letters = times(3, kPass);
  std::string other = kPass;
  other.replace(30, 3, "123");  // three of 39 names
  letters += other + times(3, kPass);
  CyclesOptions options;
  const Nest strict = nest_of(letters, options);
  EXPECT_EQ(strict.loops.front().instances.front().iterations.size(), 3U);
  options.pass_tolerance = 0.10;
  EXPECT_EQ(loops_in(letters, options).front(), "[0] 7 x 39 -3");
}

TEST(FindNest, PassesThatAreNeverEqualAreFoundFromTheirLayers) {
  // A foreign kernel in each pass, every time at another place, as 5 % of 69 kernels allow.
  const std::string tail = "zwvutsrqponml0123456789-+*/=.,;:!()[]{}<>|";
  std::string letters;
  for (const std::size_t place : {27U, 60U, 35U, 50U, 41U}) {
    std::string one = "xy" + times(3, "abcdefgh") + tail;
    one.insert(place, "?");
    letters += one;
  }
  EXPECT_EQ(loops_in(letters), (Words{"[0] 5 x 69 -8", "  [2] 3 x 8"}));
}

TEST(FindNest, PassesWithoutLayersThatAreNeverEqualAreFoundFromTheirDistance) {
  const std::string pass = "abcdefghijklmnopqrstuvwxyz0123456789-+*/=.,;:!()[]{}<>|ABCDEF";
  std::string letters;
  for (const std::size_t place : {7U, 33U, 50U, 12U, 41U}) {
    std::string one = pass;
    one[place] = '?';
    letters += one;
  }
  ASSERT_EQ(pass.size(), 61U);
  EXPECT_EQ(loops_in(letters), (Words{"[0] 5 x 61 -5"}));
  // Cut off at the begin, and nothing says where passes begin: leftmost.
  EXPECT_EQ(loops_in(letters.substr(20)).front().substr(0, 10), "[0] 4 x 61");
}

TEST(FindNest, ExceptionsInTheFirstAndTheLastPassLeaveBoth) {
  // The repetition begins and ends in the middle of a pass.
  const std::string pass = "abcdef_hijklmnopqrstuvwxyz0123456789-+*/=.,;:!()[]{}<>|ABCDEF";
  std::string letters = times(3, pass);
  letters[20] = '?';
  letters[2 * pass.size() + 45] = '~';
  EXPECT_EQ(loops_in(letters), (Words{"[0] 3 x 61 -2"}));
}

TEST(FindNest, ALoopThatStandsTwiceIsNoPassByItself) {
  EXPECT_EQ(loops_in("1234" + times(4, "abcde") + "567890" + times(4, "abcde") + "!?"),
            (Words{"[4] 4 x 5", "[30] 4 x 5"}));
}

TEST(FindNest, LayersMayDifferInVariantsOfTheirKernels) {
  // 'C' does what 'c' does: the layers are equal by role.
  EXPECT_EQ(loops_in("12" + times(2, "abcdefghabCdefgh") + "abcdefgh34"), (Words{"[2] 5 x 8 -2"}));
}

TEST(FindNest, TheLastLayerMayLackALittle) {
  EXPECT_EQ(loops_in("12" + times(4, "abcdefgh") + "abcdefg3456789"), (Words{"[2] 5 x 8 -1"}));
}

TEST(FindNest, WhatTheCaptureCutOffIsPartial) {
  const std::string all = times(5, kPass);
  const Nest nest = nest_of(all.substr(0, 3 * kPassLength + 20));
  ASSERT_FALSE(nest.loops.empty());
  EXPECT_EQ(nest.loops[0].instances[0].iterations.size(), 3U);
  EXPECT_EQ(nest.loops[0].instances[0].partial_after + nest.loops[0].instances[0].partial_before,
            20U);
}

TEST(FindNest, EqualLoopsShareAnIdWhereverTheyBegin) {
  const Nest nest = nest_of("1" + times(4, "abcd") + "2" + times(3, "cdab") + "3");
  ASSERT_EQ(nest.loops.size(), 2U);
  EXPECT_EQ(nest.loops[0].id, nest.loops[1].id);
  const Nest other = nest_of("1" + times(4, "abcd") + "2" + times(3, "abce") + "3");
  ASSERT_EQ(other.loops.size(), 2U);
  EXPECT_NE(other.loops[0].id, other.loops[1].id);
}

TEST(FindNest, TheRemainderBelongsToTheParent) {
  const Nest nest = nest_of("1" + times(4, "abcd") + "ab2");
  ASSERT_EQ(nest.loops.size(), 1U);
  EXPECT_EQ(nest.loops[0].run_start, 1U);
  EXPECT_EQ(nest.loops[0].run_end, 19U);
  EXPECT_EQ(nest.loops[0].instances[0].end(), 17U);
}

TEST(FindNest, ALevelCanBeForced) {
  CyclesOptions options;
  options.symbol = SymbolLevel::kRole;
  const Nest nest = nest_of("abcdefghABCDEFGH", options);
  ASSERT_EQ(nest.loops.size(), 1U);
  EXPECT_EQ(nest.loops[0].period, 8U);
  EXPECT_EQ(nest.loops[0].symbol, SymbolLevel::kRole);
  EXPECT_FALSE(nest.loops[0].is_exact);
  options.symbol = SymbolLevel::kName;
  EXPECT_TRUE(nest_of("abcdefghABCDEFGH", options).loops.empty());
}

TEST(FindNest, LayersOfABodyAreCountedByItsAttention) {
  TestStream test = stream_of(times(3, "abcdefgh"));
  EXPECT_EQ(find(test.stream).loops.at(0).anchors_per_body, 0U);
  test.stream.symbols[1].facts.is_attention_anchor = true;
  EXPECT_EQ(find(test.stream).loops.at(0).anchors_per_body, 1U);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
