// The table of ranks, devices and streams for people.
#pragma once

#include "analysis/summary/summary.h"
#include "report/layout/page.h"

namespace lockstep::report::info {

void add_devices(const analysis::summary::Summary& summary, layout::Page& page);

}  // namespace lockstep::report::info
