// What speaks for a phase, as words.
#pragma once

#include <string>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

// "annotation 'decode' (24 of 24 iterations)"
[[nodiscard]] std::string evidence_words(const analysis::cycles::Evidence& evidence);

}  // namespace lockstep::report::cycles
