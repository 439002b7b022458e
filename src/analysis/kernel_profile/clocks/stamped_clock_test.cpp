// Cycles behind a reading of the timer: exact at the stamp, by the rate behind it.
#include "analysis/kernel_profile/clocks/stamped_clock.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "analysis/kernel_profile/profile_for_test.h"
#include "base/diagnostics.h"

namespace lockstep::analysis::kernel_profile {
namespace {

constexpr std::int64_t kDayNs = std::int64_t{86'400} * 1'000'000'000;

// Two blocks on one multiprocessor, whose cycles count from 1,000 and 50,000,000 ns.
trace::KernelProfile two_blocks() {
  trace::KernelProfile profile =
      profile_of({{0, 0, {region_of(0, 1'000, 500)}, 7}, {1, 0, {region_of(0, 50'000'100, 3)}, 7}});
  profile.timer_tick_ns = 32;
  for (trace::KernelLane& lane : profile.lanes) lane.clock = trace::LaneClock::kStampedCycles;
  profile.lanes[0].stamp_ns = 1'000;
  profile.lanes[1].stamp_ns = 50'000'000;
  return profile;
}

TEST(StampedClock, AStampIsATimeOfTheDeviceAndARateCountsFromThere) {
  trace::KernelProfile profile = two_blocks();
  profile.clock_ghz = 2;
  Diagnostics findings;
  const TimeBase base = fit_time_base(profile, {}, findings);
  EXPECT_EQ(base.source, TimeSource::kAnchoredCycles);
  EXPECT_EQ(base.origin_ns, 1'000);
  EXPECT_EQ(base.of(0).at(1'000).time, ns(0));
  EXPECT_EQ(base.of(0).at(1'500).time, ns(250));
  EXPECT_EQ(base.of(0).at(1'000).uncertainty, ns(32));
  // The same multiprocessor, and yet another counter: nothing is fitted across blocks.
  EXPECT_EQ(base.of(1).at(50'000'100).time, ns(49'999'000 + 50));
  EXPECT_TRUE(findings.entries().empty());
}

TEST(StampedClock, WithoutARateACycleCountsAsANanosecondAndIsThatUncertain) {
  const trace::KernelProfile profile = two_blocks();
  Diagnostics findings;
  const TimeBase base = fit_time_base(profile, {}, findings);
  EXPECT_EQ(base.of(0).at(1'500).time, ns(500));
  EXPECT_EQ(base.of(0).at(1'500).uncertainty, ns(32 + 500));
  EXPECT_EQ(base.of(1).at(50'000'103).time, ns(49'999'103));
}

TEST(StampedClock, AStampDaysAwayHasNoTime) {
  trace::KernelProfile profile = two_blocks();
  profile.lanes[1].stamp_ns = 50 * kDayNs;
  Diagnostics findings;
  const TimeBase base = fit_time_base(profile, {}, findings);
  ASSERT_EQ(findings.entries().size(), 1U);
  EXPECT_EQ(std::string(findings.entries()[0].kind->name), "clock_far_away");
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
