// Loops whose iterations the user marked: what was marked needs no repetition to be found, and a
// step that differs from the others stays a step.
#pragma once

#include <vector>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/nest/likeness.h"
#include "analysis/cycles/nest/loop_candidates.h"
#include "analysis/cycles/stream/launch_marks.h"

namespace lockstep::analysis::cycles {

// What one class of marks says of a stretch: loops in order, each of at least two iterations that
// follow each other and are alike. None where most of what lies between the marks is not alike.
[[nodiscard]] std::vector<FoundLoop> loops_between_marks(const Stretch& stretch,
                                                         const MarkClass& mark,
                                                         const Likeness& likeness);

}  // namespace lockstep::analysis::cycles
