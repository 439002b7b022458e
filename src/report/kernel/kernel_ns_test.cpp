// Claims on nanoseconds with decimals.
#include "report/kernel/kernel_ns.h"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/kernel_profile/clocks/time_base.h"

namespace lockstep::report::kernel {
namespace {

TEST(ExactNs, HasTheDecimalsThatThereAre) {
  EXPECT_EQ(exact_ns(Time{0}), "0");
  EXPECT_EQ(exact_ns(Time{8'704'000}), "8704");
  EXPECT_EQ(exact_ns(Time{505}), "0.505");
  EXPECT_EQ(exact_ns(Time{-1'500}), "-1.5");
  EXPECT_EQ(exact_ns(Time{7}), "0.007");
}

TEST(BandNs, IsNullWhereNothingTiesTimes) {
  EXPECT_EQ(band_ns(analysis::kernel_profile::kUnknownUncertainty), "null");
  EXPECT_EQ(band_ns(Time{2'250}), "2.25");
}

TEST(ExactNs, HasNoLimits) {
  for (const std::int64_t ps :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(exact_ns(Time{ps}), format_decimal(WideTime{ps}, kNanosecondsToPicoseconds, 0));
  }
}

RC_GTEST_PROP(ExactNs, IsWhatExactDecimalsGive, ()) {
  const auto ps = *rc::gen::resize(1000, rc::gen::arbitrary<std::int64_t>());
  const auto small = *rc::gen::inRange<std::int64_t>(-20'000, 20'000);
  for (const std::int64_t one : {ps, small}) {
    RC_ASSERT(exact_ns(Time{one}) == format_decimal(WideTime{one}, kNanosecondsToPicoseconds, 0));
  }
}

}  // namespace
}  // namespace lockstep::report::kernel
