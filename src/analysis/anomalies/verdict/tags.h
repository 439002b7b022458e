// The vocabulary of `anomalies`: what is said of a step (tags), why a bubble may be there (labels),
// where it lies (scopes).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace lockstep::analysis::anomalies {

// A set of enumerators of E, which are fewer than 32.
template <typename E>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<E> some) {
    for (const E one : some) add(one);
  }
  constexpr void add(E one) { bits_ |= bit(one); }
  constexpr void remove(E one) { bits_ &= ~bit(one); }
  constexpr void add(EnumSet other) { bits_ |= other.bits_; }
  [[nodiscard]] constexpr bool has(E one) const { return (bits_ & bit(one)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr int size() const { return std::popcount(bits_); }
  friend constexpr bool operator==(EnumSet, EnumSet) = default;

 private:
  static constexpr std::uint32_t bit(E one) { return 1U << static_cast<unsigned>(one); }
  std::uint32_t bits_ = 0;
};

enum class Tag : std::uint8_t {
  kDeviceIdleGapHeavy,
  kPrelaunchGapHeavy,
  kTailGapHeavy,
  kInternalBubbleHeavy,
  kRecurringBubblePattern,
  kHostOriginatedRisk,
  kUntracedHostBlockingRisk,
  kCommSyncRisk,
  kCommStallMasked,
  kWaitPollutionRisk,
  kWaitAnchorFalseHotspot,
  kAicpuExposedRisk,
  kCopyExposed,
  kStepOutlier,
  kPartialCaptureBoundary,
  kVariableShapeSameTemplate,
  kGraphReplayOpaque,
  kProfilerOverheadSuspect,
  kUnrecordedWork,
};
inline constexpr std::size_t kTagCount = 19;
using Tags = EnumSet<Tag>;
[[nodiscard]] std::string_view name_of(Tag tag);  // "DEVICE_IDLE_GAP_HEAVY"

// A possible cause of a bubble. Several may hold; none is the one root cause.
enum class SoftLabel : std::uint8_t {
  kSyncOrH2d,
  kCommWait,
  kUntracedHostBlocking,
  kHostLaunchLag,
  kPythonSerializationOrLock,
  kInsufficientEvidence,
};
inline constexpr std::size_t kSoftLabelCount = 6;
using SoftLabels = EnumSet<SoftLabel>;
[[nodiscard]] std::string_view name_of(SoftLabel label);  // "possible_sync_or_h2d"

// Where a bubble lies in its step.
enum class BubbleScope : std::uint8_t { kPrelaunch, kInternal, kTail, kInterStep };
// "prelaunch", "step_internal", "tail", "inter_step"
[[nodiscard]] std::string_view name_of(BubbleScope scope);

// What most of the idle time of a group of steps is.
enum class IdlePattern : std::uint8_t { kPrelaunch, kInternal, kTail, kInterStep, kMixed, kNone };
// "prelaunch", "internal_bubble", "tail", "inter_step", "mixed", "none"
[[nodiscard]] std::string_view name_of(IdlePattern pattern);

// The AI CPU classes of the spec, by how much of an operator computing hides.
enum class AicpuClass : std::uint8_t { kMasked, kPartlyExposed, kExposed };
// "AICPU_MASKED_BUT_UNDESIRABLE", "AICPU_PARTIALLY_EXPOSED", "AICPU_EXPOSED_NOT_ALLOWED"
[[nodiscard]] std::string_view name_of(AicpuClass aicpu);

// Where in the way of a kernel from the host to the device the time of a bubble went.
enum class LaunchStage : std::uint8_t {
  kHost,       // the host had not come to the operator yet
  kOperator,   // inside the operator, before its launch call
  kTaskQueue,  // from enqueue to dequeue (Ascend's second thread)
  kCall,       // inside the launch call
  kDevice,     // launched, not started: queued, or waiting for other work
  kUnknown,    // the file does not say who launched the kernel
};
inline constexpr std::size_t kLaunchStageCount = 6;
// "host", "operator", "task_queue", "launch_call", "device_queue", "unknown"
[[nodiscard]] std::string_view name_of(LaunchStage stage);

enum class Confidence : std::uint8_t { kHigh, kMedium, kLow };
[[nodiscard]] std::string_view name_of(Confidence confidence);  // "high", "medium", "low"

enum class Priority : std::uint8_t { kP0, kP1, kP2, kP3 };
[[nodiscard]] std::string_view name_of(Priority priority);  // "P0"

}  // namespace lockstep::analysis::anomalies
