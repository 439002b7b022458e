// Names, severities and sentences of the defects of an XSpace.
#include "formats/xspace/xspace_defects.h"

namespace lockstep::formats::xspace {

const DiagnosticKind kTruncatedSpace{
    "truncated_xspace", Severity::kDataLoss,
    "The file ends in the middle of a record; what stands before the cut was read."};
const DiagnosticKind kDamagedRecord{
    "damaged_record", Severity::kDataLoss,
    "A record is no valid protobuf; the rest of it was dropped and reading went on behind it."};
const DiagnosticKind kWrongWireType{
    "wrong_wire_type", Severity::kDataLoss,
    "A field has another wire type than XSpace gives it; it was dropped."};
const DiagnosticKind kMisplacedField{
    "misplaced_field", Severity::kDataLoss,
    "A field stands where XSpace has none, or has one already; it may have been a record, which "
    "was dropped."};
const DiagnosticKind kEmptyEvent{"empty_event", Severity::kDataLoss,
                                 "An event has neither a name nor a time; it was dropped."};
const DiagnosticKind kUnknownEventName{
    "unknown_event_name", Severity::kDataLoss,
    "An event names metadata that is not in its plane; it was kept under the number of it."};
const DiagnosticKind kAggregatedEvents{
    "aggregated_event", Severity::kInfo,
    "A record sums up several occurrences and has no time; it is kept in the metadata of the rank, "
    "not as an event."};
const DiagnosticKind kBadProfileStart{
    "bad_profile_start", Severity::kError,
    "profile_start_time is no time since 1970; the times of this trace count from the start of its "
    "session."};
const DiagnosticKind kRepeatedText{
    "repeated_text", Severity::kDataLoss,
    "Facts of the file refer to the same texts so often that they would need more room than the "
    "whole file; this one was left out."};

}  // namespace lockstep::formats::xspace
