// Tables of a summary that have one row a name: kernels, annotations, collectives, steps.
#pragma once

#include <vector>

#include "analysis/summary/event_pass.h"
#include "analysis/summary/summary.h"
#include "trace/trace.h"

namespace lockstep::analysis::summary {

struct KernelTable {
  std::vector<KernelNameSummary> top;
  std::size_t names = 0;  // how many rows there would be without a limit
};
// The `top` kernels by total time, then name. What a profiler or a compiler wrote in several ways
// (mangled or not, with ".kd" behind it) has one name for people, and one row.
[[nodiscard]] KernelTable kernel_table(const trace::Trace& trace,
                                       const std::vector<KernelTally>& kernels, std::size_t top);

[[nodiscard]] std::vector<AnnotationSummary> list_annotations(const trace::Trace& trace,
                                                              const TraceTally& tally);
[[nodiscard]] std::vector<CollectiveSummary> list_collectives(const trace::Trace& trace);
[[nodiscard]] std::vector<StepSummary> list_steps(const trace::Trace& trace);

}  // namespace lockstep::analysis::summary
