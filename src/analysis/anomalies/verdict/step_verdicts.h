// What is said of all steps of a device, and of most steps of its groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/step_facts.h"
#include "analysis/anomalies/steps/step_shapes.h"
#include "analysis/anomalies/verdict/tag_rules.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::analysis::anomalies {

// By group: what its steps are judged against. `steps` are all of the device.
[[nodiscard]] std::vector<GroupFacts> facts_of_groups(std::span<const StepFacts> steps,
                                                      std::span<const GroupMembers> groups,
                                                      std::span<const GroupStatistics> statistics,
                                                      std::span<const ShapeExample> shapes);

// By step, as are `facts` and `group_of`.
[[nodiscard]] std::vector<Verdict> judge_steps(std::span<const StepFacts> facts,
                                               std::span<const std::uint32_t> group_of,
                                               std::span<const GroupFacts> groups,
                                               const Thresholds& thresholds, AnomalyRules rules);

// By group: tags of at least half of the steps, follow-up.
[[nodiscard]] std::vector<GroupTags> tags_of_groups(std::span<const Verdict> verdicts,
                                                    std::span<const GroupMembers> groups,
                                                    std::span<const GroupStatistics> statistics);

}  // namespace lockstep::analysis::anomalies
