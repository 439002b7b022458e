// The member `compare` of the document of `kernel decode`.
#pragma once

#include "report/kernel/kernel_view.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::kernel {

// Of a report that has a comparison.
void write_kernel_comparison(const KernelReport& report, sinks::JsonText& json);

}  // namespace lockstep::report::kernel
