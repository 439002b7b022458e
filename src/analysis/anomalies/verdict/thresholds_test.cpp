// The table of thresholds has every one of them, and limits are exact.
#include "analysis/anomalies/verdict/thresholds.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace lockstep::analysis::anomalies {
namespace {

TEST(Thresholds, TableHasEveryMemberUnderItsOwnName) {
  std::set<std::string_view> names;
  std::set<const double*> members;
  const Thresholds thresholds;
  for (const ThresholdField& field : threshold_fields()) {
    names.insert(field.name);
    members.insert(&(thresholds.*(field.value)));
    EXPECT_FALSE(field.meaning.empty()) << field.name;
  }
  EXPECT_EQ(names.size(), sizeof(Thresholds) / sizeof(double));
  EXPECT_EQ(members.size(), sizeof(Thresholds) / sizeof(double));
}

TEST(Thresholds, TableIsInTheOrderOfTheMembers) {
  const Thresholds thresholds;
  const double* before = nullptr;
  for (const ThresholdField& field : threshold_fields()) {
    const double* const member = &(thresholds.*(field.value));
    EXPECT_TRUE(before == nullptr || before < member) << field.name;
    before = member;
  }
}

TEST(Thresholds, OneIsSetByItsName) {
  Thresholds thresholds;
  EXPECT_TRUE(set_threshold(thresholds, "high_underfeed", 0.4));
  EXPECT_EQ(thresholds.high_underfeed, 0.4);
  EXPECT_EQ(thresholds.heavy_gap_share, Thresholds{}.heavy_gap_share);
}

TEST(Thresholds, AnUnknownNameSetsNothing) {
  Thresholds thresholds;
  EXPECT_FALSE(set_threshold(thresholds, "high_underfed", 0.4));
  EXPECT_FALSE(set_threshold(thresholds, "", 0.4));
  EXPECT_EQ(thresholds.high_underfeed, Thresholds{}.high_underfeed);
}

TEST(Thresholds, LimitIsTheGreaterOfTimeAndShare) {
  EXPECT_EQ(limit_of(1000, 0.10, Time{5'000'000'000}), Time{1'000'000'000});
  EXPECT_EQ(limit_of(1000, 0.10, Time{10'000'000'000}), Time{1'000'000'000});
  EXPECT_EQ(limit_of(1000, 0.10, Time{10'000'000'010}), Time{1'000'000'001});
  EXPECT_EQ(limit_of(0, 0.30, Time{}), Time{});
}

TEST(Thresholds, LimitOfARoundShareIsRound) {
  // 0.1 has no exact double; the limit must not become one picosecond more for it.
  for (std::int64_t ms = 1; ms <= 10'000; ++ms) {
    EXPECT_EQ(limit_of(0, 0.10, Time{ms * 1'000'000'000}), Time{ms * 100'000'000});
  }
}

TEST(Thresholds, LimitOfAnAbsurdShareIsOutOfReach) {
  EXPECT_EQ(limit_of(0, 1e300, Time{1}), Time{kMaxDistanceFromOriginPs});
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
