// What of a training step is forward, backward, optimizer.
#pragma once

#include <vector>

#include "analysis/cycles/cycles.h"
#include "analysis/cycles/phases/annotation_phases.h"
#include "analysis/cycles/phases/loop_roles.h"

namespace lockstep::analysis::cycles {

// Of one step, by the first kernel of each part. Frameworks launch backward work from a thread of
// its own; where only one thread launches, or none is known, names of kernels tell. What either
// leaves open belongs to the part before. Empty where nothing tells where backward begins, or where
// threads and names contradict each other.
[[nodiscard]] std::vector<PhasePart> training_parts(const trace::Trace& trace,
                                                    const AnnotationPhases& annotations,
                                                    const WorkCounter& work,
                                                    const KernelStream& stream, Iteration step);

}  // namespace lockstep::analysis::cycles
