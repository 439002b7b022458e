// The table of ranks, devices and streams for people.
#pragma once

#include "analysis/summary/summary.h"
#include "report/layout/page.h"

namespace lockstep::report::info {

// Whether the file tells of the inside of kernels: its lanes are no streams.
[[nodiscard]] bool is_inside_kernels(const analysis::summary::Summary& summary);

// Where the file tells of the inside of kernels, blocks that stand in the place of devices have no
// row.
void add_devices(const analysis::summary::Summary& summary, layout::Page& page);

}  // namespace lockstep::report::info
