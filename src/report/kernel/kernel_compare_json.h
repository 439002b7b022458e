// The member `compare` of the document of `kernel decode`.
#pragma once

#include "report/kernel/kernel_view.h"
#include "report/sinks/json_text.h"

namespace lockstep {

// Of a report that has a comparison.
void write_kernel_comparison(const KernelReport& report, JsonText& json);

}  // namespace lockstep
