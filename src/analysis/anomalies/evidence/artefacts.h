// Idle time that is none: work that the profiler did not record.
#pragma once

#include <span>
#include <vector>

#include "analysis/anomalies/evidence/artefact.h"
#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_index.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct FoundArtefacts {
  std::vector<ArtefactMark> marks;    // by gap
  std::vector<Time> opaque_dispatch;  // by step: gaps inside one opaque graph
};

// A heavy gap is unrecorded work when hardly anything ran on the device, the kernel that ends it
// had been launched for most of it, and the host sat in a synchronising call. It is an opaque graph
// replay when the last thing that the host had launched is a graph that shows hardly any kernels
// (graph_opaque_names), and the host was not late or waited for it.
[[nodiscard]] FoundArtefacts find_artefacts(
    const DeviceIndex& index, const DeviceTimeline& timeline, const Thresholds& thresholds,
    std::span<const StepFrame> steps, std::span<const Gap> gaps,
    std::span<const HostCoverage> hosts, std::span<const LaunchSplit> launches);

[[nodiscard]] std::vector<Artefact> list_artefacts(std::span<const Bubble> bubbles);

// What heavy tags may judge of the gaps of a step, and what of them is no idle time.
struct StepArtefacts {
  JudgedGaps judged;
  Time opaque_graph_idle;
  Time unrecorded_idle;
};
// By step. Gaps that touch the edge of the capture are no artefacts, but nobody knows what they
// are: heavy tags do not judge them.
[[nodiscard]] std::vector<StepArtefacts> judge_gaps(std::span<const MeasuredGaps> by_step,
                                                    std::span<const Time> opaque_dispatch,
                                                    std::span<const Bubble> bubbles);

}  // namespace lockstep::analysis::anomalies
