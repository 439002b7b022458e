// What the decoders of in-kernel profiles report; docs/formats/in-kernel.md lists it for people.
#pragma once

#include "base/diagnostics.h"

namespace lockstep::formats::kernel_profile {

// Of the whole buffer or file.
extern const DiagnosticKind kHeaderMissing;
extern const DiagnosticKind kHeaderImplausible;
extern const DiagnosticKind kTruncatedProfile;
extern const DiagnosticKind kBytesAfterProfile;
extern const DiagnosticKind kBadSection;
extern const DiagnosticKind kUnknownSection;
extern const DiagnosticKind kBadMeta;
extern const DiagnosticKind kTickUnknown;
extern const DiagnosticKind kClockRateAssumed;

// Of lanes.
extern const DiagnosticKind kBadLane;
extern const DiagnosticKind kUnclaimedRecords;
extern const DiagnosticKind kDuplicateLane;
extern const DiagnosticKind kLaneOutOfRange;
extern const DiagnosticKind kLaneIdOverflow;
extern const DiagnosticKind kStrideBelowLanes;
extern const DiagnosticKind kStrideRefused;
extern const DiagnosticKind kLanesRefused;
extern const DiagnosticKind kLostLeaders;
extern const DiagnosticKind kMixedLaunches;
extern const DiagnosticKind kLaunchMayBeSeveral;
extern const DiagnosticKind kLaunchesNotTold;
extern const DiagnosticKind kOverwrittenLaunches;
extern const DiagnosticKind kStaleLanes;
extern const DiagnosticKind kNotFinalized;
extern const DiagnosticKind kMigrated;
extern const DiagnosticKind kDropped;
extern const DiagnosticKind kRingOverwritten;
extern const DiagnosticKind kBadAnchor;
extern const DiagnosticKind kBlockDamaged;

// Of clocks.
extern const DiagnosticKind kWrapped;
extern const DiagnosticKind kWrapAmbiguous;
extern const DiagnosticKind kClockOutsideAnchors;
extern const DiagnosticKind kClockDisorder;

// Of records.
extern const DiagnosticKind kStaleRecords;
extern const DiagnosticKind kZeroRecord;
extern const DiagnosticKind kRecordHole;
extern const DiagnosticKind kMisplacedRecord;
extern const DiagnosticKind kBadRecord;
extern const DiagnosticKind kEventWithoutName;
extern const DiagnosticKind kLongName;

}  // namespace lockstep::formats::kernel_profile
