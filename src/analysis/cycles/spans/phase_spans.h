// Cuts a stretch of kernels into loops of passes and what lies between them.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cycles/phases/annotation_phases.h"
#include "analysis/cycles/phases/loop_roles.h"
#include "analysis/cycles/phases/phase_evidence.h"

namespace lockstep::analysis::cycles {

// A span with what is needed to judge it.
struct WorkSpan {
  PhaseSpan span;
  PhaseSubject subject;
  std::vector<std::size_t> layer_loops;  // of a segment: those that lie in it
};

// The kernels of `around` (the stream, or one body of loop `parent`) in spans that cover them, by
// start. A segment is cut where a second pass begins: after sampling, at another annotation, where
// attention for prefill gives way to that for decode; outside loops also where the same layers
// begin again.
[[nodiscard]] std::vector<WorkSpan> work_spans(const StreamCycles& cycles, const WorkCounter& work,
                                               const AnnotationPhases& annotations,
                                               Iteration around, std::int32_t parent);

// Layers of the pass that one iteration of a loop runs: repetitions x anchors per body of the layer
// loops in it. Of several passes, those of the one that has most; of a pass that goes forward and
// back, the forward layers.
[[nodiscard]] std::uint32_t layers_per_iteration(const StreamCycles& cycles,
                                                 const WorkCounter& work,
                                                 const AnnotationPhases& annotations,
                                                 std::size_t loop);

}  // namespace lockstep::analysis::cycles
