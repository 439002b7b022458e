// Steps that run the same kernels, and what they have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/tags.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

// One metric over the steps of a group.
struct MetricSpread {
  double mean_ps = 0;
  Time median;
  Time p90;
  Time p95;
};

// A place in the kernel sequence where steps of a group have a significant bubble.
struct RecurringGap {
  std::uint32_t kernel_before = kNoKernel;  // of the longest one
  std::uint32_t kernel_after = kNoKernel;
  std::uint32_t position = 0;  // of kernel_after in the step
  std::uint32_t steps = 0;     // of the group that have it
  Time median;                 // over the steps that have it
  WideTime total = 0;
  std::vector<std::uint32_t> bubbles;  // of DeviceAnomalies::bubbles, longest first
  SoftLabels labels;                   // of most of its time
};

// Which steps belong together.
struct GroupMembers {
  std::string id;  // "g0"; unique over devices
  std::vector<std::uint32_t> steps;
  std::uint32_t template_step = 0;  // the first one with the sequence of kernels that most have
  std::uint32_t kernels = 0;        // of that step
  WideTime total_service = 0;
};

// What they have in common in numbers.
struct GroupStatistics {
  MetricSpread service;
  MetricSpread device_busy;
  MetricSpread underfeed;
  MetricSpread prelaunch;
  MetricSpread tail;
  MetricSpread inter_step;
  MetricSpread own_tail;  // the tail without the inter-step part
  MetricSpread internal_total;
  MetricSpread largest_internal;
  double underfeed_ratio = 0;  // mean of the steps'
  double underfeed_ratio_median = 0;
  double underfeed_ratio_p90 = 0;
  double underfeed_ratio_p95 = 0;
  double bubble_step_share = 0;  // steps with a significant bubble
  bool is_recurring = false;
  std::vector<RecurringGap> recurring;  // by total, greatest first
  IdlePattern pattern = IdlePattern::kNone;
  SoftLabels labels;  // of most of its bubble time
};

// What is said of most of them.
struct GroupTags {
  Tags dominant_tags;  // of at least half of its steps
  bool requires_followup = false;
};

struct StepGroup : GroupMembers, GroupStatistics, GroupTags {
  // Several shapes in one template: two steps that show it.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> shape_example;
};

}  // namespace lockstep::analysis::anomalies
