// The structures of a step by the loops that `cycles` found.
#pragma once

#include <vector>

#include "analysis/anomalies/structure/structure_cuts.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// Layers that `cycles` found on the main stream and that lie wholly in the step. Without layers,
// any loop of some kernels: iterations of the outermost ones, where they are at least half of the
// main stream.
// Nothing where that does not divide the step.
[[nodiscard]] std::vector<StructureCut> loop_cuts(const StructureInput& input, trace::TrackId main);

}  // namespace lockstep::analysis::anomalies
