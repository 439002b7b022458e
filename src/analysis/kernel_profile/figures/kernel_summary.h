// The answer of `kernel decode`: where the time goes inside launches, lane by lane and over lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/kernel_profile/clocks/time_base.h"
#include "analysis/kernel_profile/regions/lane_regions.h"
#include "base/diagnostics.h"
#include "base/time.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

struct TimedRegion {
  LaneRegion region;  // ticks
  BandedTime start;
  Time duration;
  std::int64_t ticks = 0;  // duration in ticks: cycles, or ns of the timer
};

struct TimedInstant {
  LaneInstant instant;
  BandedTime at;
};

struct LaneResult {
  std::uint32_t lane = 0;  // index into the profile's lanes
  Time start;
  Time end;
  Time covered;  // union of its outermost regions
  // Only with keep_regions:
  std::vector<TimedRegion> regions;
  std::vector<TimedInstant> instants;
};

struct EventStatistics {
  std::uint32_t event = 0;
  std::uint64_t count = 0;
  Time total, min, p50, p95, max;
  std::int64_t total_ticks = 0;
  double lane_share = 0;    // total over the time of the lanes that have it
  std::uint64_t lanes = 0;  // that have it
  // Mean duration in ps per lane that has it, by lane; of every n-th lane where there are more than
  // kSampledLanes. What two profiles are compared by.
  std::vector<std::int64_t> lane_means;
};
inline constexpr std::size_t kSampledLanes = 4096;

// The lane that ends last in its launch, and what it did with its time.
struct CriticalLane {
  std::uint32_t launch = 0;
  std::uint32_t lane = 0;
  Time end;
  Time slack;                       // end of the launch less the median end of its lanes
  std::uint32_t longest_event = 0;  // by total time in this lane
  Time longest_total;
};

struct Imbalance {
  Time max;
  Time mean;
  double ratio = 1;  // max / mean
};

// How two groups run beside each other in the same blocks: producer and consumer.
struct GroupOverlap {
  std::uint32_t launch = 0;
  std::uint32_t first_group = 0;
  std::uint32_t second_group = 0;
  Time both;  // time in which both are inside a region, summed over blocks
  Time either;
  double ratio = 0;  // both over the smaller one's own time
};

// Time of a lane between its outermost regions.
struct LaneGap {
  std::uint32_t lane = 0;
  Time start;
  Time duration;
  std::uint32_t after_event = 0;
  std::uint32_t before_event = 0;
};

struct AsyncPair {
  std::uint32_t event = 0;
  std::uint32_t token = 0;
  std::uint32_t begin_lane = 0;
  std::uint32_t end_lane = 0;
  BandedTime begin;
  BandedTime end;
};

struct LaunchResult {
  std::uint32_t launch = 0;
  Time start;
  Time end;
  std::uint64_t lanes_expected = 0;
  std::uint64_t lanes_seen = 0;
};

struct KernelSummary {
  TimeBase time;
  std::vector<LaunchResult> launches;
  std::vector<LaneResult> lanes;
  std::vector<EventStatistics> events;  // by total time, longest first
  std::vector<CriticalLane> critical;   // one per launch
  Imbalance blocks, sms, groups;        // of the time inside regions
  std::vector<GroupOverlap> overlap;
  std::vector<LaneGap> gaps;  // the longest first
  std::vector<AsyncPair> async_pairs;
  std::uint64_t records = 0;
};

struct KernelSummaryOptions {
  bool keep_regions = true;
  std::uint32_t top_gaps = 20;
  double overhead_ticks = 0;  // cost of one marker, taken off every region it lies in
  std::size_t threads = 0;    // 0: as many as the machine has
  TimeBaseOptions time = {};
};

extern const DiagnosticKind kMissingLanes;

[[nodiscard]] KernelSummary summarize_kernel(const trace::KernelProfile& profile,
                                             const KernelSummaryOptions& options,
                                             Diagnostics& findings);

}  // namespace lockstep::analysis::kernel_profile
