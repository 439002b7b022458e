// What Ascend's profilers call device tasks, and the settling of collectives that are told twice.
// Shared by the readers of their timelines, tables and databases.
#pragma once

#include <optional>
#include <string_view>

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace lockstep::formats::ascend {

// Tasks of types that are newer than the table: they count as no work.
extern const DiagnosticKind kUnknownTaskType;

// The kind of a task by its type ("Accelerator Core", "Task Type", kernel_type, TASK.taskType),
// else by its name where that has words of tasks only ("EVENT_WAIT_SQE", "Memcpy"), else by the
// words in its type; nothing when none is known. Case does not count, nor blanks for underscores.
[[nodiscard]] std::optional<trace::Kind> ascend_task_kind(std::string_view type,
                                                          std::string_view name);

struct HardwareTask {
  trace::Kind kind = trace::Kind::kAnnotation;
  bool has_unknown_type = false;
};

// What runs on a hardware stream: as above, and never unknown. Some exports write a type that says
// nothing ("Other"), and then whatever its name does not call a copy, a wait, a record or the
// profiler's own is a kernel. A type that says something that nobody knows is no work.
[[nodiscard]] HardwareTask hardware_task(std::string_view type, std::string_view name);

// Looks at the rows from `first_row` on whose names are those of second records (ascend_names.h):
// duplicates when they overlap a collective of their device, else collectives themselves. Then
// makes trace.collectives agree with the kinds of those rows. Returns how many rows are duplicates
// that were not before.
std::size_t settle_second_records(trace::Trace& trace, std::size_t first_row);

}  // namespace lockstep::formats::ascend
