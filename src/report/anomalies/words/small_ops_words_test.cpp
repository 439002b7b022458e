// Tests of how the verdict on small kernels reads.
#include "report/anomalies/words/small_ops_words.h"

#include <gtest/gtest.h>

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::SmallOps;

constexpr std::int64_t us(std::int64_t count) { return count * kPicosecondsPerMicrosecond; }

SmallOps small_ops(std::uint64_t count, std::int64_t work_us, std::int64_t gaps_us, bool matters) {
  SmallOps small;
  small.count = count;
  small.all = 3;
  small.duration = us(work_us);
  small.gaps = us(gaps_us);
  small.limit_us = 10;
  small.span = Time{us(1000)};
  small.matters = matters;
  return small;
}

TEST(SmallOpsWords, OneIsNotMany) {
  EXPECT_EQ(small_ops_words(small_ops(1, 9, 90, false)),
            "1 of 3 kernels is shorter than 10 us: 9.000 us of work and 90.000 us of gaps before "
            "it, 9.9 % of the span. It does not matter.");
}

TEST(SmallOpsWords, SayWhetherGapsOrKernelsCost) {
  EXPECT_TRUE(small_ops_words(small_ops(2, 10, 40, true))
                  .ends_with("They matter, for the launch gaps, not for the work."));
  EXPECT_TRUE(small_ops_words(small_ops(2, 50, 10, true))
                  .ends_with("They matter, for the work itself, not for the launch gaps."));
}

TEST(SmallOpsWords, LongGapsAreSaid) {
  SmallOps small = small_ops(2, 10, 10, false);
  small.apart = us(1000);
  EXPECT_EQ(small_ops_words(small),
            "2 of 3 kernels are shorter than 10 us: 10.000 us of work and 10.000 us of gaps before "
            "them (without 1.000 ms of long gaps), 2.0 % of the span. They do not matter.");
}

TEST(SmallOpsWords, NoneAreSaid) {
  EXPECT_EQ(small_ops_words(small_ops(0, 0, 0, false)), "No kernel is shorter than 10 us.");
}

}  // namespace
}  // namespace lockstep::report::anomalies
