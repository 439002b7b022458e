// Names, severities and sentences of this reader's diagnostics.
#include "formats/ascend_text/defects.h"

namespace lockstep::formats::ascend_text {

const DiagnosticKind kShortRow{
    "short_row", Severity::kDataLoss,
    "A row of a table has fewer cells than its header and lacks one that "
    "is needed; it was dropped."};
const DiagnosticKind kNarrowRow{
    "narrow_row", Severity::kDataLoss,
    "A row of a table has fewer cells than its header; it was kept, but a part of it or of another "
    "row may be missing and its cells may stand in wrong columns."};
const DiagnosticKind kLongRow{
    "long_row", Severity::kDataLoss,
    "A row of a table has more cells than its header, as when the end of a line is lost; those "
    "behind the last column, which may be another row, were ignored."};
const DiagnosticKind kTruncatedTable{
    "truncated_table", Severity::kDataLoss,
    "A table ends in the middle of a row, as when a profiler is killed; the row was dropped."};
const DiagnosticKind kUnendedTable{
    "unended_table", Severity::kDataLoss,
    "The last row of a table has no line end, as when a profiler is killed; it was kept, but its "
    "last cell may have lost its end, and rows behind it may be missing. If it is whole, end it "
    "with a line end."};
const DiagnosticKind kDamagedRecord{
    "damaged_record", Severity::kDataLoss,
    "A row of a table has a quote that is not closed in its line or not opened, text behind a "
    "closing quote, or more than 1 MiB; it was read as one line or dropped, and a part of it or of "
    "other rows may be missing."};
const DiagnosticKind kJoinedCells{
    "joined_cells", Severity::kDataLoss,
    "A cell of a table has a tab or a carriage return between other text, where no profiler writes "
    "one; the row was kept, but cells of two rows may have become one there."};
const DiagnosticKind kUnusableFile{
    "unusable_file", Severity::kDataLoss,
    "A file of the profile cannot be used; what it says is missing from the answer."};
const DiagnosticKind kDamagedFile{
    "damaged_file", Severity::kDataLoss,
    "A file of the profile is cut off or damaged; what can be read of it was used, and a part of "
    "what it says may be missing."};
const DiagnosticKind kKernelNotInTable{
    "kernel_not_in_table", Severity::kDataLoss,
    "The timeline shows a kernel that the table of kernels does not list; the table is the "
    "authority, so it was kept as an annotation and is in no sum. Its row may be lost."};
const DiagnosticKind kUnmatchedCommunication{
    "unmatched_communication", Severity::kInfo,
    "communication.json describes an operation that the profile does not show; it was left out."};
const DiagnosticKind kCountsDiffer{
    "counts_differ", Severity::kError,
    "op_statistic.csv counts another number of kernels of a type than the table of kernels has."};

}  // namespace lockstep::formats::ascend_text
