// Where the time of loops and phases goes, by what runs on their device.
#pragma once

#include "analysis/breakdown/breakdown.h"
#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::cycles {

// Fills `breakdown` of every loop and every phase. `occupancy` is that of the stream's device: what
// its other streams do counts, so that the figures are time that passed.
void break_down(const breakdown::Occupancy& occupancy, StreamCycles& cycles);

}  // namespace lockstep::analysis::cycles
