// The number of a rank from the name of its input, where the file itself does not say.
#pragma once

#include <span>

#include "trace/trace.h"

namespace lockstep::formats::input {

// Numbers the ranks that have none: by the word "rank" and digits in the name of the file or of a
// folder above it ("rank3.json", "trace_rank-12.json.gz", "rank_3/trace.json"); else, when all the
// ranks without a number have names that differ in one number only, by that number.
void number_ranks_by_name(std::span<trace::Rank> ranks);

}  // namespace lockstep::formats::input
