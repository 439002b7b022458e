// Whether steps that run the same kernels run them on the same shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
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
                                                      std::span<const StepFrame> steps);

// By group: two steps with the same kernels and different shapes, the first one and the first that
// differs from it; nothing where none does.
using ShapeExample = std::optional<std::pair<std::uint32_t, std::uint32_t>>;
[[nodiscard]] std::vector<ShapeExample> shape_examples(std::span<const StepShapes> shapes,
                                                       std::span<const GroupMembers> groups);

}  // namespace lockstep::analysis::anomalies
