// Claims on words for times, shares and names.
#include "report/layout/quantities.h"

#include <gtest/gtest.h>

namespace lockstep::report::layout {
namespace {

TEST(Quantities, SharesHaveOneDecimal) {
  EXPECT_EQ(share_of(2, 3), "66.7 %");
  EXPECT_EQ(share_of(2, 0), "-");
  EXPECT_EQ(percent_of(0.667), "66.7 %");
  EXPECT_EQ(percent_words(66.7), "66.7 %");
  EXPECT_EQ(signed_percent(1.5), "+1.5 %");
  EXPECT_EQ(signed_percent(-20), "-20.0 %");
}

TEST(Quantities, ChangesHaveASign) {
  EXPECT_EQ(signed_time(Time{12'400'000}), "+12.400 us");
  EXPECT_EQ(signed_time(Time{-12'400'000}), "-12.400 us");
  EXPECT_EQ(signed_time(Time{}), "0 ns");
}

TEST(Quantities, MeansAreRounded) { EXPECT_EQ(mean_time(1'500'499'999.6), "1.500 ms"); }

TEST(Quantities, WhatHasNoNameIsToldSo) {
  EXPECT_EQ(named(""), "(no name)");
  EXPECT_EQ(named("gemm"), "gemm");
}

TEST(Quantities, SentencesBeginLarge) {
  EXPECT_EQ(capitalised("stream 7"), "Stream 7");
  EXPECT_EQ(capitalised(""), "");
}

TEST(Quantities, WhatHasNoIdHasNoNumber) {
  EXPECT_EQ(with_id("device", "0"), "device 0");
  EXPECT_EQ(with_id("device", ""), "device");
  EXPECT_EQ(or_dash("7"), "7");
  EXPECT_EQ(or_dash(""), "-");
}

}  // namespace
}  // namespace lockstep::report::layout
