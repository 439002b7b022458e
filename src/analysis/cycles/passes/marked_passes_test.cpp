// What marks of the user make iterations of.
#include "analysis/cycles/passes/marked_passes.h"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

// One of its twenty kernels may be replaced, five be added or missing.
const std::string kMarkedPass = "abcdefghijklmnopqrst";
const std::string kOtherPass = "ABCDEFGHIJKLMNOPQRST";

// Passes one after the other, each marked at its first kernel.
struct MarkedStream {
  explicit MarkedStream(const std::vector<std::string>& passes) {
    for (const std::string& pass : passes) {
      mark.first_kernels.push_back(size());
      test.add_letters(pass);
    }
    hi = size();
  }

  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(test.stream.size());
  }
  [[nodiscard]] std::vector<FoundLoop> loops() const {
    return loops_between_marks({test.stream, lo, hi}, mark, {});
  }
  // Where the iterations of the only loop begin, and where it ends.
  [[nodiscard]] std::vector<std::uint32_t> borders() const {
    const std::vector<FoundLoop> found = loops();
    if (found.size() != 1) return {};
    std::vector<std::uint32_t> borders;
    for (const Iteration& iteration : found.front().iterations) borders.push_back(iteration.start);
    borders.push_back(found.front().end());
    return borders;
  }

  TestStream test;
  MarkClass mark;
  std::uint32_t lo = 0;
  std::uint32_t hi = 0;
};

using Borders = std::vector<std::uint32_t>;

TEST(MarkedPasses, AnIterationGoesFromOneMarkToTheNext) {
  const MarkedStream test({kMarkedPass, kMarkedPass, kMarkedPass});
  const std::vector<FoundLoop> loops = test.loops();
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40, 60}));
  EXPECT_EQ(loops[0].period, 20U);
  EXPECT_EQ(loops[0].border, BorderEvidence::kAnnotation);
  EXPECT_TRUE(loops[0].holds_loop);
  EXPECT_TRUE(loops[0].is_exact());
}

TEST(MarkedPasses, OneThatHasMoreThanTheOthersStaysOne) {
  const MarkedStream test({kMarkedPass + "12345", kMarkedPass, kMarkedPass, kMarkedPass});
  EXPECT_EQ(test.borders(), (Borders{0, 25, 45, 65, 85}));
  const FoundLoop loop = test.loops().front();
  EXPECT_EQ(loop.period, 20U) << "what most have";
  EXPECT_EQ(loop.body_start, 25U);
  EXPECT_EQ(loop.exceptions, 5U);
}

TEST(MarkedPasses, OneThatIsLikeTheFirstStaysThoughUnlikeTheOneBefore) {
  const MarkedStream test({kMarkedPass, kMarkedPass + "1234", "5678" + kMarkedPass, "+"});
  EXPECT_EQ(test.borders(), (Borders{0, 20, 44, 68}));
}

TEST(MarkedPasses, WhatIsUnlikeDividesLoops) {
  std::vector<std::string> passes(5, kMarkedPass);
  passes.push_back(kOtherPass);
  passes.insert(passes.end(), 4, kMarkedPass);
  const std::vector<FoundLoop> loops = MarkedStream(passes).loops();
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0].start(), 0U);
  EXPECT_EQ(loops[0].end(), 100U);
  EXPECT_EQ(loops[1].start(), 120U);
  EXPECT_EQ(loops[1].end(), 200U) << "the last one has no mark behind it";
}

TEST(MarkedPasses, MarksOfWhatIsMostlyUnlikeSayNothing) {
  // Between marks lie two that are alike and one that is not: less than four of five.
  EXPECT_TRUE(MarkedStream({kMarkedPass, kMarkedPass, kOtherPass, kMarkedPass}).loops().empty());
  EXPECT_EQ(MarkedStream({kMarkedPass, kMarkedPass, kMarkedPass, kMarkedPass, kOtherPass, "a"})
                .loops()
                .size(),
            1U);
}

TEST(MarkedPasses, OneMarkIsNoLoop) {
  EXPECT_TRUE(MarkedStream({kMarkedPass}).loops().empty());
  EXPECT_TRUE(MarkedStream({kMarkedPass, kMarkedPass}).loops().empty())
      << "one pass between two marks";
}

TEST(MarkedPasses, ShortOnesAreLayers) {
  const std::string layer = kMarkedPass.substr(0, 14);
  EXPECT_TRUE(MarkedStream({layer, layer, layer, layer}).loops().empty());
  const std::string pass = kMarkedPass.substr(0, 15);
  EXPECT_EQ(MarkedStream({pass, pass, pass, pass}).loops().size(), 1U);
}

TEST(MarkedPasses, SeveralMarksOfOneKernelAreOne) {
  MarkedStream test({kMarkedPass, kMarkedPass, kMarkedPass});
  test.mark.first_kernels = {0, 0, 20, 20, 20, 40};
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40, 60}));
}

