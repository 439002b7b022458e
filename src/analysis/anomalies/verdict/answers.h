// What answers the five questions, in figures; report words both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/anomalies/steps/idle_pattern.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/finding.h"
#include "base/time.h"

namespace lockstep::analysis::anomalies {

struct FindingInput;

// To the first question. Of nothing one knows nothing; what is mostly an artefact is none.
enum class IdleVerdict : std::uint8_t { kNothingKnown, kArtefact, kNone, kSmall, kHigh, kHeavy };
// To the fourth. A host that is late and harms nobody is hardly a risk.
enum class HostVerdict : std::uint8_t { kNoGaps, kUnknown, kNo, kHardly, kYes };

// All steps of a device together.
struct FiveAnswers {
  IdleVerdict idle = IdleVerdict::kNothingKnown;
  WideTime service = 0;
  WideTime underfeed = 0;
  WideTime artefact = 0;
  WideTime edge = 0;  // gaps that touch the edge of the capture
  WideTime dispatch = 0;
  WideTime stalled = 0;     // collectives wait and the device counts as busy, for sure
  std::uint64_t count = 0;  // of significant bubbles, here and below without those two
  std::uint64_t heavy = 0;
  WideTime bubbles = 0;
  WideTime copied = 0;
  WideTime launch_known = 0;
  WideTime host_part = 0;
  WideTime queued_part = 0;
  WideTime host_covered = 0;
  std::uint64_t python_frames = 0;
  std::uint32_t longest = kNoKernel;  // of DeviceAnomalies::bubbles
  std::optional<std::uint32_t> longest_artefact;

  std::uint32_t group = 0;              // with the most gap time
  WideTime group_bubbles = 0;           // of it
  std::vector<std::uint32_t> outliers;  // steps that stand out of their groups, ascending
  IdleByScope idle_by_scope;            // of the group, summed over its steps

  HostVerdict host = HostVerdict::kNoGaps;
  std::uint64_t host_risk_steps = 0;      // with HOST_ORIGINATED_RISK
  std::uint64_t untraced_risk_steps = 0;  // with UNTRACED_HOST_BLOCKING_RISK

  [[nodiscard]] WideTime judged() const { return underfeed - artefact - edge - dispatch; }
};

[[nodiscard]] FiveAnswers five_answers(const FindingInput& input,
                                       std::span<const Finding> findings);

}  // namespace lockstep::analysis::anomalies
