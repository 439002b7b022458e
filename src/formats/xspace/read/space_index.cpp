// Walking of planes and lines.
#include "formats/xspace/read/space_index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <protozero/pbf_reader.hpp>

#include "formats/xspace/read/field_text.h"
#include "formats/xspace/read/misplaced.h"
#include "formats/xspace/xspace_defects.h"
#include "formats/xspace/xspace_fields.h"

namespace lockstep::formats::xspace {
namespace {}  // namespace

StatValue decode_stat(std::string_view bytes) {
  StatValue stat;
  bool has_other = false;
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    switch (static_cast<std::uint32_t>(reader.tag_and_type())) {
      case varint_field(StatField::kMetadataId):
        stat.metadata_id = reader.get_int64();
        break;
      case fixed64_field(StatField::kDouble): {
        const double value = reader.get_double();
        std::memcpy(&stat.number, &value, sizeof value);
        stat.type = StatValue::Type::kDouble;
        break;
      }
      case varint_field(StatField::kUint64):
        stat.number = reader.get_uint64();
        stat.type = StatValue::Type::kUnsigned;
        break;
      case varint_field(StatField::kInt64):
        stat.number = static_cast<std::uint64_t>(reader.get_int64());
        stat.type = StatValue::Type::kSigned;
        break;
      case bytes_field(StatField::kString):
        stat.text = text_of(reader.get_view());
        stat.type = StatValue::Type::kText;
        break;
      case bytes_field(StatField::kBytes):
        stat.text = text_of(reader.get_view());
        stat.type = StatValue::Type::kBytes;
        break;
      case varint_field(StatField::kRef):
        stat.number = reader.get_uint64();
        stat.type = StatValue::Type::kRef;
        break;
      default:
        has_other = true;
        stat.is_bent |= reader.tag() <= static_cast<protozero::pbf_tag_type>(StatField::kRef);
        reader.skip();
    }
  }
  stat.is_bent |= has_other && (stat.metadata_id == 0 || stat.type == StatValue::Type::kNone);
  return stat;
}

SpaceIndex::SpaceIndex(std::string_view bytes)
    : begin_(bytes.data()), end_(bytes.data() + bytes.size()) {
  walk(bytes, [&](protozero::pbf_reader& field, std::string_view piece) {
    const bool is_known =
        field.tag() <= static_cast<protozero::pbf_tag_type>(SpaceField::kHostnames);
    if (piece.data() == nullptr) {
      if (is_known) diagnostics_.add(kWrongWireType, place_of(field.data().data()));
      return false;
    }
    if (static_cast<SpaceField>(field.tag()) == SpaceField::kPlanes) {
      add_plane(piece);
      return true;
    }
    if (may_be_plane(piece)) diagnostics_.add(kMisplacedField, place_of(piece.data()));
    switch (static_cast<SpaceField>(field.tag())) {
      case SpaceField::kPlanes:
        break;
      case SpaceField::kErrors:
        errors_.push_back(piece);
        return true;
      case SpaceField::kWarnings:
        warnings_.push_back(piece);
        return true;
      case SpaceField::kHostnames:
        hostnames_.push_back(piece);
        return true;
    }
    return false;
  });
}

Place SpaceIndex::place_of(const char* at) const {
  return Place::byte(static_cast<std::uint64_t>(at - begin_));
}

// Calls `handle(field, piece)` for every field of `message`. `piece` is what a length-delimited
// field holds, up to the end of the message when its length lies beyond it; for other wire types it
// is null, and the handler takes the value from `field`. A handler that returns false leaves the
// field alone.
template <typename Handle>
void SpaceIndex::walk(std::string_view message, Handle&& handle) {
  const char* const last = message.data() + message.size();
  const char* at = message.data();
  protozero::pbf_reader field(message.data(), message.size());
  try {
    while (field.next()) {
      at = field.data().data();
      if (field.wire_type() != protozero::pbf_wire_type::length_delimited) {
        if (!handle(field, std::string_view())) field.skip();
        at = field.data().data();
        continue;
      }
      const std::uint64_t length = protozero::decode_varint(&at, last);
      const auto left = static_cast<std::uint64_t>(last - at);
      if (length > left && message.data() == begin_ && last == end_) is_cut_ = true;
      handle(field, std::string_view(at, static_cast<std::size_t>(std::min(length, left))));
      if (length > left) return note_broken(at, message);
      at += length;
      // Not skip(), which reads lengths as 32 bits.
      field = protozero::pbf_reader(at, static_cast<std::size_t>(last - at));
    }
  } catch (const protozero::exception&) {
    if (message.data() == begin_ && last == end_) is_cut_ = true;
    note_broken(at, message);
  }
}

