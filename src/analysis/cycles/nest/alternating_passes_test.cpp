// Which bodies are two passes, and where the second one begins in every iteration.
#include "analysis/cycles/nest/alternating_passes.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/nest/nest_finder.h"
#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

// A pass with three layers, and the same products with other kernels between them: 'A' does what
// 'a' does.
const std::string kOneWay = "xyagcdeagcdeagcdezvw";
const std::string kOtherWay = "XYAgCDEAgCDEAgCDEZVW";
constexpr std::uint32_t kHalf = 20;
constexpr std::uint32_t kProducts = 3;  // in a half; both have the same
const std::string kBothWays = kOneWay + kOtherWay;

constexpr char small(char letter) { return static_cast<char>(letter | 0x20); }

// Signatures and roles are those of the small letters; 'g' is a GEMM, 't' attention.
TestStream stream_of_turns(std::string_view letters) {
  TestStream test;
  test.add_letters(letters);
  for (KernelSymbol& symbol : test.stream.symbols) {
    const char letter = small(symbol.text.back());
    symbol.signature = static_cast<std::uint32_t>(letter);
    symbol.facts.role = letter == 'g'   ? kernels::KernelRole::kGemm
                        : letter == 't' ? kernels::KernelRole::kAttention
                        : letter == '?' ? kernels::KernelRole::kCopy
                        : letter < 'm'  ? kernels::KernelRole::kElementwise
                                        : kernels::KernelRole::kNorm;
  }
  return test;
}

// Iterations one after the other, the first of them the body.
struct Turns {
  explicit Turns(const std::vector<std::string>& iterations) {
    std::string letters;
    for (const std::string& iteration : iterations) {
      const auto start = static_cast<std::uint32_t>(letters.size());
      letters += iteration;
      loop.iterations.push_back({start, static_cast<std::uint32_t>(letters.size())});
    }
    test = stream_of_turns(letters);
    loop.period = loop.iterations.front().size();
    loop.run_end = loop.end();
    loop.holds_loop = true;
    settle_body(test.stream.names, loop);
  }

  // Where iterations begin, and where the last one ends.
  std::vector<std::uint32_t> borders() {
    std::vector<FoundLoop> loops = {loop};
    unfold_alternating(test.stream, {}, loops);
    unfolded = loops.front();
    std::vector<std::uint32_t> all;
    for (const Iteration& iteration : unfolded.iterations) all.push_back(iteration.start);
    all.push_back(unfolded.end());
    return all;
  }

  TestStream test;
  FoundLoop loop;
  FoundLoop unfolded;
};

using Borders = std::vector<std::uint32_t>;

// The body, and a second iteration.
Borders borders_with(const std::string& second) { return Turns({kBothWays, second}).borders(); }

TEST(AlternatingPasses, HalvesThatDoTheSameWorkAreTwoIterations) {
  Turns turns({kBothWays, kBothWays, kBothWays});
  EXPECT_EQ(turns.borders(), (Borders{0, 20, 40, 60, 80, 100, 120}));
  EXPECT_EQ(turns.unfolded.period, kHalf);
  EXPECT_EQ(turns.unfolded.exceptions, 3 * (kHalf - kProducts))
      << "every name of every second half but its products";
}

TEST(AlternatingPasses, TheLoopStaysWhereItWas) {
  Turns turns({kBothWays, kBothWays});
  turns.borders();
  EXPECT_EQ(turns.unfolded.start(), turns.loop.start());
  EXPECT_EQ(turns.unfolded.end(), turns.loop.end());
  EXPECT_EQ(turns.unfolded.body_start % kHalf, 0U);
}

TEST(AlternatingPasses, AKernelMoreIsInTheHalfInWhichItRuns) {
  EXPECT_EQ(borders_with("xya?gcdeagcdeagcdezvw" + kOtherWay), (Borders{0, 20, 40, 61, 81}));
  EXPECT_EQ(borders_with("?" + kBothWays), (Borders{0, 20, 40, 61, 81}));
  EXPECT_EQ(borders_with(kOneWay + "XYA?gCDEAgCDEAgCDEZVW"), (Borders{0, 20, 40, 60, 81}));
  EXPECT_EQ(borders_with(kBothWays + "?"), (Borders{0, 20, 40, 60, 81}));
}

TEST(AlternatingPasses, AKernelLessIsMissingInItsHalf) {
  EXPECT_EQ(borders_with("xyagcdeagcdeagcdevw" + kOtherWay), (Borders{0, 20, 40, 59, 79}));
  EXPECT_EQ(borders_with(kOneWay + "XYAgCDEAgCDEAgCDEVW"), (Borders{0, 20, 40, 60, 79}));
}

