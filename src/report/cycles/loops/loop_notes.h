// What is worth saying of a loop below its row: regimes, outliers, trends, incomplete iterations.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

// Sentences without a stop; none where there is nothing to say.
[[nodiscard]] std::vector<std::string> loop_notes(const analysis::cycles::StreamCycles& stream,
                                                  std::size_t loop);

}  // namespace lockstep::report::cycles
