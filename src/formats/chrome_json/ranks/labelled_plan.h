// From the labels of all processes to a plan, and what every plan must hold.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/chrome_json/ranks/rank_labels.h"
#include "formats/chrome_json/ranks/rank_plan.h"

namespace lockstep::formats::chrome_json {

using ProcessLabels = std::vector<std::optional<RankLabel>>;  // by process

// The file is several ranks, and that is all that is known.
[[nodiscard]] RankPlan unclear_plan();

// Kineto has processes that are none, "Spans" and "Traces", which tools leave as they are.
[[nodiscard]] bool must_have_label(const ProcessFacts& process);

// Processes without a label go to the first rank.
[[nodiscard]] RankPlan plan_of(std::span<const ProcessFacts> processes,
                               const ProcessLabels& labels);

// Whether each rank has threads where the first has, and devices where the first has.
[[nodiscard]] bool are_ranks_alike(std::span<const ProcessFacts> processes, const RankPlan& plan);

// Whether the numbers inside of ranks are those that devices are known to have.
[[nodiscard]] bool keeps_devices(std::span<const ProcessFacts> processes, const RankPlan& plan);

// Whether no device was launched on from another rank.
[[nodiscard]] bool keeps_bonds(const RankPlan& plan, std::span<const LaunchBond> bonds);

// Gives those that have no label the one of the process that they are bound to.
void label_by_bonds(std::span<const ProcessFacts> processes, std::span<const LaunchBond> bonds,
                    ProcessLabels& labels);

}  // namespace lockstep::formats::chrome_json
