// What can be wrong with the files of an Ascend profile.
#pragma once

#include "base/diagnostics.h"

namespace lockstep::formats::ascend_text {

extern const DiagnosticKind kShortRow;
extern const DiagnosticKind kNarrowRow;
extern const DiagnosticKind kLongRow;
extern const DiagnosticKind kTruncatedTable;
extern const DiagnosticKind kUnendedTable;
extern const DiagnosticKind kDamagedRecord;
extern const DiagnosticKind kJoinedCells;
extern const DiagnosticKind kUnusableFile;
extern const DiagnosticKind kDamagedFile;
extern const DiagnosticKind kKernelNotInTable;
extern const DiagnosticKind kUnmatchedCommunication;
extern const DiagnosticKind kCountsDiffer;

}  // namespace lockstep::formats::ascend_text
