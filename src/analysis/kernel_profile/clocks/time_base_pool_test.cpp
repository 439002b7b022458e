// Claims on counters that several multiprocessors share, on time that is lost between knots, and on
// the check of the band.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/kernel_profile/clocks/time_base.h"
#include "analysis/kernel_profile/clocks/time_base_check.h"

namespace lockstep::analysis::kernel_profile {
namespace {

constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;

struct ProfileOfAnchors {
  trace::KernelProfile profile;
  Diagnostics findings;

  ProfileOfAnchors() {
    profile.launches.emplace_back();
    profile.records = std::make_shared<trace::DecodedRecords>(std::vector<trace::KernelRecord>{});
  }
  void lane(std::int32_t sm) {
    trace::KernelLane lane;
    lane.clock = trace::LaneClock::kCycles;
    lane.sm = lane.sm_end = sm;
    lane.first_anchor = profile.anchors.size();
    profile.lanes.push_back(lane);
  }
  // The counter was at `ticks` at this time, give or take `width`.
  void anchor(std::int64_t ns, std::int64_t ticks, std::int64_t width) {
    profile.anchors.push_back({kBegin + ns, ticks - width, ticks + width});
    ++profile.lanes.back().anchor_count;
  }
  TimeBase fit(std::uint32_t hold_out = 0) {
    findings = {};
    return fit_time_base(profile, {.hold_out = hold_out}, findings);
  }
};

TEST(TimeBasePools, MultiprocessorsWithOneNumberShareTheirAnchors) {
  ProfileOfAnchors one;
  for (std::int32_t sm = 0; sm < 8; ++sm) {
    one.lane(sm);
    for (const std::int64_t ns : {0, 100'000}) one.anchor(ns, 5'000'000 + 2 * ns + sm % 3, 20);
  }
  const TimeBase pooled = one.fit();
  ProfileOfAnchors apart;
  for (std::int32_t sm = 0; sm < 8; ++sm) {
    apart.lane(sm);
    for (const std::int64_t ns : {0, 100'000}) apart.anchor(ns, sm * 5'000'000 + 2 * ns, 20);
  }
  const TimeBase alone = apart.fit();
  EXPECT_LT(pooled.of(0).pieces[0].uncertainty_at_first,
            alone.of(0).pieces[0].uncertainty_at_first);
  EXPECT_TRUE(one.findings.entries().empty());
}

TEST(TimeBasePools, ASkewThatManyAnchorsShowIsTakenOff) {
  ProfileOfAnchors one;
  for (std::int32_t sm = 0; sm < 8; ++sm) {
    one.lane(sm);
    for (std::int64_t ns = 0; ns <= 1'000'000; ns += 10'000) {
      one.anchor(ns, 5'000'000 + 2 * ns + (sm == 0 ? 8 : 0), 5);
    }
  }
  const TimeBase base = one.fit();
  const double ahead_ps =
      static_cast<double>((base.of(1).at(5'100'000).time - base.of(0).at(5'100'000).time).ps);
  EXPECT_NEAR(ahead_ps, 4'000, 600);  // 8 ticks of 500 ps
}

TEST(TimeBasePools, NumbersThatOnlyBeginAlikeAreNotPooled) {
  ProfileOfAnchors one;
  for (std::int32_t sm = 0; sm < 2; ++sm) {
    one.lane(sm);
    for (std::int64_t ns = 0; ns <= 100'000; ns += 10'000) {
      one.anchor(ns, 5'000'000 + (sm == 0 ? 2 * ns : ns), 5);
    }
  }
  const TimeBase base = one.fit();
  EXPECT_NEAR(static_cast<double>(base.of(0).at(5'100'000).time.ps), 50e6, 1e5);
  EXPECT_NEAR(static_cast<double>(base.of(1).at(5'100'000).time.ps), 100e6, 1e5);
}

// The clock stands still for `lost_ns` right after the begin.
ProfileOfAnchors with_a_slow_start(std::int64_t lost_ns) {
  ProfileOfAnchors one;
  one.lane(0);
  for (std::int64_t ns = 0; ns <= 400'000; ns += 20'000) {
    one.anchor(ns, 5'000'000 + 2 * (ns - (ns > 0 ? lost_ns : 0)), 3);
  }
  return one;
}

TEST(TimeBaseLoss, TimeLostInAGapIsMetHalfWay) {
  ProfileOfAnchors one = with_a_slow_start(200);
  const TimeBase base = one.fit();
  // True times, if all was lost at once at the begin of the gap, and if at its end.
  const BandedTime early = base.of(0).at(5'000'000 + 2 * 5'000);
  EXPECT_GE(early.uncertainty.ps, 100'000);
  EXPECT_LE(early.uncertainty.ps, 150'000);
  EXPECT_LE(std::abs(early.time.ps - 5'200'000), early.uncertainty.ps);
  EXPECT_LE(std::abs(early.time.ps - 5'000'000), early.uncertainty.ps);
}

TEST(TimeBaseLoss, ItsNeighboursAreNotBlamed) {
  ProfileOfAnchors one = with_a_slow_start(200);
  EXPECT_LT(one.fit().of(0).at(5'000'000 + 2 * 30'000).uncertainty.ps, 30'000);
  ProfileOfAnchors steady = with_a_slow_start(0);
  EXPECT_LT(steady.fit().of(0).at(5'000'000 + 2 * 5'000).uncertainty.ps, 30'000);
}

TEST(TimeBaseLoss, WithoutAKnotInsideTheStartIsAssumedToBeLoaded) {
  ProfileOfAnchors one;
  one.lane(0);
  one.anchor(0, 5'000'000, 3);
  one.anchor(100'000, 5'200'000, 3);
  const TimeBase base = one.fit();
  EXPECT_GT(base.uncertainty.ps, 150'000);
  EXPECT_LT(base.uncertainty.ps, 300'000);
}

TEST(TimeBaseLoss, TimesNeverRunBackwards) {
  ProfileOfAnchors one = with_a_slow_start(900);
  const TimeBase base = one.fit();
  Time last{std::numeric_limits<std::int64_t>::min()};
  for (std::int64_t tick = 4'990'000; tick < 5'900'000; tick += 37) {
    const Time now = base.of(0).at(tick).time;
    EXPECT_GE(now, last) << tick;
    last = now;
  }
}

TEST(BandCheck, HeldOutAnchorsOfAStraightClockAreInside) {
  const ProfileOfAnchors one = with_a_slow_start(0);
  const BandCheck check = check_band(one.profile, 2);
  EXPECT_EQ(check.held_out, 9U);
  EXPECT_EQ(check.inside, 9U);
  EXPECT_EQ(check.excess_max.ps, 0);
  EXPECT_GT(check.stated_max.ps, 0);
}

TEST(BandCheck, AnAnchorThatLiesElsewhereIsSeen) {
  ProfileOfAnchors one = with_a_slow_start(0);
  one.profile.anchors[10].clock_before += 2'000;
  one.profile.anchors[10].clock_after += 2'000;
  const BandCheck check = check_band(one.profile, 10);
  EXPECT_EQ(check.held_out, 1U);
  EXPECT_EQ(check.inside, 0U);
  EXPECT_NEAR(static_cast<double>(check.excess_max.ps), 1e6, 1e5);
}

TEST(BandCheck, NothingHeldOutIsNothingWrong) {
  EXPECT_EQ(check_band(trace::KernelProfile{}, 2).share(), 1);
}

RC_GTEST_PROP(TimeBaseHostile, AnyAnchorsGiveFitsInOrder, ()) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> odd = {kMin,
                                         kMin + 1,
                                         -1,
                                         0,
                                         1,
                                         2,
                                         1'000,
                                         kBegin,
                                         kBegin + 32,
                                         std::int64_t{1} << 52,
                                         std::int64_t{1} << 61,
                                         kMax - 1,
                                         kMax};
  const auto value = rc::gen::oneOf(rc::gen::elementOf(odd),
                                    rc::gen::inRange<std::int64_t>(kBegin, kBegin + 1'000'000));
  const auto anchors = *rc::gen::container<std::vector<trace::KernelAnchor>>(
      rc::gen::construct<trace::KernelAnchor>(value, value, value));
  ProfileOfAnchors one;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    if (i % 3 == 0) {
      one.lane(static_cast<std::int32_t>(i % 5) - 1);
      if (i % 2 == 0) one.profile.lanes.back().sm_end = 9;
    }
    one.profile.anchors.push_back(anchors[i]);
    ++one.profile.lanes.back().anchor_count;
  }
  const TimeBase base = one.fit(*rc::gen::inRange(0U, 4U));
  for (const ClockFit& fit : base.fits) {
    RC_ASSERT(std::ranges::is_sorted(fit.pieces, {}, &ClockPiece::first_tick));
    for (const std::int64_t tick : {kMin, std::int64_t{0}, kBegin, kMax}) {
      RC_ASSERT(fit.at(tick).uncertainty.ps >= 0);
    }
  }
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
