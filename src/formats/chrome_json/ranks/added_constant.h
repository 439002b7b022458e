// Ranks by the ids of processes alone, where a constant was added to those of each rank.
#pragma once

#include <span>

#include "formats/chrome_json/ranks/rank_plan.h"

namespace lockstep::formats::chrome_json {

// What the constant leaves of the ids are numbers of devices and processes. One that may itself be
// a process must leave ranks that are whole, with one process each.
[[nodiscard]] RankPlan plan_by_constant(std::span<const ProcessFacts> processes);

}  // namespace lockstep::formats::chrome_json
