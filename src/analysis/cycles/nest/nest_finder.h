// Finds the loops of one stream and how they nest.
#pragma once

#include "analysis/cycles/cycles.h"
#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"
#include "analysis/cycles/stream/launch_marks.h"
#include "trace/trace.h"

namespace lockstep::analysis::cycles {

// The trace gives the annotations and graph launches that tell where iterations begin.
[[nodiscard]] Nest find_nest(const trace::Trace& trace, const MarkWindows& windows,
                             const KernelStream& stream, const CyclesOptions& options);

}  // namespace lockstep::analysis::cycles
