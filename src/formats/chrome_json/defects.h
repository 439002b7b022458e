// What can be wrong with a Chrome-JSON or Kineto trace, besides the times of its records.
#pragma once

#include "base/diagnostics.h"
#include "formats/shared/record_defects.h"

namespace lockstep::formats::chrome_json {

// Structure of the document.
extern const DiagnosticKind kTruncatedJson;
extern const DiagnosticKind kDamagedEvent;
extern const DiagnosticKind kDamagedStructure;
extern const DiagnosticKind kTrailingData;
extern const DiagnosticKind kRepeatedEventArray;
extern const DiagnosticKind kUnnamedEventArray;
extern const DiagnosticKind kOversizedValue;
extern const DiagnosticKind kUnreadHeader;
// Single events.
extern const DiagnosticKind kRepairedText;
extern const DiagnosticKind kInvalidEscape;
extern const DiagnosticKind kStrayComma;
extern const DiagnosticKind kDamagedArguments;
extern const DiagnosticKind kWrongType;
extern const DiagnosticKind kDuplicateKey;
extern const DiagnosticKind kDuplicateExternalId;
extern const DiagnosticKind kEmptyEvent;
extern const DiagnosticKind kSkippedPhase;
extern const DiagnosticKind kUnknownPhase;
extern const DiagnosticKind kLastingFlow;
extern const DiagnosticKind kBaseTimeIgnored;
extern const DiagnosticKind kInKernelTimeline;
extern const DiagnosticKind kMergedRanks;
extern const DiagnosticKind kCrossingSteps;
extern const DiagnosticKind kNoHardwareLanes;

}  // namespace lockstep::formats::chrome_json
