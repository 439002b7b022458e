// The loops of one level: of a whole stream, or of the body of one loop.
#pragma once

#include <vector>

#include "analysis/cycles/cycles.h"
#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/nest/loop_borders.h"
#include "analysis/cycles/nest/loop_candidates.h"

namespace lockstep::analysis::cycles {

// In order, not overlapping, with their final borders.
[[nodiscard]] std::vector<FoundLoop> find_level(const Stretch& stretch, const BorderMarks& marks,
                                                const CyclesOptions& options);

}  // namespace lockstep::analysis::cycles
