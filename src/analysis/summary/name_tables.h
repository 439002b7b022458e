// Tables of a summary that have one row a name: kernels, annotations, collectives, steps.
#pragma once

#include <vector>

#include "analysis/summary/event_pass.h"
#include "analysis/summary/summary.h"
#include "trace/trace.h"

namespace lockstep::analysis::summary {

// The `top` kernels by total time, then name. Names are demangled only for rows that may be shown,
// since demangling costs more than everything else here.
[[nodiscard]] std::vector<KernelNameSummary> top_kernels(const trace::Trace& trace,
                                                         const std::vector<KernelTally>& kernels,
                                                         std::size_t top);

[[nodiscard]] std::vector<AnnotationSummary> list_annotations(const trace::Trace& trace,
                                                              const TraceTally& tally);
[[nodiscard]] std::vector<CollectiveSummary> list_collectives(const trace::Trace& trace);
[[nodiscard]] std::vector<StepSummary> list_steps(const trace::Trace& trace);

}  // namespace lockstep::analysis::summary
