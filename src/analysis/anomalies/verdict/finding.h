// What a reader should know first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/verdict/tags.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

// What a reader should know first: a step that stands out, a stall that comes back, a device that
// waits for launches everywhere.
enum class FindingKind : std::uint8_t {
  kStepOutlier,
  kRecurringStall,
  kHeavyBubble,  // of a step without a group to compare it with
  kLaunchBound,  // many short gaps, because launches come late
  kCommStall,
  kCopyExposed,
  kAicpuExposed,
  kArtefact,
  kStarved,  // many short gaps, although launches are in time
};
// "step_outlier", "recurring_stall", "heavy_bubble", "launch_bound", "comm_stall", "copy_exposed",
// "aicpu_exposed", "artefact", "starved"
[[nodiscard]] std::string_view name_of(FindingKind kind);

struct Finding {
  FindingKind kind{};
  Priority priority = Priority::kP3;
  std::uint32_t group = 0;
  std::optional<std::uint32_t> step;
  std::optional<BubbleScope> scope;
  std::optional<std::uint32_t> bubble;  // of DeviceAnomalies::bubbles: the example to look at
  WideTime cost = 0;                    // time that it takes in the whole capture
  SoftLabels labels;
  std::string text;                   // one declarative sentence
  std::vector<std::string> evidence;  // the chain, from the fact to the guess
};

}  // namespace lockstep::analysis::anomalies
