// Finds passes that never repeat exactly, from the loops that they hold.
//
// Where every pass has a kernel more or less than the others, no two of them are a repetition; but
// each still runs its layers, and the same loop again and again at nearly the same distance is a
// pass around it.
#pragma once

#include <vector>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/nest/loop_candidates.h"

namespace lockstep::analysis::cycles {

// Iterations of such passes, each for growth to continue, the most likely first. None where no loop
// of the level stands twice, or where what lies between two differs from what follows by more than
// the share `tolerance` of its kernels.
[[nodiscard]] std::vector<FoundLoop> passes_around_siblings(const Stretch& stretch,
                                                            const std::vector<FoundLoop>& loops,
                                                            double tolerance);

// The same for passes that begin at about these kernels, which are in order and in the stretch.
[[nodiscard]] std::vector<FoundLoop> passes_between(const Stretch& stretch,
                                                    const std::vector<std::uint32_t>& starts,
                                                    double tolerance);

}  // namespace lockstep::analysis::cycles
