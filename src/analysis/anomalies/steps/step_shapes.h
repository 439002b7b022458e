// Whether steps that run the same kernels run them on the same shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/anomalies/evidence/host_index.h"
#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/step.h"

namespace lockstep::analysis::anomalies {

struct StepShapes {
  std::uint64_t kernels = 0;            // equal for steps with the same kernels, in any order
  std::optional<std::uint64_t> shapes;  // likewise for the same shapes under the same kernels
};

// The shapes of a kernel are its own where the file has them (Ascend's tables), else those of the
// innermost operator that has some around the call that launched it. Operators that launch nothing
// do not count: what a data loader or an optimiser did besides would make steps differ that compute
// the same. No shapes where no kernel of the step has any.
[[nodiscard]] std::vector<StepShapes> shapes_of_steps(const trace::Trace& trace,
                                                      const DeviceTimeline& timeline,
                                                      const HostIndex& host,
                                                      std::span<const AnomalyStep> steps);

// Sets StepFacts::shapes, and shape_example of groups in which two steps have the same kernels and
// different shapes: the first step and the first one that differs from it.
void compare_shapes(const trace::Trace& trace, const DeviceTimeline& timeline,
                    const HostIndex& host, std::span<AnomalyStep> steps,
                    std::span<StepGroup> groups);

}  // namespace lockstep::analysis::anomalies