TEST(AlternatingPasses, WithoutItsFirstKernelTheSecondHalfBeginsWithTheNext) {
  EXPECT_EQ(borders_with(kOneWay + kOtherWay.substr(1)), (Borders{0, 20, 40, 60, 79}));
}

TEST(AlternatingPasses, AReplacedKernelChangesNothing) {
  std::string second = kBothWays;
  second[5] = '?';
  second[kHalf] = '?';
  EXPECT_EQ(borders_with(second), (Borders{0, 20, 40, 60, 80}));
}

TEST(AlternatingPasses, AnIterationWithoutASecondHalfKeepsAllTogether) {
  EXPECT_EQ(borders_with(kOneWay), (Borders{0, 40, 60}));
}

TEST(AlternatingPasses, TheBodyMayBeALaterIteration) {
  Turns turns({kBothWays + "?", kBothWays, kBothWays});
  turns.loop.period = 2 * kHalf;
  settle_body(turns.test.stream.names, turns.loop);
  ASSERT_EQ(turns.loop.body_start, 41U);
  EXPECT_EQ(turns.borders(), (Borders{0, 20, 41, 61, 81, 101, 121}));
}

TEST(AlternatingPasses, LoopsWithoutLoopsStay) {
  Turns turns({kBothWays, kBothWays});
  turns.loop.holds_loop = false;
  EXPECT_EQ(turns.borders(), (Borders{0, 40, 80}));
}

TEST(AlternatingPasses, WhatTheUserMarkedStays) {
  Turns turns({kBothWays, kBothWays});
  turns.loop.border = BorderEvidence::kAnnotation;
  EXPECT_EQ(turns.borders(), (Borders{0, 40, 80}));
  turns.loop.border = BorderEvidence::kGraphLaunch;
  EXPECT_EQ(turns.borders(), (Borders{0, 40, 80}));
  turns.loop.border = BorderEvidence::kGap;
  EXPECT_EQ(turns.borders().size(), 5U);
}

TEST(AlternatingPasses, WhatTrainsStays) {
  Turns updates({kBothWays, kBothWays});
  updates.test.stream.symbols[updates.test.symbol("w")].facts.role =
      kernels::KernelRole::kOptimizer;
  EXPECT_EQ(updates.borders(), (Borders{0, 40, 80}));
  Turns goes_back({kBothWays, kBothWays});
  goes_back.test.stream.symbols[goes_back.test.symbol("V")].facts.attention =
      kernels::AttentionUse::kBackward;
  EXPECT_EQ(goes_back.borders(), (Borders{0, 40, 80}));
}

TEST(AlternatingPasses, HalvesOfOtherWorkAreOneIteration) {
  const std::string without_gemm = kOneWay + "XYAgCDEACCDEAgCDEZVW";
  EXPECT_EQ(Turns({without_gemm, without_gemm}).borders(), (Borders{0, 40, 80}));
  // Attention for a prompt and attention for a word.
  const std::string body = "xyagtdeagtdeagtdezvwXYAgTDEAgTDEAgTDEZVW";
  EXPECT_EQ(Turns({body, body}).borders().size(), 5U);
  Turns turns({body, body});
  turns.test.stream.symbols[turns.test.symbol("t")].facts.attention =
      kernels::AttentionUse::kPrefill;
  EXPECT_EQ(turns.borders(), (Borders{0, 40, 80}));
}

TEST(AlternatingPasses, HalvesWithOtherProductsAreOneIteration) {
  // A prefill and a decode pass that take turns.
  const std::string body = kOneWay + "XYAGCDEAGCDEAGCDEZVW";
  EXPECT_EQ(Turns({body, body}).borders(), (Borders{0, 40, 80}));
}

TEST(DoubledPasses, ABodyThatIsTwiceTheSameIsHalved) {
  const std::string shorter = kOneWay.substr(1);  // one kernel less
  Turns turns({kOneWay + kOneWay, kOneWay + kOneWay, kOneWay + shorter, kOneWay + kOneWay});
  std::vector<FoundLoop> loops = {turns.loop};
  unfold_doubled(turns.test.stream, loops);
  EXPECT_EQ(loops[0].iterations.size(), 8U);
  EXPECT_EQ(loops[0].period, kHalf);
  EXPECT_EQ(loops[0].exceptions, 1U);
  turns.loop.border = BorderEvidence::kAnnotation;
  loops = {turns.loop};
  unfold_doubled(turns.test.stream, loops);
  EXPECT_EQ(loops[0].iterations.size(), 4U) << "what the user marked stays";
}

