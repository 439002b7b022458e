// What a reader should know first, in figures and names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/verdict/tags.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// A step that stands out, a stall that comes back, a device that waits for launches everywhere.
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

// A name, short enough for a sentence, and the time that it stands for.
struct NamedTime {
  std::string name = {};
  WideTime time = 0;
};

// A place of a group with heavy gaps.
struct RecurringStall {
  std::uint32_t place = 0;  // of StepGroup::recurring
  std::uint32_t steps = 0;  // with a heavy gap there
  Time least = {};          // of the heavy ones
  Time most = {};
  std::string inside_op = {};  // that most of the time lies in; empty when there is none
};

struct OutlyingStep {
  StepOutlier outlier;
  // Of a copy or communication: the longest one and how long it ran in the step.
  trace::EventId longest = trace::kNoEvent;
  Time longest_time = {};
};

// Single gaps of one group and scope.
struct HeavyGaps {
  std::uint64_t count = 0;
  std::size_t untold = 0;  // groups with smaller gaps that have no finding; of the last one
};

// Gaps none of which is heavy by itself, though they are of heavy_gap_us and more.
struct LongGaps {
  std::uint64_t count = 0;
  WideTime total = 0;
  Time from = {};  // heavy_gap_us
};

struct ShortGaps {
  std::uint64_t kernels = 0;
  WideTime busy = 0;
  std::uint64_t significant = 0;
  WideTime significant_time = 0;
  WideTime host_part = 0;
  WideTime queued_part = 0;
};

struct CommStall {
  WideTime elapsed = 0;
  WideTime moving = 0;
  WideTime waiting = 0;
  WideTime service = 0;     // of the steps that stall
  bool tells_none = false;  // the profiler tells of no data that moves
  bool is_hidden = false;   // behind other kernels, most of it
};

struct ExposedCopies {
  std::uint64_t steps = 0;
  WideTime service = 0;
  std::vector<NamedTime> costliest = {};  // copies and sets of the device
  std::size_t untold = 0;                 // groups with shorter copies; of the last finding
};

struct ExposedAicpu {
  std::uint64_t operators = 0;
  WideTime service = 0;
  std::vector<NamedTime> costliest = {};
};

struct ArtefactSum {
  std::uint32_t longest = 0;  // of DeviceAnomalies::artefacts
  std::uint64_t gaps = 0;
  std::uint64_t steps = 0;
};

using FindingDetail =
    std::variant<std::monostate, RecurringStall, OutlyingStep, HeavyGaps, LongGaps, ShortGaps,
                 CommStall, ExposedCopies, ExposedAicpu, ArtefactSum>;

struct Finding {
  FindingKind kind{};
  Priority priority = Priority::kP3;
  std::uint32_t group = 0;
  std::optional<std::uint32_t> step = {};
  std::optional<BubbleScope> scope = {};
  std::optional<std::uint32_t> bubble = {};  // of DeviceAnomalies::bubbles: the example to look at
  WideTime cost = 0;                         // time that it takes in the whole capture
  SoftLabels labels;
  FindingDetail detail;
};

}  // namespace lockstep::analysis::anomalies
