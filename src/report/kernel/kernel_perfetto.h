// What happened inside the launches of a kernel, as Perfetto: a track a lane.
#pragma once

#include "base/result.h"
#include "io/byte_sink.h"
#include "report/kernel/kernel_view.h"
#include "trace/trace.h"

namespace lockstep::report::kernel {

// Blocks are groups of tracks, or clusters where the launch has them; several launches stand above
// them. A lane is a track of nested regions; what crosses goes to sibling tracks of the same name.
// Instants are points. Asynchronous work is drawn beside the lane that began it, with an arrow from
// there to the lane that ended it. One more track has the launches. Needs the regions in the
// summary.
[[nodiscard]] trace::Trace kernel_trace(const KernelReport& report);

// kernel_trace() as Perfetto's protobuf; the caller closes the sink.
[[nodiscard]] Status write_kernel_perfetto(const KernelReport& report, io::ByteSink& sink);

}  // namespace lockstep::report::kernel
