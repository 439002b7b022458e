// What RPD's words for operations and calls mean.
#pragma once

#include <string_view>

#include "trace/kind.h"

namespace lockstep::formats::rpd {

// Of a device operation: "KernelExecution", "CopyHostToDevice", "Task". A task is work inside a
// graph launch; it is a kernel when it has a kernel's name.
[[nodiscard]] trace::Kind kind_of_operation(std::string_view type, bool has_description);

// Of a host record by its name: calls, markers of the user, the profiler's own work.
[[nodiscard]] trace::Kind kind_of_call(std::string_view name);

// Calls that count the grid of a kernel in work-items; all others count groups.
[[nodiscard]] bool counts_work_items(std::string_view call);

}  // namespace lockstep::formats::rpd