TEST(MarkedPasses, MarksOutsideTheStretchDoNotCount) {
  MarkedStream test({kMarkedPass, kMarkedPass, kMarkedPass, kMarkedPass, kMarkedPass});
  test.lo = 20;
  test.hi = 80;
  EXPECT_EQ(test.borders(), (Borders{20, 40, 60, 80}));
}

TEST(MarkedPasses, AMarkBehindTheLastKernelClosesTheLastPass) {
  MarkedStream test({kMarkedPass, kMarkedPass, kMarkedPass.substr(0, 18)});
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40}));
  test.mark.first_kernels.push_back(test.size());
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40, 58}));
}

TEST(MarkedPasses, TheLastPassThatTheCaptureCutOffIsNone) {
  const MarkedStream cut({kMarkedPass, kMarkedPass, kMarkedPass, kMarkedPass.substr(0, 19)});
  EXPECT_EQ(cut.borders(), (Borders{0, 20, 40, 60}));
  const MarkedStream odd({kMarkedPass, kMarkedPass, kMarkedPass, "abcdefgijklmnopqrst"});
  EXPECT_EQ(odd.borders(), (Borders{0, 20, 40, 60, 79})) << "it lacks a kernel, but not an end";
}

TEST(MarkedPasses, TheLastPassEndsWhereItIsMostLikeTheBody) {
  const MarkedStream test({kMarkedPass, kMarkedPass, kMarkedPass, kMarkedPass + "123456789"});
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40, 60, 80}));
}

TEST(MarkedPasses, OrWithItsAnnotationWhereThoseHoldWhatTheyMark) {
  MarkedStream test({kMarkedPass, kMarkedPass, kMarkedPass, "abcdefghij?klmnopqrstt"});
  EXPECT_EQ(test.borders().back(), 81U);
  test.mark.kernels = 82;
  test.mark.last_end = 82;
  EXPECT_EQ(test.borders().back(), 82U);
  test.mark.kernels = 47;  // of the sixty up to the last mark
  EXPECT_EQ(test.borders().back(), 81U);
}

TEST(MarkedPasses, ThenItNeedNotEndAsTheOthersDo) {
  MarkedStream test({kMarkedPass, kMarkedPass, kMarkedPass, kMarkedPass + "?"});
  test.mark.kernels = 81;
  test.mark.last_end = 81;
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40, 60, 81})) << "it writes a log";
}

TEST(MarkedPasses, WhatClosesAStepHasOneBeforeIt) {
  MarkedStream test({kMarkedPass, kMarkedPass, kMarkedPass, kMarkedPass});
  test.mark.first_kernels = {20, 40, 60};
  EXPECT_EQ(test.borders(), (Borders{20, 40, 60, 80}));
  test.mark.closes = true;
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40, 60, 80}));
  test.lo = 1;
  EXPECT_EQ(test.borders(), (Borders{20, 40, 60, 80})) << "the capture cut it off";
}

TEST(MarkedPasses, WhatTheUserCallsAStepIsOneWhateverRunsInIt) {
  MarkedStream test({kMarkedPass, kOtherPass, kMarkedPass + kOtherPass, kMarkedPass});
  EXPECT_TRUE(test.loops().empty());
  test.mark.is_step = true;
  test.mark.kernels = 100;
  test.mark.last_end = test.size();
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40, 80, 100}));
}

TEST(MarkedPasses, AShortStepIsNoModelForLongOnes) {
  MarkedStream test({"a", kMarkedPass, kMarkedPass + "uv", "b"});
  test.mark.is_step = true;
  test.mark.kernels = 44;
  test.mark.last_end = test.size();
  EXPECT_EQ(test.borders(), (Borders{0, 1, 21, 43, 44}));
}

TEST(MarkedPasses, StepsThatAnOptimizerClosesAreAlikeByRole) {
  // Another batch runs other products in the same places: roles are letters, whatever their case.
  std::string other = kMarkedPass;
  for (std::size_t i = 0; i < other.size(); i += 3) other[i] = static_cast<char>(other[i] - 0x20);
  MarkedStream test({kMarkedPass, other, kMarkedPass, other});
  test.mark.first_kernels = {20, 40, 60, 80};
  EXPECT_TRUE(test.loops().empty());
  test.mark.closes = true;
  EXPECT_EQ(test.borders(), (Borders{0, 20, 40, 60, 80}));
}

TEST(MarkedPasses, StepsThatAnOptimizerClosesMayHaveAnyNumberOfMicroSteps) {
  const std::string update = "OP";
  MarkedStream test({kMarkedPass + kMarkedPass + update, kMarkedPass + update,
                     kMarkedPass + kMarkedPass + kMarkedPass + update, kMarkedPass + update});
  test.mark.first_kernels = {42, 64, 126, 148};
  EXPECT_TRUE(test.loops().empty());
  test.mark.closes = true;
  EXPECT_EQ(test.borders(), (Borders{0, 42, 64, 126, 148}));
}

