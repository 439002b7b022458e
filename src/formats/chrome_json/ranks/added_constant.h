// Ranks by the ids of processes alone, where a constant was added to those of each rank.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>

#include "formats/chrome_json/ranks/rank_plan.h"

namespace lockstep::formats::chrome_json {

// Distances below prove nothing by themselves: devices and processes of one rank lie that close.
inline constexpr std::int64_t kMinConstant = 1000;

// What one rank was moved by, where that is certain: a power of ten or two, or what makes the ranks
// 0, 1, 2 and so on. Ranks 0, 8 and 16 moved by 1000 are those of 0, 1 and 2 moved by 8000.
[[nodiscard]] std::optional<std::int64_t> certain_constant(const std::set<std::int64_t>& distances);

// What the constant leaves of the ids are numbers of devices and processes, and every rank with
// devices has threads of its own. A constant that may itself be a process must leave ranks that are
// whole, with one process each. Large ids alone prove nothing: where no rank has threads the first
// must lie where it lay, and where none has a device the ranks must have done the same work or be
// counted without a gap.
//
// Whether devices were launched on from their rank is not asked here (labelled_plan.h).
[[nodiscard]] RankPlan plan_by_constant(std::span<const ProcessFacts> processes,
                                        const RepeatsOfFile& repeats);

}  // namespace lockstep::formats::chrome_json