// A cut is said once, for the whole file.
void SpaceIndex::note_broken(const char* at, std::string_view message) {
  const char* const last = message.data() + message.size();
  if (!is_in_cut(last)) {
    diagnostics_.add(kDamagedRecord, place_of(at));
  } else if (message.data() == begin_) {
    diagnostics_.add(kTruncatedSpace, place_of(at));
  }
}

void SpaceIndex::add_plane(std::string_view bytes) {
  PlaneView plane;
  walk(bytes, [&](protozero::pbf_reader& field, std::string_view piece) {
    const auto number = static_cast<PlaneField>(field.tag());
    const bool has_bytes = piece.data() != nullptr;
    if (number == PlaneField::kId && !has_bytes) return false;
    if (field.tag() > static_cast<protozero::pbf_tag_type>(PlaneField::kStats)) {
      if (may_be_line(piece)) diagnostics_.add(kMisplacedField, place_of(piece.data()));
      return false;
    }
    if (!has_bytes || number == PlaneField::kId) {
      diagnostics_.add(kWrongWireType, place_of(bytes.data()));
      return false;
    }
    if (number == PlaneField::kName) {
      if (!plane.name.empty()) diagnostics_.add(kMisplacedField, place_of(piece.data()));
      plane.name = piece;
    }
    if (number == PlaneField::kLines) add_line(piece, plane);
    if (number == PlaneField::kEventMetadata) plane.event_metadata.push_back(piece);
    if (number == PlaneField::kStatMetadata) plane.stat_metadata.push_back(piece);
    if (number == PlaneField::kStats) plane.stats.push_back(piece);
    return true;
  });
  // Two bytes make a plane, and a view of it takes a hundred.
  const bool is_empty = plane.name.empty() && plane.lines.empty() && plane.event_metadata.empty() &&
                        plane.stat_metadata.empty() && plane.stats.empty();
  if (is_empty) return;
  plane.sort = sort_of_plane(plane.name);
  planes_.push_back(std::move(plane));
}

// A field that is there once has become one, or what was an event has.
void SpaceIndex::note_again(bool is_there, const protozero::pbf_reader& field) {
  if (is_there) diagnostics_.add(kMisplacedField, place_of(field.data().data()));
}

// A field of a line that XSpace does not have, or not of this type. Events of a wrong type are
// counted where events are read.
void SpaceIndex::judge_in_line(protozero::pbf_reader& field) {
  const Place place = place_of(field.data().data());
  const auto number = static_cast<LineField>(field.tag());
  const bool has_bytes = field.wire_type() == protozero::pbf_wire_type::length_delimited;
  if (has_bytes && may_be_event(text_of(field.get_view()))) {
    diagnostics_.add(kMisplacedField, place);
  } else if (number <= LineField::kTimestampNs ||
             (number >= LineField::kDurationPs && number <= LineField::kDisplayName)) {
    diagnostics_.add(kWrongWireType, place);
  }
  if (!has_bytes) field.skip();
}

// Only what stands beside the events; those are read when everything else is known.
void SpaceIndex::add_line(std::string_view bytes, PlaneView& plane) {
  if (bytes.empty()) return;  // two bytes of the file, and a view and a track take two hundred
  LineView line;
  line.bytes = bytes;
  bool has_id = false;
  bool has_timestamp = false;
  protozero::pbf_reader field(bytes.data(), bytes.size());
  try {
    while (field.next()) {
      switch (static_cast<std::uint32_t>(field.tag_and_type())) {
        case varint_field(LineField::kId):
          note_again(std::exchange(has_id, true), field);
          line.id = field.get_int64();
          break;
        case bytes_field(LineField::kName):
          note_again(line.name.data() != nullptr, field);
          line.name = text_of(field.get_view());
          break;
        case varint_field(LineField::kTimestampNs):
          note_again(std::exchange(has_timestamp, true), field);
          line.timestamp_ns = field.get_int64();
          break;
        case bytes_field(LineField::kEvents):
          field.skip();
          break;
        case bytes_field(LineField::kDisplayName):
          note_again(line.display_name.data() != nullptr, field);
          line.display_name = text_of(field.get_view());
          break;
        case varint_field(LineField::kDurationPs):
        case varint_field(LineField::kDisplayId):
          field.skip();
          break;
        default:
          judge_in_line(field);
      }
    }
  } catch (const protozero::exception&) {
    // Said when the events are read, which stops at the same place.
  }
  plane.lines.push_back(line);
}

}  // namespace lockstep::formats::xspace
