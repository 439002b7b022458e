// A profile and its summary made by hand for the tests of sinks: one launch of two blocks with two
// groups; group 0 loads, group 1 computes. Block 1 ends last. A copy that group 0 begins is ended
// by group 1 of the same block.
#pragma once

#include <memory>
#include <vector>

#include "report/kernel/kernel_view.h"

namespace lockstep::report::kernel {

inline constexpr DiagnosticKind kTestFinding = {"dropped_records", Severity::kDataLoss,
                                                "Records did not fit and are missing."};

struct KernelFixture {
  static constexpr std::uint32_t kLoad = 0;
  static constexpr std::uint32_t kCompute = 1;
  static constexpr std::uint32_t kStore = 2;
  static constexpr std::uint32_t kNote = 3;  // without a name
  static constexpr double kPsPerTick = 505;

  KernelFixture() {
    build_profile();
    build_clock();
    for (std::uint32_t lane = 0; lane < 4; ++lane) build_lane(lane);
    build_answers();
    findings.add(kTestFinding, Place::byte(128), "block 1 group 1", 6);
  }

  [[nodiscard]] KernelReport report() const { return {profile, summary, findings, "a.lkp"}; }

  static Time ns(double value) { return Time{static_cast<std::int64_t>(value * 1000)}; }
  [[nodiscard]] Time at(std::int64_t tick) const { return summary.time.fits[0].at(tick).time; }

  trace::KernelProfile profile;
  analysis::kernel_profile::KernelSummary summary;
  Diagnostics findings;

 private:
  void build_profile() {
    profile.format = "lkp";
    profile.device = "NVIDIA H200";
    profile.arch = "sm_90";
    profile.event_names = {"load", "compute", "store"};
    trace::KernelLaunch launch;
    launch.id = 7;
    launch.number = 1;
    launch.kernel = "gemm";
    launch.grid = {2, 1, 1};
    launch.threads = {256, 1, 1};
    launch.groups = 2;
    launch.lanes_expected = 4;
    profile.launches.push_back(launch);
    std::vector<trace::KernelRecord> records;
    for (std::uint32_t i = 0; i < 4; ++i) add_lane(i, records);
    profile.lanes[3].seen += 6;
    profile.records = std::make_shared<trace::DecodedRecords>(std::move(records));
    profile.anchors.resize(8);
  }

  // Lanes of block 1 take twice as long as those of block 0.
  void add_lane(std::uint32_t index, std::vector<trace::KernelRecord>& records) {
    trace::KernelLane lane;
    lane.block = index / 2;
    lane.group = index % 2;
    lane.sm = 10 + static_cast<std::int32_t>(lane.block);
    lane.sm_end = lane.sm;
    lane.is_finalized = true;
    lane.clock = trace::LaneClock::kCycles;
    lane.first_record = records.size();
    lane.first_anchor = 2 * index;
    lane.anchor_count = 2;
    const std::int64_t unit = lane.block == 0 ? 1000 : 2000;
    const auto add = [&](trace::RecordType type, std::uint32_t event, std::int64_t tick) {
      trace::KernelRecord record;
      record.type = type;
      record.event = event;
      record.ticks = tick;
      records.push_back(record);
    };
    if (lane.group == 0) {
      add(trace::RecordType::kBegin, kLoad, 0);
      add(trace::RecordType::kEnd, kLoad, unit);
      add(trace::RecordType::kBegin, kStore, 3 * unit);
      add(trace::RecordType::kEnd, kStore, 4 * unit);
    } else {
      add(trace::RecordType::kBegin, kCompute, unit);
      add(trace::RecordType::kEnd, kCompute, 5 * unit);
    }
    lane.written = records.size() - lane.first_record;
    lane.seen = lane.written;
    lane.capacity = 64;
    profile.lanes.push_back(lane);
  }

  void build_clock() {
    analysis::kernel_profile::ClockFit fit;
    fit.source = analysis::kernel_profile::TimeSource::kAnchoredCycles;
    fit.pieces.push_back({0, Time{}, kPsPerTick, ns(1.5), ns(2)});
    summary.time.source = analysis::kernel_profile::TimeSource::kAnchoredCycles;
    summary.time.tick_ns = 0.505;
    summary.time.uncertainty = ns(2);
    summary.time.origin_ns = 1'700'000'000'000'000'000;
    summary.time.fits = {fit};
    summary.time.fit_of_lane.assign(4, 0);
  }

  static Time ticks(std::int64_t count) {
    return Time{static_cast<std::int64_t>(kPsPerTick) * count};
  }

  static analysis::kernel_profile::TimedRegion region(std::uint32_t event, std::int64_t begin,
                                                      std::int64_t end) {
    analysis::kernel_profile::TimedRegion timed;
    timed.region.event = event;
    timed.region.begin = begin;
    timed.region.end = end;
    timed.start = {ticks(begin), ns(1.5)};
    timed.duration = ticks(end - begin);
    timed.ticks = end - begin;
    return timed;
  }

  void build_lane(std::uint32_t index) {
    const std::int64_t unit = index < 2 ? 1000 : 2000;
    analysis::kernel_profile::LaneResult lane;
    lane.lane = index;
    if (index % 2 == 0) {
      lane.regions = {region(kLoad, 0, unit), region(kStore, 3 * unit, 4 * unit)};
      lane.end = ticks(4 * unit);
      lane.covered = ticks(2 * unit);
    } else {
      lane.regions = {region(kCompute, unit, 5 * unit)};
      lane.regions[0].region.payload = 9;
      lane.regions[0].region.has_payload = true;
      lane.start = ticks(unit);
      lane.end = ticks(5 * unit);
      lane.covered = ticks(4 * unit);
      analysis::kernel_profile::LaneInstant instant;
      instant.event = kNote;
      instant.at = 2 * unit;
      lane.instants = {{instant, {ticks(2 * unit), ns(1.5)}}};
    }
    summary.lanes.push_back(std::move(lane));
  }

  static analysis::kernel_profile::EventStatistics event(std::uint32_t number, std::int64_t unit,
                                                         double share) {
    analysis::kernel_profile::EventStatistics one;
    one.event = number;
    one.count = 2;
    one.lanes = 2;
    one.total = ticks(3 * unit);
    one.min = ticks(unit);
    one.p50 = ticks(unit);
    one.p95 = one.max = ticks(2 * unit);
    one.total_ticks = 3 * unit;
    one.lane_share = share;
    return one;
  }

  void build_answers() {
    summary.launches = {{0, Time{}, ticks(10'000), 4, 4}};
    summary.events = {event(kCompute, 4000, 1.0), event(kLoad, 1000, 0.25),
                      event(kStore, 1000, 0.25)};
    summary.critical = {{0, 3, ticks(10'000), ticks(2'500), kCompute, ticks(8'000)}};
    summary.blocks = {ticks(12'000), ticks(9'000), 1.333333};
    summary.sms = {ticks(12'000), ticks(9'000), 1.333333};
    summary.groups = {ticks(12'000), ticks(9'000), 1.333333};
    summary.overlap = {{0, 0, 1, ticks(3'000), ticks(15'000), 0.5}};
    summary.gaps = {{2, ticks(2'000), ticks(4'000), kLoad, kStore}};
    summary.async_pairs = {{kLoad, 5, 2, 3, {ticks(100), ns(1.5)}, {ticks(2'100), ns(1.5)}}};
    summary.records = 12;
  }
};

}  // namespace lockstep::report::kernel
