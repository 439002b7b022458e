// What Ascend's profilers call device tasks, and the settling of collectives that are told twice.
// Shared by the readers of their timelines, tables and databases.
#pragma once

#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace lockstep::formats::ascend {

// The kind of a task by its type ("Accelerator Core", "Task Type", kernel_type, TASK.taskType),
// else by its name; nothing when neither is known.
[[nodiscard]] std::optional<trace::Kind> ascend_task_kind(std::string_view type,
                                                          std::string_view name);

// What runs on a hardware stream: as above, and never unknown. Some exports write a type that says
// nothing ("Other"), and then whatever its name does not call a copy, a wait, a record or the
// profiler's own is a kernel. A type that says something else than the table has is told by the
// words in it, else it is no work.
[[nodiscard]] trace::Kind hardware_task_kind(std::string_view type, std::string_view name);

// Looks at the rows from `first_row` on whose names are those of second records (ascend_names.h):
// duplicates when they overlap a collective of their device, else collectives themselves. Then
// makes trace.collectives agree with the kinds of those rows. Returns how many rows are duplicates
// that were not before.
std::size_t settle_second_records(trace::Trace& trace, std::size_t first_row);

}  // namespace lockstep::formats::ascend
