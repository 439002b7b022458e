// Claims on the time base: what lanes say of time, from clean to hostile.
#include "analysis/kernel_profile/clocks/time_base.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::analysis::kernel_profile {
namespace {

// A profile of lanes that are put together by hand.
struct ProfileMaker {
  trace::KernelProfile profile;
  std::vector<trace::KernelRecord> records;

  trace::KernelLane& lane(trace::LaneClock clock, std::int32_t sm) {
    trace::KernelLane lane;
    lane.clock = clock;
    lane.sm = sm;
    lane.sm_end = sm;
    lane.first_record = records.size();
    lane.first_anchor = profile.anchors.size();
    profile.lanes.push_back(lane);
    return profile.lanes.back();
  }
  void anchor(std::int64_t timer_ns, std::int64_t before, std::int64_t after) {
    profile.anchors.push_back({timer_ns, before, after});
    ++profile.lanes.back().anchor_count;
  }
  void record(std::int64_t ticks) {
    records.push_back({.ticks = ticks});
    ++profile.lanes.back().written;
  }
  TimeBase fit() {
    profile.records = std::make_shared<trace::DecodedRecords>(records);
    findings = {};
    return fit_time_base(profile, {}, findings);
  }
  [[nodiscard]] std::uint64_t found(std::string_view kind) const {
    for (const Diagnostic& entry : findings.entries()) {
      if (entry.kind->name == kind) return entry.count;
    }
    return 0;
  }
  Diagnostics findings;
};

std::int64_t ns(Time time) { return floor_ns(time); }

TEST(TimeBase, OfNothingHasNoLanes) {
  ProfileMaker maker;
  const TimeBase base = maker.fit();
  EXPECT_TRUE(base.fit_of_lane.empty());
  EXPECT_TRUE(maker.findings.entries().empty());
}

TEST(TimeBase, TimerTicksAreNanosecondsUncertainByTheStep) {
  ProfileMaker maker;
  maker.profile.timer_tick_ns = 64;
  maker.lane(trace::LaneClock::kGlobalTimer, -1);
  maker.record(1'000'000);
  maker.record(1'000'640);
  const TimeBase base = maker.fit();
  EXPECT_EQ(base.source, TimeSource::kGlobalTimer);
  EXPECT_EQ(base.origin_ns, 1'000'000);
  EXPECT_EQ(ns(base.of(0).at(1'000'640).time), 640);
  EXPECT_EQ(ns(base.of(0).at(1'000'640).uncertainty), 64);
  EXPECT_EQ(ns(base.uncertainty), 64);
}

TEST(TimeBase, AnUnstatedTimerStepIsFoundInTheTimes) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kGlobalTimer, -1);
  for (int i = 0; i < 40; ++i) maker.record(5'000'000'000 + 1024 * i * i);
  EXPECT_DOUBLE_EQ(maker.fit().tick_ns, 1024);
}

TEST(TimeBase, FewTimesSayNothingOfTheStep) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kGlobalTimer, -1);
  maker.record(0);
  maker.record(640);
  EXPECT_DOUBLE_EQ(maker.fit().tick_ns, 32);
}

