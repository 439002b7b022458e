// What --mode asks `compare` for.
#pragma once

#include <functional>

#include "analysis/compare/compare.h"
#include "analysis/cycles/cycles.h"

namespace lockstep::cli {

// Of prefill or decode.
[[nodiscard]] analysis::cycles::PhaseName phase_of(analysis::cycles::CycleMode mode);

// The loops and segments of that phase; where neither trace has any, the loops that were selected
// by their place. Empty for all.
[[nodiscard]] std::function<bool(const analysis::compare::ComparePair&)> wanted_by(
    analysis::cycles::CycleMode mode, const analysis::cycles::Cycles& a,
    const analysis::cycles::Cycles& b);

}  // namespace lockstep::cli
