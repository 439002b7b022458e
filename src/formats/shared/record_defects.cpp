// Names, severities and sentences of what can be wrong with times.
#include "formats/shared/record_defects.h"

namespace lockstep::formats::shared {

const DiagnosticKind kMissingTime{
    "missing_time", Severity::kDataLoss,
    "An event has no readable time (missing, NaN or not a number); it was dropped."};
const DiagnosticKind kMissingDuration{
    "missing_duration", Severity::kDataLoss,
    "A complete event has no readable duration; it was kept with duration 0."};
const DiagnosticKind kZeroTime{
    "zero_time", Severity::kDataLoss,
    "An event has time 0 or one before it, as when a profiler has lost the time; it was dropped."};
const DiagnosticKind kNegativeDuration{"negative_duration", Severity::kDataLoss,
                                       "An event ends before it starts; it was dropped."};
const DiagnosticKind kTimeOutOfRange{
    "time_out_of_range", Severity::kDataLoss,
    "An event lies more than 100 days from the start of the trace; it was dropped."};
const DiagnosticKind kOriginOutOfRange{
    "origin_out_of_range", Severity::kDataLoss,
    "The start that the file gives lies beyond the years that can be counted in nanoseconds (1677 "
    "to 2262); times count from the file's own zero."};
const DiagnosticKind kUnfinishedSpan{"unfinished_span", Severity::kDataLoss,
                                     "A begin has no end; it was dropped."};
const DiagnosticKind kEndWithoutBegin{"end_without_begin", Severity::kDataLoss,
                                      "An end has no begin; it was dropped."};

}  // namespace lockstep::formats::shared
