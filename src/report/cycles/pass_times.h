// Which passes, steps or loops have a column in the table of where the time goes.
#pragma once

#include <string>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

// Passes of one family and class, steps of one loop; "capture" where the stream has none. Names
// are told apart: "decode pass, 9 layers".
struct BrokenDown {
  std::string name;
  analysis::breakdown::Breakdown times;
};

// Those that take the most time first, three at most. What the capture cuts is in no mean, unless
// there is nothing else.
[[nodiscard]] std::vector<BrokenDown> main_breakdowns(const analysis::cycles::StreamCycles& cycles);

}  // namespace lockstep::report::cycles