TEST(DoubledPasses, WhatEveryIterationHasOnceKeepsItWhole) {
  const std::string body = kOneWay + kOneWay + "?";
  Turns turns({body, body, body, body});
  std::vector<FoundLoop> loops = {turns.loop};
  unfold_doubled(turns.test.stream, loops);
  EXPECT_EQ(loops[0].iterations.size(), 4U);
}

TEST(AlternatingPasses, HalvesWithoutHeavyWorkAreOneIteration) {
  const std::string light = "xyabcdeabcdeabcdezvwXYABCDEABCDEABCDEZVW";
  EXPECT_EQ(Turns({light, light}).borders(), (Borders{0, 40, 80}));
}

TEST(AlternatingPasses, TheSecondHalfBeginsAsTheFirstDoes) {
  const std::string body = kOneWay + "SYAgCDEAgCDEAgCDEZVW";  // 's' is a norm too
  EXPECT_EQ(Turns({body, body}).borders(), (Borders{0, 40, 80}));
}

TEST(AlternatingPasses, HalvesWhoseLightWorkDiffersTooMuchAreOneIteration) {
  // By role two of twenty differ.
  const std::string body = kOneWay + "XYAgCDEAgCDEAgCDE??W";
  EXPECT_EQ(Turns({body, body}).borders(), (Borders{0, 40, 80}));
}

TEST(AlternatingPasses, HalvesNeedNotBeOfOneLength) {
  const std::string body = kOneWay + "XYAgCDEAgCDEAgCDEZVWWW";
  Turns turns({body, body});
  EXPECT_EQ(turns.borders(), (Borders{0, 20, 42, 62, 84}));
  EXPECT_EQ(turns.unfolded.exceptions, 2 * (kHalf + 2 - kProducts));
  const std::string longer = kOneWay + "wwwwww" + kOtherWay;  // by a quarter of the longer one
  EXPECT_EQ(Turns({longer, longer}).borders(), (Borders{0, 26, 46, 72, 92}));
}

TEST(AlternatingPasses, OfSeveralPlacesThatWithTheFewestEditsWins) {
  // 'x' ends the first half too: from there the second one has a kernel more.
  const std::string body = "xyagcdeagcdeagcdezvx" + kOtherWay.substr(0, 19) + "X";
  EXPECT_EQ(Turns({body, body}).borders(), (Borders{0, 20, 40, 60, 80}));
}

TEST(AlternatingPasses, AreFoundInANestOneOfWhosePassesHasAKernelMore) {
  std::string letters;
  for (int i = 0; i < 6; ++i) letters += kBothWays;
  const auto passes_in = [](const std::string& kernels) {
    trace::Trace trace;
    trace.ranks.emplace_back();
    const TestStream test = stream_of_turns(kernels);
    const Nest nest = find_nest(trace, MarkWindows(trace), test.stream, {});
    Borders all;
    if (nest.loops.empty()) return all;
    for (const Iteration& pass : nest.loops.front().instances.front().iterations)
      all.push_back(pass.start);
    return all;
  };
  EXPECT_EQ(passes_in(letters), (Borders{0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220}));
  letters.insert(2 * 40 + 5, "?");
  EXPECT_EQ(passes_in(letters), (Borders{0, 20, 40, 60, 80, 101, 121, 141, 161, 181, 201, 221}));
}

// Every kernel but the foreign ones is in the half that it is of, where an iteration has kernels
// more or kernels less.
RC_GTEST_PROP(AlternatingPasses, NoKernelChangesItsHalf, ()) {
  std::vector<std::string> iterations = {kBothWays, kBothWays};
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    std::string iteration = kBothWays;
    const int edits = *rc::gen::inRange(0, 4);
    const bool inserts = *rc::gen::arbitrary<bool>();
    for (int edit = 0; edit < edits; ++edit) {
      const auto at = *rc::gen::inRange<std::size_t>(0, iteration.size());
      if (inserts) {
        iteration.insert(at, "?");
      } else {
        iteration.erase(at, 1);
      }
    }
    iterations.push_back(iteration);
  }
  Turns turns(iterations);
  turns.borders();
  RC_ASSERT(turns.unfolded.iterations.size() == 2 * iterations.size());
  for (std::size_t i = 0; i < turns.unfolded.iterations.size(); ++i) {
    const Iteration& half = turns.unfolded.iterations[i];
    for (std::uint32_t kernel = half.start; kernel < half.end; ++kernel) {
      const char letter = turns.test.stream.symbol(kernel).text.back();
      if (letter != '?' && letter != 'g') RC_ASSERT((letter == small(letter)) == (i % 2 == 0));
    }
  }
}

}  // namespace
}  // namespace lockstep::analysis::cycles
