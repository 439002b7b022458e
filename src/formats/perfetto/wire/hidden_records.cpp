// Walks of messages that stand in an unknown field.
#include "formats/perfetto/wire/hidden_records.h"

#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/wire/wire_walk.h"

namespace lockstep::formats::perfetto {
namespace {

bool is_number_of_event(TrackEventField field) {
  switch (field) {
    case TrackEventField::kTimestampDeltaUs:
    case TrackEventField::kTimestampAbsoluteUs:
    case TrackEventField::kCategoryIids:
    case TrackEventField::kType:
    case TrackEventField::kNameIid:
    case TrackEventField::kTrackUuid:
    case TrackEventField::kExtraCounterValues:
    case TrackEventField::kCounterValue:
    case TrackEventField::kExtraCounterTracks:
    case TrackEventField::kExtraDoubleCounterTracks:
    case TrackEventField::kCorrelationId:
    case TrackEventField::kCorrelationIid:
      return true;
    default:
      return false;
  }
}

bool is_text_of_event(TrackEventField field) {
  return field == TrackEventField::kDebugAnnotations || field == TrackEventField::kCategories ||
         field == TrackEventField::kName || field == TrackEventField::kCorrelationText ||
         field == TrackEventField::kLegacyEvent;
}

bool is_flow_of_event(TrackEventField field) {
  return field == TrackEventField::kFlowIds || field == TrackEventField::kTerminatingFlowIds ||
         field == TrackEventField::kDoubleCounterValue ||
         field == TrackEventField::kExtraDoubleCounterValues;
}

bool is_field_of_event(const WireField& field) {
  const auto number = static_cast<TrackEventField>(field.number);
  switch (field.type) {
    case WireType::kVarint:
      return is_number_of_event(number);
    case WireType::kBytes:
      return is_text_of_event(number);
    case WireType::kFixed64:
      return is_flow_of_event(number);
    case WireType::kFixed32:
      return false;
  }
  return false;
}

bool is_type_of_event(const WireField& field) {
  constexpr std::uint64_t kLastType = 4;
  return field.number == static_cast<std::uint64_t>(TrackEventField::kType) &&
         field.type == WireType::kVarint && field.value > 0 && field.value <= kLastType;
}

bool may_be_track_event(std::string_view bytes) {
  WireWalk walk(bytes);
  WireField field;
  bool has_type = false;
  bool has_more = false;
  while (walk.next(field)) {
    if (!is_field_of_event(field)) return false;
    const bool is_type = field.number == static_cast<std::uint64_t>(TrackEventField::kType);
    if (is_type && !is_type_of_event(field)) return false;
    (is_type ? has_type : has_more) = true;
  }
  return has_type && has_more && !walk.is_broken() && !walk.is_cut();
}

// Whether it has what every event has, whatever else. Configurations and statistics of traces have
// messages of the same number.
bool says_what_event_it_is(std::string_view bytes) {
  WireWalk walk(bytes);
  WireField field;
  while (walk.next(field)) {
    const bool is_legacy =
        field.number == static_cast<std::uint64_t>(TrackEventField::kLegacyEvent);
    if (is_type_of_event(field) || (is_legacy && field.type == WireType::kBytes)) return true;
  }
  return false;
}

bool holds_data(const WireField& field) {
  const auto number = static_cast<PacketField>(field.number);
  if (field.type != WireType::kBytes) return false;
  if (number == PacketField::kTrackEvent) return says_what_event_it_is(field.bytes);
  return number == PacketField::kTrackDescriptor || number == PacketField::kInternedData ||
         number == PacketField::kGpuRenderStageEvent || number == PacketField::kCompressedPackets ||
         number == PacketField::kZstdCompressedPackets;
}

bool may_be_packet(std::string_view bytes) {
  WireWalk walk(bytes);
  WireField field;
  bool has_sequence = false;
  bool has_data = false;
  while (walk.next(field)) {
    const auto number = static_cast<PacketField>(field.number);
    if (field.type == WireType::kFixed32) return false;
    has_sequence |= number == PacketField::kSequenceId && field.type == WireType::kVarint;
    has_data |= holds_data(field);
  }
  return has_sequence && has_data && !walk.is_broken() && !walk.is_cut();
}

}  // namespace

bool may_hide_record(std::string_view bytes) {
  return may_be_track_event(bytes) || may_be_packet(bytes);
}

}  // namespace lockstep::formats::perfetto
