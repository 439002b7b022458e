// Claims on the sentence and the table by role.
#include "report/compare/time_change_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/compare/compare_view.h"

namespace lockstep::report::compare {
namespace {

using analysis::breakdown::index_of;
using analysis::breakdown::Part;
using testing::HasSubstr;
using testing::Not;

analysis::compare::PairSide side_with(std::int64_t gemm_ns, std::int64_t idle_ns,
                                      std::uint64_t pauses) {
  analysis::compare::PairSide side;
  const WideTime gemm = WideTime{gemm_ns} * kPicosecondsPerNanosecond;
  const WideTime idle = WideTime{idle_ns} * kPicosecondsPerNanosecond;
  side.wall_ns = gemm_ns + idle_ns;
  side.breakdown.windows = 1;
  side.breakdown.wall = gemm + idle;
  side.breakdown.parts[index_of(Part::kGemm)] = {gemm, gemm};
  side.breakdown.parts[index_of(Part::kIdle)] = {idle, idle};
  side.idle = {pauses, Time{static_cast<std::int64_t>(idle) / 10}};
  return side;
}

analysis::compare::ComparePair pair_of(const analysis::compare::PairSide& a,
                                       const analysis::compare::PairSide& b) {
  analysis::compare::ComparePair pair;
  pair.a = a;
  pair.b = b;
  pair.delta_ns = b.wall_ns - a.wall_ns;
  return pair;
}

TEST(TimeChangeWords, SayWhatBecameOfKernelsAndIdleAndWhatLimits) {
  EXPECT_EQ(time_change_words(pair_of(side_with(1000, 2000, 10), side_with(1410, 1680, 1))),
            "kernels 41 % slower, idle 16 % less: launch bound on A, long pauses on B");
  EXPECT_EQ(time_change_words(pair_of(side_with(1000, 2000, 10), side_with(900, 2200, 10))),
            "kernels 10 % faster, idle 10 % more: launch bound on both");
  EXPECT_EQ(time_change_words(pair_of(side_with(1000, 100, 1), side_with(1500, 100, 1))),
            "kernels 50 % slower");
}

TEST(TimeChangeWords, SayNothingWhereNothingChangedOrTheWorkIsAnother) {
  analysis::compare::ComparePair pair =
      pair_of(side_with(1000, 2000, 10), side_with(1000, 2000, 10));
  EXPECT_EQ(time_change_words(pair), "");
  pair = pair_of(side_with(1000, 2000, 10), side_with(1500, 2000, 10));
  pair.is_same_work = false;
  EXPECT_EQ(time_change_words(pair), "");
}

TEST(TimeChangePage, RolesAddUpToTheWallsOfBothSides) {
  layout::Page page;
  add_time_change(pair_of(side_with(1000, 2000, 10), side_with(1410, 1680, 1)), page);
  EXPECT_THAT(layout::page_text(page, {}),
              HasSubstr("  role              A    share         B    share    delta   change\n"
                        "  gemm       1.000 us   33.3 %  1.410 us   45.6 %  +410 ns  +41.0 %\n"
                        "  idle       2.000 us   66.7 %  1.680 us   54.4 %  -320 ns  -16.0 %\n"
                        "  wall time  3.000 us  100.0 %  3.090 us  100.0 %   +90 ns   +3.0 %\n"));
}

TEST(TimeChangePage, WhatNeitherSideHasIsNoRow) {
  layout::Page page;
  add_time_change(pair_of(side_with(1000, 0, 0), side_with(1410, 0, 0)), page);
  EXPECT_THAT(layout::page_text(page, {}), Not(HasSubstr("idle")));
}

TEST(TimeChangePage, RolesWithoutChangeAreOneRow) {
  analysis::compare::PairSide a = side_with(1'000'000, 2'000'000, 10);
  analysis::compare::PairSide b = side_with(1'000'000, 3'000'000, 10);
  for (const auto& [side, norm_ns] : {std::pair(&a, 100'000), std::pair(&b, 99'999)}) {
    const WideTime norm = WideTime{norm_ns} * kPicosecondsPerNanosecond;
    side->breakdown.parts[index_of(Part::kNorm)] = {norm, norm};
    side->breakdown.wall += norm;
    side->wall_ns += norm_ns;
  }
  layout::Page page;
  add_time_change(pair_of(a, b), page);
  const std::string text = layout::page_text(page, {});
  EXPECT_THAT(text, HasSubstr("\n  2 roles without change  1.100 ms   35.5 %  1.100 ms   26.8 %"));
  EXPECT_THAT(text, Not(HasSubstr("-0.0 %")));
  EXPECT_THAT(text, Not(HasSubstr("\n  gemm")));
  EXPECT_THAT(text, HasSubstr("\n  idle "));
}

TEST(TimeChangePage, OfTheSameTimesThereIsNoTable) {
  layout::Page page;
  add_time_change(pair_of(side_with(1000, 2000, 10), side_with(1000, 2000, 10)), page);
  EXPECT_TRUE(page.blocks().empty());
}

TEST(NothingCompared, SaysThatPhasesMayBePaired) {
  analysis::compare::Comparison comparison;
  comparison.pairs.resize(2);
  comparison.pairs[0].a.emplace().phase = analysis::cycles::PhaseName::kPrefill;
  comparison.pairs[1].b.emplace().phase = analysis::cycles::PhaseName::kUnknown;
  EXPECT_EQ(nothing_compared_words(comparison), "nothing of A was found in B");
  comparison.pairs[1].b->phase = analysis::cycles::PhaseName::kDecode;
  EXPECT_EQ(nothing_compared_words(comparison),
            "nothing of A was found in B: one has prefill where the other has decode; "
            "--pair-phases compares them");
  comparison.options.pair_phases = true;
  EXPECT_EQ(nothing_compared_words(comparison), "nothing of A was found in B");
  comparison.pairs[0].b = comparison.pairs[0].a;
  comparison.pairs[0].delta_ns = 0;
  EXPECT_EQ(nothing_compared_words(comparison), "");
}

}  // namespace
}  // namespace lockstep::report::compare
