// What the marked steps of a trace asked their devices for. A device may run far behind its host,
// so work belongs to the step that launched it, not to the one in whose time it ran.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::summary {

// From the first start to the last end of a step's kernels, on all devices of its rank.
struct DeviceWindow {
  Time start;
  Time end;
};

struct StepWork {
  std::uint64_t kernels = 0;
  std::optional<DeviceWindow> window;  // nothing without kernels
};

// At the indices of trace.steps. Of several steps that were open when a kernel was launched, the
// innermost has it. Where the trace does not say who launched a kernel, the step in which it began
// has it, but for what a stream ran before the first kernel whose launch is known: that was asked
// for before the capture began.
[[nodiscard]] std::vector<StepWork> work_of_steps(const trace::Trace& trace);

}  // namespace lockstep::analysis::summary