TEST(MarkedPasses, TwoStepsOfWhichOneIsMarkedAreNotOne) {
  const std::string step = kMarkedPass + "OP";
  MarkedStream test({step, step + step, step, step + step});
  for (KernelSymbol& symbol : test.test.stream.symbols) {
    if (symbol.text.ends_with('O') || symbol.text.ends_with('P'))
      symbol.facts.role = kernels::KernelRole::kOptimizer;
  }
  test.mark.first_kernels = {22, 66, 88, 132};
  test.mark.closes = true;
  EXPECT_TRUE(test.loops().empty());
}

TEST(MarkedPasses, ALookAtTheModelBetweenStepsIsNoPartOfThem) {
  // The first half goes forward, and runs alone in an evaluation.
  const std::string look = kMarkedPass.substr(0, 10);
  MarkedStream test({kMarkedPass, look + look + look + kMarkedPass, kMarkedPass,
                     look + look + look + kMarkedPass});
  test.mark.first_kernels = {20, 70, 90, 140};
  test.mark.closes = true;
  EXPECT_TRUE(test.loops().empty());
}

// Passes of so many kernels, all of one kind the same.
std::string long_pass(std::size_t kernels, std::uint32_t kind) {
  std::string letters(kernels, ' ');
  std::mt19937 random(kind);
  for (char& letter : letters) letter = static_cast<char>('a' + random() % 20);
  return letters;
}

TEST(MarkedPasses, LongOnesMayAllDifferALittle) {
  std::vector<std::string> passes;
  for (std::size_t i = 0; i < 20; ++i) {
    passes.push_back(long_pass(1500, 1));
    passes.back()[100 + 50 * i] = '?';
  }
  const std::vector<FoundLoop> loops = MarkedStream(passes).loops();
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops.front().iterations.size(), 20U);
}

TEST(MarkedPasses, ThePatienceForLongOnesThatAreUnlikeEnds) {
  const std::string pass = long_pass(2000, 1);
  const std::string other = long_pass(2000, 2);
  std::string odd = pass;
  odd[100] = '?';
  // Eight of ten are alike. One comparison in vain costs as much as 4096 kernels are allowed.
  const MarkedStream patient(
      {pass, odd, pass, pass, pass, pass, pass, pass, other, other + "!", "+"});
  EXPECT_EQ(patient.loops().size(), 2U);
  const MarkedStream impatient(
      {pass, pass, other, pass, pass, long_pass(2000, 3), pass, pass, pass, odd, "+"});
  EXPECT_TRUE(impatient.loops().empty());
}

// From the definition: neighbours are compared, and the first one with all.
std::vector<std::vector<Iteration>> slow_loops(const KernelStream& stream,
                                               const std::vector<std::uint32_t>& marks) {
  const auto are_alike = [&](const Iteration& a, const Iteration& b) {
    const std::span<const std::uint32_t> names = stream.names;
    const auto one = names.subspan(a.start, a.size());
    const auto other = names.subspan(b.start, b.size());
    return distance_if_alike({}, a.size() < b.size() ? other : one,
                             a.size() < b.size() ? one : other)
        .has_value();
  };
  std::vector<std::vector<Iteration>> loops;
  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    const Iteration next{marks[i], marks[i + 1]};
    const bool is_one_more = !loops.empty() && (are_alike(loops.back().back(), next) ||
                                                are_alike(loops.back().front(), next));
    if (!is_one_more) loops.emplace_back();
    loops.back().push_back(next);
  }
  const std::size_t alone = std::erase_if(loops, [](const auto& loop) { return loop.size() < 2; });
  if (5 * alone > marks.size() - 1) loops.clear();
  return loops;
}

RC_GTEST_PROP(MarkedPasses, AreThoseThatAreAlikeOneByOne, ()) {
  std::vector<std::string> passes;
  const int count = *rc::gen::inRange(3, 12);
  for (int i = 0; i < count; ++i) {
    std::string pass = *rc::gen::inRange(0, 8) == 0 ? kOtherPass : kMarkedPass;
    const int edits = *rc::gen::inRange(0, 3);
    for (int edit = 0; edit < edits; ++edit) {
      const auto at = *rc::gen::inRange<std::size_t>(0, pass.size());
      const int kind = *rc::gen::inRange(0, 4);
      if (kind == 0) pass[at] = '?';
      if (kind == 1) pass.erase(at, 1);
      if (kind == 2) pass.insert(at, "123");
      if (kind == 3) pass.insert(at, "45");
    }
    passes.push_back(pass);
  }
  MarkedStream test(passes);
  test.mark.first_kernels.push_back(test.size());
  const std::vector<FoundLoop> loops = test.loops();
  const auto slow = slow_loops(test.test.stream, test.mark.first_kernels);
  RC_ASSERT(loops.size() == slow.size());
  for (std::size_t i = 0; i < loops.size(); ++i) {
    RC_ASSERT(loops[i].iterations == slow[i]);
    const auto is_body = [&](const Iteration& one) {
      return one.start == loops[i].body_start && one.size() == loops[i].period;
    };
    RC_ASSERT(std::ranges::any_of(loops[i].iterations, is_body));
  }
}

}  // namespace
}  // namespace lockstep::analysis::cycles
