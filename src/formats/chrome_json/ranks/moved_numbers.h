// Ranks by the numbers of processes: as they are, and as the profiler gave them.
//
// Tools that merge move the ids of processes and leave the arguments of events and most metadata
// alone. So the device in the arguments of kernels, and the place that Kineto gives a process among
// others, which is its number, still tell what an id was, and with it how far it was moved. Ids of
// a file that nobody merged were not moved: it is never split here.
#pragma once

#include <span>

#include "formats/chrome_json/ranks/rank_plan.h"

namespace lockstep::formats::chrome_json {

// By a constant that was added for each rank, however small, or by numbers that take turns. Every
// process must be told: a device by its number; one with threads by its number or by its launches.
// `is_unclear` where devices were moved and that is not so.
[[nodiscard]] RankPlan plan_by_own_numbers(std::span<const ProcessFacts> processes,
                                           const BondsOfFile& bonds);

}  // namespace lockstep::formats::chrome_json
