// What can be wrong with the times of a record, in any format.
#pragma once

#include "base/diagnostics.h"

namespace lockstep::formats::shared {

extern const DiagnosticKind kMissingTime;
extern const DiagnosticKind kMissingDuration;
extern const DiagnosticKind kZeroTime;
extern const DiagnosticKind kNegativeDuration;
extern const DiagnosticKind kTimeOutOfRange;
extern const DiagnosticKind kOriginOutOfRange;
extern const DiagnosticKind kUnfinishedSpan;
extern const DiagnosticKind kEndWithoutBegin;

}  // namespace lockstep::formats::shared
