// The section of `info` on evidence: which parts of the inputs were used, which were not, and which
// are missing.
#pragma once

#include "analysis/summary/summary.h"
#include "report/layout/page.h"

namespace lockstep::report::info {

// Nothing when no input has parts. Of ranks with the same parts one stands for all.
void add_sources(const analysis::summary::Summary& summary, layout::Page& page);

}  // namespace lockstep::report::info
