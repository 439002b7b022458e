// Which passes of a model come in several runs, with others between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

// A family of which one class at least has passes in two or more stretches of the stream. Pointers
// and indices are those of the cycles that it was made from.
struct ScatteredFamily {
  struct Class {
    const analysis::cycles::PassClass* passes = nullptr;
    std::vector<std::size_t> spans;  // of cycles.phases, that hold them
  };
  std::vector<Class> classes;
};

// Passes inside the iterations of a loop that has a role (requests, two models in turn) are not
// scattered: that loop tells how they come.
[[nodiscard]] std::vector<ScatteredFamily> scattered_families(
    const analysis::cycles::StreamCycles& cycles);

}  // namespace lockstep::report::cycles
