// What changed inside a kernel between two profiles, event by event: `kernel decode --compare`.
//
// Events are the same when their given names are; one without a name is the one of the same number.
// Whether a difference is beyond noise is asked of lanes, not of regions: the regions of one lane
// are no independent measurements. Two profiles are two runs all the same, so what a run does as a
// whole (another clock, a warm cache) counts as a difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "base/diagnostics.h"
#include "base/time.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

// One of the two, with the profile that it is of; both must live while they are compared.
struct KernelCompareSide {
  const trace::KernelProfile* profile = nullptr;
  const KernelSummary* summary = nullptr;
};

struct KernelCompareOptions {
  double false_discovery_rate = 0.05;  // of the events called significant (Benjamini-Hochberg)
  double min_change = 0.01;            // of the larger median: what is below is no difference
};

// Of one figure: b - a, and b / a where a is not 0.
struct TimeChange {
  Time delta;
  std::optional<double> ratio;
};

struct EventChange {
  std::string name;
  std::optional<EventStatistics> a;  // nothing: only B has it
  std::optional<EventStatistics> b;
  // A missing side counts as 0 in `total`; the others are 0 where a side is missing.
  TimeChange total;
  TimeChange per_launch;  // of the total by the launches of each side
  TimeChange p50;
  TimeChange p95;
  std::int64_t count_delta = 0;
  double share_delta = 0;            // of lane_share
  std::optional<double> p;           // that lanes differ so by chance; nothing below two lanes
  std::optional<double> adjusted_p;  // for all events of the comparison
  bool is_significant = false;
};

struct KernelComparison {
  std::vector<EventChange> events;  // by the size of total.delta, largest first, then by name
  TimeChange launch_time;           // mean from first begin to last end of a launch
  TimeChange lane_time;             // mean of a lane
  std::uint64_t only_a = 0;         // events
  std::uint64_t only_b = 0;
  std::uint64_t significant = 0;
};

[[nodiscard]] KernelComparison compare_kernels(const KernelCompareSide& a,
                                               const KernelCompareSide& b,
                                               const KernelCompareOptions& options,
                                               Diagnostics& findings);

}  // namespace lockstep::analysis::kernel_profile
