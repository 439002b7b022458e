// The kinds of findings with their severity and sentence.
#include "formats/kernel_profile/kernel_findings.h"

namespace lockstep::formats::kernel_profile {

const DiagnosticKind kHeaderMissing{
    "header_missing", Severity::kError,
    "The buffer has no header (the first thread of block 0 never called init); one group a block "
    "was assumed. Say --groups and --blocks."};
const DiagnosticKind kHeaderImplausible{"header_implausible", Severity::kError,
                                        "The header (or --blocks and --groups) tells of more lanes "
                                        "than the buffer has room for; blocks "
                                        "were taken from the records."};
const DiagnosticKind kTruncatedProfile{
    "truncated", Severity::kDataLoss,
    "The file ends before what it announces; what was there has been read."};
const DiagnosticKind kBytesAfterProfile{"bytes_after_profile", Severity::kInfo,
                                        "Bytes follow the end that the file states; they were "
                                        "ignored."};
const DiagnosticKind kBadSection{
    "bad_section", Severity::kError,
    "An entry of the section table contradicts the file or itself; the section was not read."};
const DiagnosticKind kUnknownSection{"unknown_section", Severity::kInfo,
                                     "A section of a kind that this version does not know was "
                                     "skipped."};
const DiagnosticKind kBadMeta{
    "bad_meta", Severity::kError,
    "The META section is not the JSON it should be; names and rates in it "
    "were not read."};
const DiagnosticKind kTickUnknown{
    "tick_unknown", Severity::kError,
    "Lanes count a steady counter whose step META does not state; 10 ns were assumed."};
const DiagnosticKind kClockRateAssumed{
    "clock_rate_assumed", Severity::kInfo,
    "The file counts a cycle as 1 ns, whatever the device's rate: durations are cycles. Say the "
    "rate as \"clock_ghz\" in --meta to have them in ns."};

const DiagnosticKind kBadLane{
    "bad_lane", Severity::kError,
    "A lane names a launch, records or anchors that are not there or belong to another lane; what "
    "cannot be true of it was left out."};
const DiagnosticKind kUnclaimedRecords{
    "unclaimed_records", Severity::kDataLoss,
    "Records belong to no lane that the file describes, as when the entry of a lane is lost; they "
    "are in no figure."};
const DiagnosticKind kDuplicateLane{
    "duplicate_lane", Severity::kError,
    "Two lanes of one launch claim the same block and group; both are shown."};
const DiagnosticKind kLaneOutOfRange{
    "lane_out_of_range", Severity::kDataLoss,
    "Records of lanes that the header does not have were dropped: stale, or groups and blocks are "
    "wrong."};
const DiagnosticKind kLaneIdOverflow{
    "lane_id_overflow", Severity::kError,
    "The launch has more lanes or blocks than the tag has numbers for; the overflow falsifies "
    "other fields."};
const DiagnosticKind kStrideBelowLanes{
    "stride_below_lanes", Severity::kError,
    "The write stride is smaller than the number of lanes, so lanes overwrote each other."};
const DiagnosticKind kStrideRefused{
    "stride_refused", Severity::kDataLoss,
    "The kernel refused to record: its write stride was smaller than the number of lanes, which "
    "would have overwritten each other."};
const DiagnosticKind kLanesRefused{
    "lanes_refused", Severity::kDataLoss,
    "The kernel recorded only the first 2^20 lanes; the tag has no numbers for the others."};
const DiagnosticKind kLostLeaders{
    "lost_leaders", Severity::kDataLoss,
    "Leaders found no lane: the launch has more blocks or groups than the channel was made for."};
const DiagnosticKind kMixedLaunches{
    "mixed_launches", Severity::kError,
    "Lanes of one launch are of another grid: the channel was not advanced between two launches."};
const DiagnosticKind kLaunchMayBeSeveral{
    "launch_may_be_several", Severity::kInfo,
    "A launch has one lane. The file has no numbers of launches, and those of one block and one "
    "warp follow each other without a border."};
const DiagnosticKind kLaunchesNotTold{
    "launches_not_told", Severity::kError,
    "Events are not in the order in which the profiler wrote them, which tells launches apart, and "
    "blocks and times do not; what is shown as one launch may be several. Give the file as it was "
    "written."};
const DiagnosticKind kOverwrittenLaunches{
    "overwritten_launches", Severity::kInfo,
    "Earlier launches were overwritten: the channel keeps only its last ones."};
const DiagnosticKind kStaleLanes{
    "stale_lanes", Severity::kInfo,
    "Lanes that later launches did not use were left over from overwritten ones; they were "
    "ignored."};
const DiagnosticKind kNotFinalized{
    "not_finalized", Severity::kDataLoss,
    "Lanes have no final record: what came after their last record, if anything, is not known."};
const DiagnosticKind kMigrated{
    "migrated", Severity::kError,
    "A lane ended on another multiprocessor than it began on, so its cycles are of two clocks."};
const DiagnosticKind kDropped{"dropped", Severity::kDataLoss,
                              "Events found no room in their lane's buffer and were dropped."};
const DiagnosticKind kRingOverwritten{
    "ring_overwritten", Severity::kDataLoss,
    "The ring of a lane was written round; how many of its first events are gone is not known."};
const DiagnosticKind kBadAnchor{
    "bad_anchor", Severity::kDataLoss,
    "An anchor ends before it begins, steps back or is out of range; it "
    "was left out."};
const DiagnosticKind kBlockDamaged{"block_damaged", Severity::kDataLoss,
                                   "The buffer of a block does not begin as it should; its records "
                                   "were not read."};

const DiagnosticKind kWrapped{"wrapped", Severity::kInfo,
                              "A clock of limited width began again at 0; the wraps were undone."};
const DiagnosticKind kWrapAmbiguous{
    "wrap_ambiguous", Severity::kError,
    "A lane's anchors tell of wraps that its records do not show; where they lie is not known, so "
    "times of this lane may be early by the length of a wrap."};
const DiagnosticKind kClockOutsideAnchors{
    "clock_outside_anchors", Severity::kError,
    "Clocks of records lie outside the anchors of their lane."};
const DiagnosticKind kClockDisorder{
    "clock_disorder", Severity::kError,
    "Clocks of a lane step back more often than its anchors allow for wraps; they were taken as "
    "steps back."};

const DiagnosticKind kStaleRecords{
    "stale_records", Severity::kInfo,
    "Records of an earlier launch lie in the buffer behind the end of their lane; they were "
    "ignored. Zero the buffer before a launch."};
const DiagnosticKind kZeroRecord{
    "zero_record", Severity::kInfo,
    "An empty slot between records of lane 0 is a begin of event 0 at time 0, and was read so."};
const DiagnosticKind kRecordHole{"record_hole", Severity::kDataLoss,
                                 "A slot between two records of a lane is empty: a record is "
                                 "missing."};
const DiagnosticKind kMisplacedRecord{
    "misplaced_record", Severity::kError,
    "Records lie in slots that their lane does not write: two leaders, another stride, or stale "
    "data. They were kept."};
const DiagnosticKind kBadRecord{"bad_record", Severity::kDataLoss,
                                "A record has a type, place or time that the format does not have; "
                                "it was dropped."};
const DiagnosticKind kEventWithoutName{"event_without_name", Severity::kInfo,
                                       "Events have a number beyond the list of names; they are "
                                       "shown by number."};
const DiagnosticKind kLongName{"long_name", Severity::kInfo,
                               "Names that would fill many times the recording, as often as they "
                               "are used, were cut."};

}  // namespace lockstep::formats::kernel_profile
