// Walks of messages that stand in an unknown field.
#include "formats/xspace/read/misplaced.h"

#include <algorithm>
#include <array>
#include <span>

#include <protozero/pbf_reader.hpp>

#include "formats/xspace/xspace_fields.h"

namespace lockstep::formats::xspace {
namespace {

// Fields with their wire types; the first ones are those of which one must be there.
bool holds_only(std::string_view bytes, std::span<const std::uint32_t> fields,
                std::size_t required) {
  bool has_required = false;
  protozero::pbf_reader field(bytes.data(), bytes.size());
  try {
    while (field.next()) {
      const auto type = static_cast<std::uint32_t>(field.tag_and_type());
      const auto found = std::ranges::find(fields, type);
      if (found == fields.end()) return false;
      has_required |= static_cast<std::size_t>(found - fields.begin()) < required;
      field.skip();
    }
  } catch (const protozero::exception&) {
    return false;
  }
  return has_required;
}

}  // namespace

bool may_be_plane(std::string_view bytes) {
  static constexpr std::array kFields = {
      bytes_field(PlaneField::kLines),        bytes_field(PlaneField::kEventMetadata),
      bytes_field(PlaneField::kStatMetadata), bytes_field(PlaneField::kStats),
      varint_field(PlaneField::kId),          bytes_field(PlaneField::kName)};
  return holds_only(bytes, kFields, 4);
}

bool may_be_line(std::string_view bytes) {
  static constexpr std::array kFields = {
      bytes_field(LineField::kEvents),      varint_field(LineField::kId),
      bytes_field(LineField::kName),        varint_field(LineField::kTimestampNs),
      varint_field(LineField::kDurationPs), varint_field(LineField::kDisplayId),
      bytes_field(LineField::kDisplayName)};
  return holds_only(bytes, kFields, 1);
}

bool may_be_event(std::string_view bytes) {
  static constexpr std::array kFields = {
      varint_field(EventField::kMetadataId), varint_field(EventField::kOffsetPs),
      varint_field(EventField::kDurationPs), varint_field(EventField::kOccurrences),
      bytes_field(EventField::kStats)};
  return holds_only(bytes, kFields, 4);
}

bool may_be_stat(std::string_view bytes) {
  static constexpr std::array kFields = {
      varint_field(StatField::kMetadataId), fixed64_field(StatField::kDouble),
      varint_field(StatField::kUint64),     varint_field(StatField::kInt64),
      bytes_field(StatField::kString),      bytes_field(StatField::kBytes),
      varint_field(StatField::kRef)};
  return holds_only(bytes, kFields, 1);
}

}  // namespace lockstep::formats::xspace
