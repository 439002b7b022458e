// Which pairs of a comparison took time that no other pair has already: streams of one device run
// at once, and devices too.
#pragma once

#include "analysis/compare/compare.h"

namespace lockstep::analysis::compare {

// Fills is_elapsed of the matched pairs, and the elapsed time of the comparison. The stream with
// the most kernels comes first; a pair of another stream of its device counts where it overlaps
// none.
void find_elapsed(const cycles::Cycles& cycles_a, Comparison& comparison);

}  // namespace lockstep::analysis::compare
