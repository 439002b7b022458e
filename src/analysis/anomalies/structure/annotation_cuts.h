// The structures of a step by annotations of the host.
#pragma once

#include <vector>

#include "analysis/anomalies/structure/structure_cuts.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// The annotations that may cut steps: all but markers of steps.
[[nodiscard]] AnnotationsByThread cutting_annotations(const trace::Trace& trace);

// Host annotations that repeat in the step but for their numbers: the outermost ones, where they
// enclose the launches of at least half of the main stream's kernels.
// Nothing where that does not divide the step.
[[nodiscard]] std::vector<StructureCut> annotation_cuts(const StructureInput& input,
                                                        trace::TrackId main);

}  // namespace lockstep::analysis::anomalies
