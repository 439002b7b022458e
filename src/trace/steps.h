// Steps that the user marked in the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace lockstep::trace {

// The category of annotations that lockstep adds to a trace. They say what it found, and are no
// evidence for finding it again.
inline constexpr std::string_view kOwnAnnotationCategory = "lockstep";

// ProfilerStep#N, Iteration#N, Step#N, StepTraceAnnotation.
[[nodiscard]] bool is_step_name(std::string_view name);

// The number in the name that somebody gave the range of a step: "iteration 5", "train_step_5",
// "TrainStep[5]". Its last word must be step, iter, iteration or batch.
struct NumberedStepName {
  std::string_view stem;  // "train_step"
  std::int64_t number = 0;
};
[[nodiscard]] std::optional<NumberedStepName> numbered_step_name(std::string_view name);

// Appends to trace.steps, in time order, the host events of the rank from `first_row` on that mark
// steps by their name, whatever the profiler calls their kind; copies on device tracks are not
// second steps, and what lockstep itself has added is none.
//
// Where a rank has no such steps, ranges that people numbered are: all annotations of a thread with
// one stem, at least kNumberedSteps of them, apart from each other, their numbers running on one by
// one. Numbers that begin anew (layers, micro-batches) mark no steps. Of several stems and threads,
// those that cover most time.
void collect_marked_steps(Trace& trace, std::size_t first_row, RankId rank);
inline constexpr std::size_t kNumberedSteps = 3;

}  // namespace lockstep::trace
