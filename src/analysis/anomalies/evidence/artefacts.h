// Idle time that is none: work that the profiler did not record.
#pragma once

#include <vector>

#include "analysis/anomalies/evidence/artefact.h"
#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_index.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// Sets is_unrecorded and is_opaque of bubbles, GapMetrics::artefact_idle and the judged gaps,
// StepFacts::unrecorded_idle and opaque_graph_idle. Bubbles have their launches and
// evidence.
//
// A heavy bubble is unrecorded work when hardly anything ran on the device, the kernel that ends it
// had been launched for most of it, and the host sat in a synchronising call. It is an opaque graph
// replay when the last thing that the host had launched is a graph that shows hardly any kernels
// (graph_opaque_names), and the host was not late or waited for it. Gaps that touch the edge of the
// capture are no artefacts, but nobody knows what they are: heavy tags do not judge them.
[[nodiscard]] std::vector<Artefact> mark_artefacts(const DeviceIndex& index,
                                                   const DeviceTimeline& timeline,
                                                   const Thresholds& thresholds,
                                                   std::vector<AnomalyStep>& steps,
                                                   std::vector<Bubble>& bubbles);

}  // namespace lockstep::analysis::anomalies
