// The zero of the times of a trace: the earliest event, for ranks on one clock the earliest of all.
#pragma once

#include "trace/trace.h"

namespace lockstep::trace {

extern const DiagnosticKind kRankKeepsItsZero;
extern const DiagnosticKind kTimesBeforeZero;

// Moves the zero of every rank to its earliest event or step, floored to nanoseconds, so that no
// time is negative; ranks whose clock is the epoch share the earliest of theirs. Absolute times,
// origin and time together, stay what they are. A rank without an epoch, or too far away, keeps a
// zero of its own; a diagnostic says so when there is more than one rank. A rank whose times are
// further apart than a Time reaches stays as it is and is named.
void rebase_ranks(Trace& trace);

}  // namespace lockstep::trace
