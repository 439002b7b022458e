// What became of the time of a pair, by role: a table that adds up on both sides, and a sentence.
#pragma once

#include <string>

#include "analysis/compare/compare.h"
#include "report/layout/page.h"

namespace lockstep::report::compare {

// "kernels 41 % slower, idle 16 % less: launch bound on A"; empty where nothing changed enough to
// say, or the pair is not the same work.
[[nodiscard]] std::string time_change_words(const analysis::compare::ComparePair& pair);

// Of a matched pair: sentence and table.
void add_time_change(const analysis::compare::ComparePair& pair, layout::Page& page);

}  // namespace lockstep::report::compare
