// Prefill, decode, forward, backward: what phase the loops of a stream belong to, and the stretches
// of the stream that together are its phases.
//
// Evidence goes in this order: annotations, families of attention kernels and how long they take,
// growth over iterations, position last. Without any the answer is "unknown".
#pragma once

#include "analysis/cycles/cycles.h"
#include "analysis/cycles/phases/annotation_phases.h"

namespace lockstep::analysis::cycles {

// Sets role, phase and phase_evidence of every loop and fills `cycles.phases`, from the stream and
// the nest. Gives `cycles.loops` the size of the nest where it is shorter.
void classify(const trace::Trace& trace, const AnnotationPhases& annotations, StreamCycles& cycles);

// The same, for one stream; for several, the annotations are worth reading once.
void classify(const trace::Trace& trace, StreamCycles& cycles);

}  // namespace lockstep::analysis::cycles
