// Passes that the capture cuts: what is left of one has fewer layers than the model.
#pragma once

#include <vector>

#include "analysis/cycles/spans/phase_spans.h"

namespace lockstep::analysis::cycles {

// Takes passes and layers from the first and the last of the spans of a stream where they run the
// layers of a loop of passes that has more of them.
void forget_cut_passes(const StreamCycles& cycles, std::vector<WorkSpan>& spans);

}  // namespace lockstep::analysis::cycles
