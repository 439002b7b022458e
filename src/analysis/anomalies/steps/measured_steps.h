// The steps of a device as far as they are known before any of them is judged.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/steps/step_facts.h"

namespace lockstep::analysis::anomalies {

struct MeasuredSteps {
  std::span<const StepFrame> frames;
  std::span<const MeasuredGaps> gaps;       // by step
  std::span<const std::uint32_t> group_of;  // by step
  std::span<const GroupMembers> groups;
};

}  // namespace lockstep::analysis::anomalies
