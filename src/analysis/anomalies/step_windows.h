// Where the steps of a device begin and end, and which kernels are theirs.
//
// From markers (ProfilerStep#N and its like), else from the passes that `cycles` finds, else one
// pseudo-step from the first to the last kernel.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/anomalies/anomalies.h"

namespace lockstep {

// Fills id, name, window, start, end, marker_end, device_window and kernels; in time order. Windows
// do not overlap. `id_prefix` makes ids unique over devices.
//
// A marked step is the host window [S_i, S_i+1); the last one ends at max(marker end, end of the
// last kernel that was launched inside the marker). Its kernels are those launched in the window;
// where the file does not say who launched a kernel, those that begin in it, but for what a stream
// ran before the first kernel whose launch is known: that was asked for before the capture began. A
// pass is the window from its first kernel to the first one of the next pass.
[[nodiscard]] std::vector<AnomalyStep> step_windows(const Trace& trace,
                                                    const DeviceTimeline& timeline,
                                                    const Cycles& cycles,
                                                    std::string_view id_prefix);

}  // namespace lockstep
