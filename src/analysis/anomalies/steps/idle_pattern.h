// Where the idle time of a group of steps lies: before, inside, after or between them.
#pragma once

#include <array>
#include <span>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/step_facts.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::analysis::anomalies {

// Summed over the steps of a group; without dispatch gaps, artefacts and the edges of the capture.
struct IdleByScope {
  std::array<WideTime, 4> by{};  // BubbleScope

  [[nodiscard]] WideTime& at(BubbleScope scope) { return by[static_cast<std::size_t>(scope)]; }
  [[nodiscard]] WideTime at(BubbleScope scope) const { return by[static_cast<std::size_t>(scope)]; }
};

// `gaps` are those of the steps of the group, as are `bubbles`.
[[nodiscard]] IdleByScope idle_by_scope(std::span<const MeasuredGaps> gaps,
                                        std::span<const Bubble* const> bubbles);

// Inter-step from inter_step_factor of all idle time inside on; else mixed where the second is
// mixed_share of the first; else the first; none where a step has no significant idle time.
[[nodiscard]] IdlePattern idle_pattern(const IdleByScope& idle, std::size_t steps,
                                       const MetricSpread& service, const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies
