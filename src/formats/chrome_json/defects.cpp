// Names, severities and sentences of this reader's diagnostics.
#include "formats/chrome_json/defects.h"

namespace lockstep::formats::chrome_json {

const DiagnosticKind kTruncatedJson{
    "truncated_json", Severity::kDataLoss,
    "The document ends before its closing brackets, as when a profiler is killed; all whole events "
    "before the end were read."};
const DiagnosticKind kDamagedEvent{
    "damaged_event", Severity::kDataLoss,
    "An event is not valid JSON, or larger than 16 MiB; it was dropped and reading went on at the "
    "next whole event."};
const DiagnosticKind kDamagedStructure{
    "damaged_structure", Severity::kDataLoss,
    "The brackets or commas around events are damaged; reading went on at the next whole event."};
const DiagnosticKind kTrailingData{"trailing_data", Severity::kDataLoss,
                                   "Bytes follow the end of the document (extra brackets, or a "
                                   "second writer); they were ignored."};
const DiagnosticKind kRepeatedEventArray{
    "repeated_event_array", Severity::kInfo,
    "The document holds more than one list of events; all were read."};
const DiagnosticKind kUnnamedEventArray{
    "unnamed_event_array", Severity::kInfo,
    "A list of events stands under another name than traceEvents; it was read."};
const DiagnosticKind kOversizedValue{
    "oversized_value", Severity::kInfo,
    "A value of the root object is too large to keep; it was passed over."};
const DiagnosticKind kUnreadHeader{
    "unread_header", Severity::kDataLoss,
    "A value of the root object that gives the base time, the rank or the devices cannot be read; "
    "the trace was read without it."};
const DiagnosticKind kRepairedText{
    "repaired_text", Severity::kInfo,
    "An event holds raw tabs or line ends in a string; they were replaced and it was kept."};
const DiagnosticKind kInvalidEscape{
    "invalid_escape", Severity::kDataLoss,
    "A string of an event has a backslash that begins no escape of JSON, as in a path that nobody "
    "escaped or in damaged text; the event was kept, but others may be missing in its place."};
const DiagnosticKind kStrayComma{
    "stray_comma", Severity::kDataLoss,
    "A comma stands before a closing bracket of an event, which JSON does not have; the event was "
    "kept, but what stood behind the comma may be missing."};
const DiagnosticKind kDamagedArguments{
    "damaged_arguments", Severity::kDataLoss,
    "An argument of an event is not valid JSON; the event was kept without it."};
const DiagnosticKind kWrongType{
    "wrong_type", Severity::kDataLoss,
    "A field of an event is of another type than it must be (a list for an object, a list or an "
    "object for text, text or a fraction for a whole number); the event was read without it."};
const DiagnosticKind kDuplicateKey{
    "duplicate_key", Severity::kDataLoss,
    "An event has a key twice, as when the end of one event and the start of another are lost; the "
    "last one counts."};
const DiagnosticKind kDuplicateExternalId{
    "duplicate_external_id", Severity::kInfo,
    "Host operators share an External id; the last one counts."};
const DiagnosticKind kEmptyEvent{"empty_event", Severity::kInfo, "An empty event was skipped."};
const DiagnosticKind kSkippedPhase{
    "skipped_phase", Severity::kInfo,
    "An event has a phase (ph) that marks nothing on a timeline; it was skipped."};
const DiagnosticKind kUnknownPhase{"unknown_phase", Severity::kDataLoss,
                                   "An event has no phase (ph), or one that nobody defines or that "
                                   "does not fit the rest of it; it "
                                   "was dropped."};
const DiagnosticKind kLastingFlow{
    "lasting_flow", Severity::kDataLoss,
    "A flow has a duration, as only spans have one, and most flows of the file have none; it was "
    "kept as a flow, but a span may be missing in its place."};
const DiagnosticKind kBaseTimeIgnored{
    "base_time_ignored", Severity::kInfo,
    "Times are since the epoch already; baseTimeNanoseconds was not added."};
const DiagnosticKind kInKernelTimeline{
    "in_kernel_timeline", Severity::kInfo,
    "This is a timeline inside one kernel (warps and scopes, in cycles); its scopes are not device "
    "kernels and are counted as annotations. 'lockstep kernel decode' reads it."};
const DiagnosticKind kMergedRanks{
    "merged_ranks", Severity::kInfo,
    "The file seems to be merged from those of several ranks, and its process ids do not tell them "
    "apart; it was read as one rank. Give the files of the ranks instead."};
const DiagnosticKind kCrossingSteps{
    "crossing_steps", Severity::kInfo,
    "Marked steps were left out: those of one rank would cut the work of another."};
const DiagnosticKind kNoHardwareLanes{
    "no_hardware_lanes", Severity::kInfo,
    "The timeline has no process \"Ascend Hardware\": what ran on the streams of the device is not "
    "in it, as when only the host was profiled."};

}  // namespace lockstep::formats::chrome_json
