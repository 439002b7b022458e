// The section on what changed between two profiles.
#pragma once

#include <cstdint>

#include "report/kernel/kernel_view.h"
#include "report/layout/page.h"

namespace lockstep::report::kernel {

// Of a report that has a comparison.
void add_kernel_comparison(const KernelReport& report, std::uint32_t top, layout::Page& page);

}  // namespace lockstep::report::kernel
