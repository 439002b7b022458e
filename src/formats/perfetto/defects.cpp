// Names, severities and sentences of this reader's diagnostics.
#include "formats/perfetto/defects.h"

namespace lockstep::formats::perfetto {

const DiagnosticKind kTruncatedPacket{
    "truncated_packet", Severity::kDataLoss,
    "The file ends inside a packet, as when a profiler is killed; all whole packets before it were "
    "read."};
const DiagnosticKind kDamagedFraming{
    "damaged_framing", Severity::kDataLoss,
    "Bytes between packets are no packet; reading went on at the next whole one."};
const DiagnosticKind kDamagedPacket{"damaged_packet", Severity::kDataLoss,
                                    "A packet is not valid protobuf; it was dropped."};
const DiagnosticKind kWrongWireType{
    "wrong_wire_type", Severity::kDataLoss,
    "A known field has a type that the format does not give it; the field was passed over."};
const DiagnosticKind kMisplacedField{"misplaced_field", Severity::kDataLoss,
                                     "A field of a packet that nobody reads, or that comes twice, "
                                     "holds what may have been a record; "
                                     "it was dropped."};
const DiagnosticKind kDamagedCompressedPackets{
    "damaged_compressed_packets", Severity::kDataLoss,
    "Compressed packets cannot be inflated to their end; those before the damage were read."};
const DiagnosticKind kNestedCompression{
    "nested_compression", Severity::kDataLoss,
    "Compressed packets hold compressed packets, which no writer does; they were dropped."};
const DiagnosticKind kInflationLimit{
    "inflation_limit", Severity::kDataLoss,
    "Compressed packets inflate to more than 1 GiB; what lies beyond was dropped."};
const DiagnosticKind kLostState{
    "lost_incremental_state", Severity::kDataLoss,
    "A packet relies on earlier packets of its sequence that are not in the file; it was dropped."};
const DiagnosticKind kDroppedPackets{
    "dropped_packets", Severity::kDataLoss,
    "The profiler says that it lost packets before this one (its buffer was full)."};
const DiagnosticKind kUnknownInternedString{
    "unknown_interned_string", Severity::kDataLoss,
    "An event names a string that its sequence never defined; it is empty."};
const DiagnosticKind kUnknownClock{
    "unknown_clock", Severity::kDataLoss,
    "An event counts in a clock that no snapshot relates to the others; it was dropped."};
const DiagnosticKind kUnknownEventType{
    "unknown_event_type", Severity::kDataLoss,
    "A track event is of a type that Perfetto does not have, or of none; it was dropped."};
const DiagnosticKind kUnusedPhase{"unused_phase", Severity::kInfo,
                                  "An event of Chrome (an object, a sample, a dump of memory) "
                                  "marks nothing on a timeline; it was "
                                  "skipped."};
const DiagnosticKind kDeepAnnotation{
    "deep_annotation", Severity::kDataLoss,
    "An annotation is nested too deeply; its inner values were dropped."};
const DiagnosticKind kOversizedText{
    "oversized_text", Severity::kDataLoss,
    "A name, a list of categories or an annotation is too long, or all annotations together are "
    "for the size of the file; what lies beyond was dropped."};
const DiagnosticKind kDamagedHeader{
    "damaged_lockstep_header", Severity::kDataLoss,
    "lockstep's own description of the trace cannot be read; ranks, devices and streams are told "
    "from the tracks."};
const DiagnosticKind kMissingEvents{
    "missing_events", Severity::kDataLoss,
    "The file holds fewer events than lockstep wrote into it; it was cut off or damaged."};
const DiagnosticKind kUnknownTrack{
    "unknown_track", Severity::kInfo,
    "Events lie on tracks that nobody described; they are named by number."};
const DiagnosticKind kTrackCycle{"track_cycle", Severity::kError,
                                 "A track is its own ancestor, or has too many."};
const DiagnosticKind kUnboundFlow{"unbound_flow", Severity::kInfo,
                                  "A flow has only one end in the file; it was not kept."};

}  // namespace lockstep::formats::perfetto
