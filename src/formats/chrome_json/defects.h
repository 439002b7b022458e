// What can be wrong with a Chrome-JSON or Kineto trace: every kind of diagnostic of this reader.
#pragma once

#include "base/diagnostics.h"

namespace lockstep::chrome_json {

// Structure of the document.
extern const DiagnosticKind kTruncatedJson;
extern const DiagnosticKind kDamagedEvent;
extern const DiagnosticKind kDamagedStructure;
extern const DiagnosticKind kTrailingData;
extern const DiagnosticKind kRepeatedEventArray;
extern const DiagnosticKind kUnnamedEventArray;
extern const DiagnosticKind kOversizedValue;
// Single events.
extern const DiagnosticKind kRepairedText;
extern const DiagnosticKind kDamagedArguments;
extern const DiagnosticKind kDuplicateKey;
extern const DiagnosticKind kDuplicateExternalId;
extern const DiagnosticKind kEmptyEvent;
extern const DiagnosticKind kSkippedPhase;
extern const DiagnosticKind kUnknownPhase;
extern const DiagnosticKind kMissingTime;
extern const DiagnosticKind kMissingDuration;
extern const DiagnosticKind kZeroTime;
extern const DiagnosticKind kNegativeDuration;
extern const DiagnosticKind kTimeOutOfRange;
extern const DiagnosticKind kBaseTimeIgnored;
// Pairs and flows.
extern const DiagnosticKind kUnfinishedSpan;
extern const DiagnosticKind kEndWithoutBegin;
extern const DiagnosticKind kInKernelTimeline;

}  // namespace lockstep::chrome_json
