// Where the steps of a device begin and end, and which kernels are theirs.
//
// From markers (ProfilerStep#N and its like), else from the passes that `cycles` finds, else one
// pseudo-step from the first to the last kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/cycles/cycles.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// The markers of steps of every rank that count: of the best class (ProfilerStep#N before Step#N
// before others), without those inside another one. Sorted by start.
class StepMarkers {
 public:
  explicit StepMarkers(const trace::Trace& trace);
  [[nodiscard]] std::span<const trace::Step> of(trace::RankId rank) const {
    return by_rank_[trace::index_of(rank)];
  }

 private:
  std::vector<std::vector<trace::Step>> by_rank_;
};

// Whether markers become steps of a device that was asked for nothing in their windows. Thousands
// of devices with thousands of markers would have millions of such steps.
enum class EmptySteps : std::uint8_t { kKeep, kLeaveOut };

// In time order; windows do not overlap. `markers` are the rank's, `streams` the device's;
// `id_prefix` makes ids unique over devices.
//
// A marked step is the host window [S_i, S_i+1); the last one ends at max(marker end, end of the
// last kernel that was launched inside the marker). Its kernels are those launched in the window;
// where the file does not say who launched a kernel, those that begin in it, but for what a stream
// ran before the first kernel whose launch is known: that was asked for before the capture began. A
// pass is the window from its first kernel to the first one of the next pass.
[[nodiscard]] std::vector<StepFrame> step_windows(
    const trace::Trace& trace, const DeviceTimeline& timeline, std::span<const trace::Step> markers,
    std::span<const cycles::StreamCycles* const> streams, std::string_view id_prefix,
    EmptySteps empty = EmptySteps::kKeep);

}  // namespace lockstep::analysis::anomalies
