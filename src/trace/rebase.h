// One zero for the ranks of a trace that was read from several files.
#pragma once

#include "trace/trace.h"

namespace lockstep::trace {

extern const DiagnosticKind kRankKeepsItsZero;

// Moves all ranks whose clock is the epoch to the smallest of their origins. A rank without an
// epoch, or too far away, keeps its own zero; a diagnostic says so when there is more than one
// rank.
void rebase_ranks(Trace& trace);

}  // namespace lockstep::trace
