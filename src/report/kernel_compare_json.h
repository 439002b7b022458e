// The member `compare` of the document of `kernel decode`.
#pragma once

#include "report/json_text.h"
#include "report/kernel_view.h"

namespace lockstep {

// Of a report that has a comparison.
void write_kernel_comparison(const KernelReport& report, JsonText& json);

}  // namespace lockstep
