// The table of a pair: where the change of its time comes from, kernel by kernel.
#pragma once

#include <cstddef>

#include "analysis/compare/compare.h"
#include "report/layout/page.h"

namespace lockstep::report::compare {

// At most `top` lines of kernels, the largest changes first, then idle and overlap; what is left
// out is added up below. 0 for all.
void add_rows(const analysis::compare::ComparePair& pair, std::size_t top,
              const layout::PageRoom& room, layout::Page& page);

}  // namespace lockstep::report::compare
