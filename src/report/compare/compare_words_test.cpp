// Claims on how pairs are called and ordered, and on what the first sentence leaves out.
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/compare/compare_for_test.h"
#include "report/compare/compare_view.h"

namespace lockstep::report::compare {
namespace {

using analysis::cycles::PhaseName;
using testing::HasSubstr;
using testing::Not;

TEST(PairWords, UnlikeSidesAreBothSaid) {
  analysis::compare::ComparePair pair = slower_pass_for_test();
  EXPECT_EQ(pair_words(pair), "decode pass");
  pair.a = side_for_test(std::nullopt, 1, 62'000);
  EXPECT_EQ(pair_words(pair), "prefill segment -> decode pass");
  pair.b->phase = PhaseName::kPrefill;
  EXPECT_EQ(pair_words(pair), "prefill segment -> prefill pass");
}

TEST(PairWords, PhaseOfOneSideIsNotSaidOfTheOther) {
  analysis::compare::ComparePair pair = slower_pass_for_test();
  pair.a->phase = PhaseName::kUnknown;
  EXPECT_EQ(pair_words(pair), "pass -> decode pass");
  pair.b.reset();
  EXPECT_EQ(pair_words(pair), "pass");
}

TEST(UnknownPhaseWords, AreSaidWhereOneSideHasAPhase) {
  analysis::compare::ComparePair pair = slower_pass_for_test();
  EXPECT_EQ(unknown_phase_words(pair), "");
  pair.a->phase = PhaseName::kUnknown;
  EXPECT_EQ(unknown_phase_words(pair),
            "the phase of A is not known: it may be other work than decode");
  std::swap(pair.a, pair.b);
  EXPECT_EQ(unknown_phase_words(pair),
            "the phase of B is not known: it may be other work than decode");
  pair.a->phase = PhaseName::kUnknown;
  EXPECT_EQ(unknown_phase_words(pair), "");
}

TEST(CompareText, OtherWorkIsNoPartner) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.unmatched_a.share = 0.061;
  comparison.pairs.push_back(slower_pass_for_test());
  comparison.pairs.back().is_same_work = false;
  EXPECT_THAT(text_of(comparison, 10, 200),
              HasSubstr("without 6.1 % of A, which has no partner that does the same work;"));
}

TEST(CompareText, WhereAllIsOtherWorkNothingIsComparable) {
  analysis::compare::Comparison comparison = comparison_for_test();
  for (analysis::compare::ComparePair& pair : comparison.pairs) pair.is_same_work = false;
  EXPECT_THAT(text_of(comparison),
              HasSubstr("Nothing comparable: no pair of A and B does the same work.\n"));
  EXPECT_THAT(text_of(comparison), Not(HasSubstr("Total")));
  EXPECT_NE(nothing_compared_words(comparison), "");
}

TEST(CompareText, TimeWithoutPartnerIsSaidBesideTheTotal) {
  analysis::compare::Comparison comparison = comparison_for_test();
  comparison.unmatched_a.share = 0.04;
  EXPECT_THAT(text_of(comparison), Not(HasSubstr("no partner")));
  comparison.unmatched_a.share = 0.061;
  EXPECT_THAT(text_of(comparison, 10, 200),
              HasSubstr("times its iterations in A, and without 6.1 % of A, which has no partner; "
                        "1 of 7 rows beyond noise\n"));
  comparison.unmatched_b.share = 0.3;
  EXPECT_THAT(text_of(comparison, 10, 200),
              HasSubstr("without 6.1 % of A and 30.0 % of B, which has no partner;"));
}

TEST(CompareText, WhatIsNoTimeThatPassedStandsBehindWhatIs) {
  analysis::compare::Comparison comparison = comparison_for_test();
  analysis::compare::ComparePair beside = slower_pass_for_test();
  beside.is_significant = false;
  beside.delta_ns = 5'000'000;
  comparison.pairs[1].is_significant = false;
  comparison.pairs[1].is_elapsed = true;
  comparison.pairs.insert(comparison.pairs.begin(), beside);
  const std::string text = text_of(comparison);
  EXPECT_LT(text.find(", +12.400 us"), text.find(", +5.000 ms"));
}

}  // namespace
}  // namespace lockstep::report::compare
