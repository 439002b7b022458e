// Names of tags, labels, scopes and the other words of `anomalies`.
#include "analysis/anomalies/verdict/tags.h"

namespace lockstep::analysis::anomalies {
namespace {

constexpr std::array<std::string_view, kTagCount> kTagNames = {
    "DEVICE_IDLE_GAP_HEAVY",
    "PRELAUNCH_GAP_HEAVY",
    "TAIL_GAP_HEAVY",
    "INTERNAL_BUBBLE_HEAVY",
    "RECURRING_BUBBLE_PATTERN",
    "HOST_ORIGINATED_RISK",
    "UNTRACED_HOST_BLOCKING_RISK",
    "COMM_SYNC_RISK",
    "COMM_STALL_MASKED",
    "WAIT_POLLUTION_RISK",
    "WAIT_ANCHOR_FALSE_HOTSPOT",
    "AICPU_EXPOSED_RISK",
    "COPY_EXPOSED",
    "STEP_OUTLIER",
    "PARTIAL_CAPTURE_BOUNDARY",
    "VARIABLE_SHAPE_SAME_TEMPLATE",
    "GRAPH_REPLAY_OPAQUE",
    "PROFILER_OVERHEAD_SUSPECT",
    "UNRECORDED_WORK",
};

constexpr std::array<std::string_view, kSoftLabelCount> kSoftLabelNames = {
    "possible_sync_or_h2d",
    "possible_comm_wait",
    "possible_untraced_host_blocking",
    "possible_host_launch_lag",
    "possible_python_serialization_or_lock",
    "insufficient_evidence",
};

constexpr std::array<std::string_view, 4> kScopeNames = {"prelaunch", "step_internal", "tail",
                                                         "inter_step"};
constexpr std::array<std::string_view, 6> kPatternNames = {"prelaunch",  "internal_bubble", "tail",
                                                           "inter_step", "mixed",           "none"};
constexpr std::array<std::string_view, 3> kAicpuNames = {
    "AICPU_MASKED_BUT_UNDESIRABLE", "AICPU_PARTIALLY_EXPOSED", "AICPU_EXPOSED_NOT_ALLOWED"};
constexpr std::array<std::string_view, kLaunchStageCount> kStageNames = {
    "host", "operator", "task_queue", "launch_call", "device_queue", "unknown"};
constexpr std::array<std::string_view, 3> kConfidenceNames = {"high", "medium", "low"};
constexpr std::array<std::string_view, 4> kPriorityNames = {"P0", "P1", "P2", "P3"};

}  // namespace

std::string_view name_of(Tag tag) { return kTagNames[static_cast<std::size_t>(tag)]; }
std::string_view name_of(SoftLabel label) {
  return kSoftLabelNames[static_cast<std::size_t>(label)];
}
std::string_view name_of(BubbleScope scope) { return kScopeNames[static_cast<std::size_t>(scope)]; }
std::string_view name_of(IdlePattern pattern) {
  return kPatternNames[static_cast<std::size_t>(pattern)];
}
std::string_view name_of(AicpuClass aicpu) { return kAicpuNames[static_cast<std::size_t>(aicpu)]; }
std::string_view name_of(LaunchStage stage) { return kStageNames[static_cast<std::size_t>(stage)]; }
std::string_view name_of(Confidence confidence) {
  return kConfidenceNames[static_cast<std::size_t>(confidence)];
}
std::string_view name_of(Priority priority) {
  return kPriorityNames[static_cast<std::size_t>(priority)];
}

}  // namespace lockstep::analysis::anomalies
