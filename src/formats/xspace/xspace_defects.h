// What can be wrong with an XSpace beside the times of its events.
#pragma once

#include "base/diagnostics.h"

namespace lockstep::formats::xspace {

extern const DiagnosticKind kTruncatedSpace;
extern const DiagnosticKind kDamagedRecord;
extern const DiagnosticKind kWrongWireType;
extern const DiagnosticKind kMisplacedField;
extern const DiagnosticKind kEmptyEvent;
extern const DiagnosticKind kUnknownEventName;
extern const DiagnosticKind kAggregatedEvents;
extern const DiagnosticKind kBadProfileStart;
extern const DiagnosticKind kRepeatedText;

}  // namespace lockstep::formats::xspace
