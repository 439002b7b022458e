// What speaks for a phase, as words.
#pragma once

#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

// "annotation 'decode' (24 of 24 iterations)"
[[nodiscard]] std::string evidence_words(const analysis::cycles::Evidence& evidence);

// A line each, with how sure it is where it is no fact. What says the same with other figures (two
// prefills, each against the decode passes) is said once: times as a range, counts as the first has
// them.
[[nodiscard]] std::vector<std::string> evidence_lines(
    const std::vector<analysis::cycles::Evidence>& evidence);

}  // namespace lockstep::report::cycles
