// Which repetitions may become loops, and how many exceptions they have.
#include "analysis/cycles/nest/loop_candidates.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

using Symbols = std::vector<std::uint32_t>;

// Letters; capitals share signature and role with their small ones, 'g' and 'G' are GEMMs.
TestStream stream_of(std::string_view letters) {
  TestStream test;
  test.add_letters(letters);
  for (KernelSymbol& symbol : test.stream.symbols) {
    const char letter = symbol.text.back();
    symbol.signature = static_cast<std::uint32_t>(letter | 0x20);
    symbol.facts.role = static_cast<kernels::KernelRole>(symbol.signature % 5 + 2);
    if (symbol.signature == 'g') symbol.facts.role = kernels::KernelRole::kGemm;
  }
  return test;
}

std::vector<LoopCandidate> tolerant(const TestStream& test, double tolerance = 0.25) {
  const Stretch stretch{test.stream, 0, static_cast<std::uint32_t>(test.stream.size())};
  const algo::SequenceHash hash(test.stream.names);
  return tolerant_candidates(stretch, SymbolLevel::kSignature, exact_candidates(hash), tolerance);
}

TEST(ExactCandidates, LeaveOutWhatCannotSaveAnything) {
  EXPECT_TRUE(exact_candidates(algo::SequenceHash(Symbols{1, 1})).empty());
  EXPECT_TRUE(exact_candidates(algo::SequenceHash(Symbols{1, 1, 1})).empty());
  EXPECT_EQ(exact_candidates(algo::SequenceHash(Symbols{1, 1, 1, 1})).size(), 1U);
  EXPECT_EQ(exact_candidates(algo::SequenceHash(Symbols{1, 2, 1, 2})).size(), 1U);
}

TEST(TolerantCandidates, CountTheKernelsThatAreNotLikeMost) {
  const TestStream test = stream_of("abcdefghabcdefGhabcdefghAbcdefgh");
  const std::vector<LoopCandidate> candidates = tolerant(test);
  ASSERT_EQ(candidates.size(), 1U);
  EXPECT_EQ(candidates[0].period, 8U);
  EXPECT_EQ(candidates[0].complete(), 4U);
  EXPECT_EQ(candidates[0].exceptions, 2U);
  EXPECT_EQ(candidates[0].level, SymbolLevel::kSignature);
}

TEST(TolerantCandidates, AreRejectedAboveTheTolerance) {
  const TestStream test = stream_of("abcdefghABCDefgh");  // 4 of 16
  EXPECT_EQ(tolerant(test, 0.25).size(), 1U);
  EXPECT_TRUE(tolerant(test, 0.24).empty());
}

TEST(TolerantCandidates, AreLongEnoughToMeanSomething) {
  EXPECT_TRUE(tolerant(stream_of("abcdefgabcdefG")).empty());  // seven kernels
}

TEST(TolerantCandidates, HoldAKernelThatDoesWork) {
  EXPECT_TRUE(tolerant(stream_of("abcdefihabcdefIh")).empty());
}

TEST(TolerantCandidates, AreNeedlessWhereAnExactOneIsNearlyAsLong) {
  // Exact for half of the kernels is not enough; for 87 of 88 it is.
  EXPECT_EQ(tolerant(stream_of("abcdefghabcdefghabcdEfghabcdefghabcdefgh")).size(), 1U);
  std::string letters = "Abcdefgh";
  for (int i = 0; i < 10; ++i) letters += "abcdefgh";
  EXPECT_TRUE(tolerant(stream_of(letters)).empty());
}

TEST(BridgedCandidates, JoinRunsOfOneBodyAcrossAnException) {
  const std::string body = "abcdefghijklmnopqrst";
  std::string letters = body + body + "abc?" + body.substr(3) + body + body;
  const TestStream test = stream_of(letters);
  const algo::SequenceHash hash(test.stream.names);
  const auto bridged = bridged_candidates(hash, exact_candidates(hash), 0.05);
  ASSERT_EQ(bridged.size(), 1U);
  EXPECT_EQ(bridged[0].start, 0U);
  EXPECT_EQ(bridged[0].end, letters.size());
  EXPECT_EQ(bridged[0].exceptions, 1U);
  EXPECT_EQ(bridged[0].run_start, 44U);  // the longer one
  EXPECT_EQ(bridged[0].run_end, letters.size());
  // Two foreign kernels are more than a twentieth of the body.
  letters.insert(43, "!");
  const TestStream worse = stream_of(letters);
  const algo::SequenceHash other(worse.stream.names);
  EXPECT_TRUE(bridged_candidates(other, exact_candidates(other), 0.05).empty());
}

TEST(MergedCandidates, KeepTheFirstOfTwoEqualOnes) {
  const LoopCandidate exact{0, 16, 8, 0, 0, SymbolLevel::kName, 0, 16};
  const LoopCandidate alike{0, 16, 8, 0, 3, SymbolLevel::kRole, 0, 16};
  const LoopCandidate earlier{0, 8, 2, 0, 0, SymbolLevel::kName, 0, 8};
  const auto merged = merged_candidates({exact}, {earlier, alike});
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].period, 2U);
  EXPECT_EQ(merged[1].level, SymbolLevel::kName);
}

RC_GTEST_PROP(CountExceptions, IsTheLeastNumberOfKernelsToReplace, ()) {
  const auto period = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto complete = *rc::gen::inRange<std::uint32_t>(1, 5);
  const auto names =
      *rc::gen::container<Symbols>(period * complete, rc::gen::inRange<std::uint32_t>(0, 3));
  // Against every body of three names.
  std::uint32_t least = period * complete;
  for (std::uint32_t body = 0; body < 27; ++body) {
    const Symbols letters = {body % 3, body / 3 % 3, body / 9};
    std::uint32_t differ = 0;
    for (std::uint32_t i = 0; i < names.size(); ++i)
      differ += names[i] == letters[i % period] ? 0 : 1;
    least = std::min(least, differ);
  }
  RC_ASSERT(count_exceptions(names, 0, period, complete) == least);
}

TEST(LayIterations, TakesTheIterationMostLikeTheOthersAsBody) {
  FoundLoop loop;
  loop.period = 2;
  loop.level = SymbolLevel::kRole;
  lay_iterations(Symbols{9, 1, 8, 1, 2, 1, 2, 1}, 0, 4, loop);
  EXPECT_EQ(loop.body_start, 4U);
  EXPECT_EQ(loop.exceptions, 2U);
  EXPECT_EQ(loop.iterations.size(), 4U);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
