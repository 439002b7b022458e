// What the host did while the device idled, as shares of each bubble.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/evidence/host_index.h"
#include "analysis/anomalies/steps/step.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// Fills host_covered, sync_covered, comm_covered, python_covered, overhead_covered,
// host_parallelism and evidence_ops. Only leaves count, and no operator or Python frame that spans
// the whole step. Bubbles are by start.
void collect_host_evidence(const trace::Trace& trace, const HostIndex& host,
                           std::span<const AnomalyStep> steps, std::span<Bubble> bubbles);

// Fills inside_op, once the launches are known.
void find_ops_inside(const trace::Trace& trace, const HostIndex& host,
                     std::span<const AnomalyStep> steps, std::span<Bubble> bubbles);

// Fills StepFacts::python_frames.
void count_python_frames(const HostIndex& host, std::span<AnomalyStep> steps);

}  // namespace lockstep::analysis::anomalies
