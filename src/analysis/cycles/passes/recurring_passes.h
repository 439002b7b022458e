// Finds passes that never repeat exactly and hold no loop, from the distances at which their
// kernels come again.
#pragma once

#include <optional>
#include <vector>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/nest/loop_candidates.h"

namespace lockstep::analysis::cycles {

// One iteration of such a pass, for growth to continue. Nothing where the loops of the level cover
// half of it already, where no distance stands out, or where what lies so far apart differs by more
// than the share `tolerance` of its kernels.
[[nodiscard]] std::optional<FoundLoop> pass_by_recurrence(const Stretch& stretch,
                                                          const std::vector<FoundLoop>& loops,
                                                          double tolerance);

}  // namespace lockstep::analysis::cycles
