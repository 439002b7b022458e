// What can be wrong with a Perfetto file besides the times of its events.
#pragma once

#include "base/diagnostics.h"

namespace lockstep::formats::perfetto {

extern const DiagnosticKind kTruncatedPacket;
extern const DiagnosticKind kDamagedFraming;
extern const DiagnosticKind kDamagedPacket;
extern const DiagnosticKind kWrongWireType;
extern const DiagnosticKind kMisplacedField;
extern const DiagnosticKind kDamagedCompressedPackets;
extern const DiagnosticKind kNestedCompression;
extern const DiagnosticKind kInflationLimit;
extern const DiagnosticKind kLostState;
extern const DiagnosticKind kDroppedPackets;
extern const DiagnosticKind kUnknownInternedString;
extern const DiagnosticKind kUnknownClock;
extern const DiagnosticKind kUnknownEventType;
extern const DiagnosticKind kUnusedPhase;
extern const DiagnosticKind kDeepAnnotation;
extern const DiagnosticKind kOversizedText;
extern const DiagnosticKind kDamagedHeader;
extern const DiagnosticKind kMissingEvents;
extern const DiagnosticKind kUnknownTrack;
extern const DiagnosticKind kTrackCycle;
extern const DiagnosticKind kUnboundFlow;

}  // namespace lockstep::formats::perfetto
