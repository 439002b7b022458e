// Everything that has a time moves by the same distance.
#include "analysis/kernel_profile/figures/kernel_zero.h"

#include <gtest/gtest.h>

#include "analysis/kernel_profile/profile_for_test.h"

namespace lockstep::analysis::kernel_profile {
namespace {

// Two lanes of launch 0, the first of them from -2.5 ns on, and one without a time in launch 1.
KernelSummary summary_from(Time first, Time last) {
  KernelSummary summary;
  summary.time.origin_ns = 1'000;
  ClockPiece& piece = summary.time.fits.emplace_back().pieces.emplace_back();
  piece.first_tick = 7;
  piece.ps_per_tick = 500;
  summary.lanes.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) summary.lanes[i].lane = i;
  LaneResult& lane = summary.lanes[0];
  lane.start = first;
  lane.end = ns(10);
  lane.regions.emplace_back().start.time = ns(3);
  lane.regions[0].duration = ns(1);
  lane.instants.emplace_back().at.time = ns(5);
  summary.lanes[1].start = ns(4);
  summary.lanes[1].end = last;
  summary.launches.resize(2);
  summary.launches[0].start = first;
  summary.launches[0].end = last;
  summary.launches[1].launch = 1;
  summary.critical.emplace_back().end = last;
  summary.critical[0].slack = ns(2);
  summary.gaps.emplace_back().start = ns(6);
  AsyncPair& pair = summary.async_pairs.emplace_back();
  pair.begin.time = ns(1);
  pair.end.time = ns(2);
  return summary;
}

const std::vector<LaneFacts> kFacts = {{{}, true}, {{}, true}, {{}, false}};

TEST(KernelZero, EverythingMovesToTheEarliestLane) {
  KernelSummary summary = summary_from(Time{-2'500}, ns(20));
  count_from_earliest(summary, kFacts);
  EXPECT_EQ(summary.time.origin_ns, 997);
  EXPECT_EQ(summary.time.fits[0].at(7).time, ns(3));
  EXPECT_EQ(summary.lanes[0].start, Time{500});
  EXPECT_EQ(summary.lanes[0].end, ns(13));
  EXPECT_EQ(summary.lanes[0].regions[0].start.time, ns(6));
  EXPECT_EQ(summary.lanes[0].regions[0].duration, ns(1));
  EXPECT_EQ(summary.lanes[0].instants[0].at.time, ns(8));
  EXPECT_EQ(summary.lanes[1].start, ns(7));
  EXPECT_EQ(summary.launches[0].start, Time{500});
  EXPECT_EQ(summary.launches[0].end, ns(23));
  EXPECT_EQ(summary.critical[0].end, ns(23));
  EXPECT_EQ(summary.critical[0].slack, ns(2));
  EXPECT_EQ(summary.gaps[0].start, ns(9));
  EXPECT_EQ(summary.async_pairs[0].begin.time, ns(4));
  EXPECT_EQ(summary.async_pairs[0].end.time, ns(5));
}

TEST(KernelZero, WhatHasNoTimeStaysAtZero) {
  KernelSummary summary = summary_from(ns(-3), ns(20));
  count_from_earliest(summary, kFacts);
  EXPECT_EQ(summary.lanes[2].start, Time{});
  EXPECT_EQ(summary.launches[1].start, Time{});
  EXPECT_EQ(summary.launches[1].end, Time{});
}

TEST(KernelZero, LanesTooFarApartStay) {
  KernelSummary summary = summary_from(ns(-3), Time{kMaxDistanceFromOriginPs});
  count_from_earliest(summary, kFacts);
  EXPECT_EQ(summary.time.origin_ns, 1'000);
  EXPECT_EQ(summary.lanes[0].start, ns(-3));
}

TEST(KernelZero, NoLanesNoZero) {
  KernelSummary summary;
  count_from_earliest(summary, {});
  EXPECT_EQ(summary.time.origin_ns, 0);
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
