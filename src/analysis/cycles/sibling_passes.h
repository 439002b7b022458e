// Finds passes that never repeat exactly, from the loops that they hold.
//
// Where every pass has a kernel more or less than the others, no two of them are a repetition; but
// each still runs its layers, and the same loop again and again at nearly the same distance is a
// pass around it.
#pragma once

#include <optional>
#include <vector>

#include "analysis/cycles/found_loop.h"
#include "analysis/cycles/loop_candidates.h"

namespace lockstep {

// One iteration of such a pass, for growth to continue; nothing where no loop of the level stands
// twice, or where what lies between them differs by more than the share `tolerance` of its kernels.
[[nodiscard]] std::optional<FoundLoop> pass_around_siblings(const Stretch& stretch,
                                                            const std::vector<FoundLoop>& loops,
                                                            double tolerance);

}  // namespace lockstep