TEST(TimeBase, TwoAnchorsMakeALine) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 3);
  maker.anchor(1'000'000, 500'000, 500'004);
  maker.anchor(1'100'000, 700'000, 700'004);
  const TimeBase base = maker.fit();
  EXPECT_EQ(base.source, TimeSource::kAnchoredCycles);
  EXPECT_EQ(base.origin_ns, 1'000'000);
  const BandedTime middle = base.of(0).at(600'002);
  EXPECT_EQ(middle.time.ps, 50'000'000);
  EXPECT_GT(middle.uncertainty, base.of(0).at(500'002).uncertainty);
  EXPECT_EQ(base.of(0).at(500'002).uncertainty.ps, 5'000);  // 2 + 4 jitter + 1 of reading + 3
}

TEST(TimeBase, LanesOfOneMultiprocessorShareTheirAnchors) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 3);
  maker.anchor(1'000'000, 500'000, 500'004);
  maker.lane(trace::LaneClock::kCycles, 3);
  maker.anchor(1'100'000, 700'000, 700'004);
  maker.lane(trace::LaneClock::kCycles, 4);
  maker.anchor(1'000'000, 9'500'000, 9'500'004);
  maker.anchor(1'100'000, 9'700'000, 9'700'004);
  const TimeBase base = maker.fit();
  EXPECT_EQ(base.fit_of_lane[0], base.fit_of_lane[1]);
  EXPECT_NE(base.fit_of_lane[0], base.fit_of_lane[2]);
  EXPECT_EQ(base.of(0).at(600'002).time.ps, 50'000'000);
  EXPECT_EQ(base.of(2).at(9'600'002).time.ps, 50'000'000);
}

TEST(TimeBase, LanesOfOneMultiprocessorInTwoLaunchesDoNot) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 3);
  maker.lane(trace::LaneClock::kCycles, 3).launch = 1;
  const TimeBase base = maker.fit();
  EXPECT_NE(base.fit_of_lane[0], base.fit_of_lane[1]);
}

TEST(TimeBase, AClockThatBendsIsFollowedThroughItsAnchors) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 0);
  maker.anchor(1'000'000, 0, 2);
  maker.anchor(1'050'000, 100'000, 100'002);
  maker.anchor(1'100'000, 150'000, 150'002);
  const TimeBase base = maker.fit();
  EXPECT_NEAR(static_cast<double>(base.of(0).at(50'001).time.ps), 25'000'000, 1'000);
  EXPECT_NEAR(static_cast<double>(base.of(0).at(100'001).time.ps), 50'000'000, 1'000);
  EXPECT_NEAR(static_cast<double>(base.of(0).at(125'001).time.ps), 75'000'000, 1'000);
}

TEST(TimeBase, BeyondTheAnchorsTheBandGrows) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 0);
  maker.anchor(1'000'000, 1'000'000, 1'000'002);
  maker.anchor(1'100'000, 1'200'000, 1'200'002);
  const TimeBase base = maker.fit();
  const ClockFit& fit = base.of(0);
  EXPECT_EQ(fit.at(1'400'001).time.ps, 200'000'000);
  EXPECT_GT(fit.at(1'400'001).uncertainty.ps, 1'000'000);
  EXPECT_EQ(fit.at(800'001).time.ps, -100'000'000);
  EXPECT_GT(fit.at(800'001).uncertainty.ps, 1'000'000);
}

TEST(TimeBase, ASingleAnchorTakesTheRateOfTheOthers) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 0);
  maker.anchor(1'000'000, 0, 2);
  maker.anchor(1'100'000, 200'000, 200'002);
  maker.lane(trace::LaneClock::kCycles, 1);
  maker.anchor(1'000'000, 70'000, 70'002);
  const TimeBase base = maker.fit();
  EXPECT_EQ(base.of(1).at(90'001).time.ps, 10'000'000);
}

TEST(TimeBase, CyclesWithoutAnchorsAreScaledByTheNominalRate) {
  ProfileMaker maker;
  maker.profile.clock_ghz = 2;
  maker.lane(trace::LaneClock::kCycles, 0);
  maker.record(1'000);
  const TimeBase base = maker.fit();
  EXPECT_EQ(base.source, TimeSource::kCycles);
  EXPECT_EQ(base.of(0).at(3'000).time.ps, 1'000'000);
  EXPECT_EQ(base.uncertainty, kUnknownUncertainty);
  EXPECT_EQ(maker.found("cycles_not_tied_to_time"), 1U);
  EXPECT_EQ(maker.found("clock_rate_unknown"), 0U);
}

TEST(TimeBase, CyclesOfAnUnknownRateAreShownAsNanosecondsLoudly) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 0);
  maker.record(1'000);
  const TimeBase base = maker.fit();
  EXPECT_EQ(base.of(0).at(3'000).time.ps, 2'000'000);
  EXPECT_EQ(maker.found("clock_rate_unknown"), 1U);
}

TEST(TimeBase, AMigratedLaneReadsEachCounterByItsOwnAnchors) {
  for (const std::int64_t offset : {7'000'000'000, -7'000'000'000}) {
    ProfileMaker maker;
    maker.lane(trace::LaneClock::kCycles, 0);
    maker.anchor(1'000'000, 8'000'000'000, 8'000'000'002);
    maker.anchor(1'100'000, 8'000'200'000, 8'000'200'002);
    maker.lane(trace::LaneClock::kCycles, 0).sm_end = 1;
    maker.anchor(1'000'000, 8'000'000'000, 8'000'000'002);
    maker.anchor(1'100'000, 8'000'200'000 + offset, 8'000'200'002 + offset);
    const TimeBase base = maker.fit();
    EXPECT_NE(base.fit_of_lane[0], base.fit_of_lane[1]);
    EXPECT_EQ(base.of(1).at(8'000'020'001).time.ps, 10'000'000);
    const BandedTime later = base.of(1).at(8'000'180'001 + offset);
    EXPECT_NEAR(static_cast<double>(later.time.ps), 90'000'000, 1'000);
    EXPECT_GT(later.uncertainty.ps, 50'000);
  }
}

TEST(TimeBase, ReversedAndUnsetAnchorsAreLeftOut) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 0);
  maker.anchor(0, 0, 0);
  maker.anchor(1'000'000, 0, 2);
  maker.anchor(1'050'000, 90'000, 80'000);
  maker.anchor(1'100'000, 200'000, 200'002);
  const TimeBase base = maker.fit();
  EXPECT_EQ(maker.found("anchor_reversed"), 2U);
  EXPECT_EQ(base.of(0).at(100'001).time.ps, 50'000'000);
}

TEST(TimeBase, AnAnchorThatContradictsTheOthersIsLeftOut) {
  ProfileMaker maker;
  maker.lane(trace::LaneClock::kCycles, 0);
  maker.anchor(1'000'000, 0, 2);
  maker.anchor(1'050'000, 70'000'000'000, 70'000'000'002);
  maker.anchor(1'060'000, 120'000, 120'002);
  maker.anchor(1'100'000, 200'000, 200'002);
  const TimeBase base = maker.fit();
  EXPECT_EQ(maker.found("anchors_disagree"), 1U);
  EXPECT_EQ(base.of(0).at(100'001).time.ps, 50'000'000);
}

TEST(TimeBase, ClocksFarFromTheOthersAreSaidToBe) {
  ProfileMaker maker;
  for (int sm = 0; sm < 3; ++sm) {
    maker.lane(trace::LaneClock::kCycles, sm);
    const std::int64_t at = sm == 1 ? 5 : 1'700'000'000'000'000'000;
    maker.anchor(at, 0, 2);
    maker.anchor(at + 100'000, 200'000, 200'002);
  }
  const TimeBase base = maker.fit();
  EXPECT_EQ(base.origin_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(maker.found("clock_far_away"), 1U);
  EXPECT_EQ(base.of(1).at(0).uncertainty, kUnknownUncertainty);
  EXPECT_EQ(base.of(2).at(100'001).time.ps, 50'000'000);
}

TEST(TimeBase, NoAnchorsHoweverHostileCrashIt) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const std::int64_t values[] = {kMin, -1, 0, 1, 2, 1'000'000, kMax / 2, kMax - 1, kMax};
  for (const std::int64_t timer : values) {
    for (const std::int64_t before : values) {
      for (const std::int64_t after : values) {
        ProfileMaker maker;
        maker.lane(trace::LaneClock::kCycles, 0);
        maker.anchor(timer, before, after);
        maker.anchor(1'000'000, 0, 2);
        maker.anchor(before, timer, after);
        maker.anchor(1'000'001, 2, 2);
        maker.lane(trace::LaneClock::kCycles, 1).sm_end = 7;
        maker.anchor(1'000'000, 5, 8);
        maker.anchor(after, before, timer);
        maker.anchor(timer, before, after);
        const TimeBase base = maker.fit();
        for (const std::int64_t tick : values) {
          EXPECT_GE(base.of(0).at(tick).uncertainty.ps, 0);
          EXPECT_GE(base.of(1).at(tick).uncertainty.ps, 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
