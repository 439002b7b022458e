// Encoding of planes.
#include "formats/xspace/write/plane_encoder.h"

#include "base/text.h"

namespace lockstep::formats::xspace {
namespace {

using SpaceOfPlane = shared::MessageBuilder<PlaneField>;

// Strings of protobuf are UTF-8; parsers refuse a whole file for one that is not.
template <typename Builder, typename Field>
void add_text(Builder& builder, Field field, std::string_view text) {
  const std::string valid = valid_utf8(text);
  builder.add_string(field, valid.data(), valid.size());
}

std::string_view word_for(trace::Shape shape) {
  return shape == trace::Shape::kCounter   ? "counter"
         : shape == trace::Shape::kInstant ? "instant"
                                           : "";
}

}  // namespace

std::size_t PlaneEncoder::HashOfKey::operator()(const MetadataKey& key) const {
  std::uint64_t hash = std::uint64_t{static_cast<std::uint32_t>(key.name)} << 32 |
                       static_cast<std::uint32_t>(key.category);
  hash ^= (std::uint64_t{static_cast<std::uint8_t>(key.kind)} << 8 |
           static_cast<std::uint8_t>(key.shape))
          << 40;
  hash *= 0x9E37'79B9'7F4A'7C15;
  return hash ^ hash >> 32;
}

PlaneEncoder::PlaneEncoder(const trace::Trace& trace, std::int64_t id, std::string_view name)
    : trace_(trace) {
  SpaceOfPlane plane(plane_);
  if (id != 0) plane.add_int64(PlaneField::kId, id);
  add_text(plane, PlaneField::kName, name);
}

void PlaneEncoder::add_fact(std::string_view name, std::string_view text) {
  std::string stat;
  StatBuilder builder(stat);
  builder.add_uint64(StatField::kMetadataId, stat_id(name, {}));
  add_text(builder, StatField::kString, text);
  SpaceOfPlane(facts_).add_message(PlaneField::kStats, stat);
}

void PlaneEncoder::add_fact(std::string_view name, std::int64_t number) {
  std::string stat;
  StatBuilder builder(stat);
  builder.add_uint64(StatField::kMetadataId, stat_id(name, {}));
  if (number >= 0) {
    builder.add_uint64(StatField::kUint64, static_cast<std::uint64_t>(number));
  } else {
    builder.add_int64(StatField::kInt64, number);
  }
  SpaceOfPlane(facts_).add_message(PlaneField::kStats, stat);
}

void PlaneEncoder::begin_line(const LineHead& head) {
  line_.clear();
  shared::MessageBuilder<LineField> line(line_);
  line.add_int64(LineField::kId, head.id);
  add_text(line, LineField::kName, head.name);
  line.add_int64(LineField::kTimestampNs, head.timestamp_ns);
  if (!head.display_name.empty()) add_text(line, LineField::kDisplayName, head.display_name);
}

void PlaneEncoder::end_line() { SpaceOfPlane(plane_).add_message(PlaneField::kLines, line_); }

std::uint64_t PlaneEncoder::event_metadata(StringId name, StringId category, trace::Kind kind,
                                           trace::Shape shape) {
  const auto [known, is_new] =
      event_ids_.try_emplace(MetadataKey{name, category, kind, shape}, next_event_id_);
  if (!is_new) return known->second;
  std::string value;
  {
    shared::MessageBuilder<EventMetadataField> metadata(value);
    metadata.add_uint64(EventMetadataField::kId, next_event_id_);
    add_text(metadata, EventMetadataField::kName, trace_.text(name));
    add_own_stat(metadata, kKindStat, name_of(kind));
    if (category != kEmptyString) add_own_stat(metadata, kCategoryStat, trace_.text(category));
    if (shape != trace::Shape::kSpan) add_own_stat(metadata, kShapeStat, word_for(shape));
  }
  shared::MessageBuilder<PlaneField> map(event_metadata_);
  shared::MessageBuilder<MapEntryField> entry(map, PlaneField::kEventMetadata);
  entry.add_uint64(MapEntryField::kKey, next_event_id_);
  entry.add_message(MapEntryField::kValue, value);
  return next_event_id_++;
}

std::uint64_t PlaneEncoder::event_metadata(std::string_view name) {
  const auto [known, is_new] = own_event_ids_.try_emplace(std::string(name), next_event_id_);
  if (!is_new) return known->second;
  shared::MessageBuilder<PlaneField> map(event_metadata_);
  shared::MessageBuilder<MapEntryField> entry(map, PlaneField::kEventMetadata);
  entry.add_uint64(MapEntryField::kKey, next_event_id_);
  shared::MessageBuilder<EventMetadataField> metadata(entry, MapEntryField::kValue);
  metadata.add_uint64(EventMetadataField::kId, next_event_id_);
  add_text(metadata, EventMetadataField::kName, name);
  return next_event_id_++;
}

void PlaneEncoder::add_own_stat(shared::MessageBuilder<EventMetadataField>& metadata,
                                std::string_view name, std::string_view text) {
  StatBuilder stat(metadata, EventMetadataField::kStats);
  stat.add_uint64(StatField::kMetadataId, stat_id(name, {}));
  stat.add_uint64(StatField::kRef, stat_id(text, {}));
}

std::uint64_t PlaneEncoder::stat_id(std::string_view name, std::string_view mark) {
  std::string key(name);
  key.append(1, '\0').append(mark);
  const auto [known, is_new] = stat_ids_.try_emplace(std::move(key), next_stat_id_);
  if (is_new) write_stat_metadata(next_stat_id_++, name, mark);
  return known->second;
}

std::uint64_t PlaneEncoder::reference(StringId text) {
  const auto [known, is_new] = references_.try_emplace(static_cast<std::uint32_t>(text), 0);
  if (is_new) known->second = stat_id(trace_.text(text), {});
  return known->second;
}

void PlaneEncoder::write_stat_metadata(std::uint64_t id, std::string_view name,
                                       std::string_view mark) {
  shared::MessageBuilder<PlaneField> map(stat_metadata_);
  shared::MessageBuilder<MapEntryField> entry(map, PlaneField::kStatMetadata);
  entry.add_uint64(MapEntryField::kKey, id);
  shared::MessageBuilder<StatMetadataField> metadata(entry, MapEntryField::kValue);
  metadata.add_uint64(StatMetadataField::kId, id);
  add_text(metadata, StatMetadataField::kName, name);
  if (!mark.empty()) add_text(metadata, StatMetadataField::kDescription, mark);
}

void PlaneEncoder::add_argument(EventBuilder& event, const trace::Argument& argument) {
  const std::string_view mark = argument.type == trace::Argument::Type::kBoolean ? kBooleanMark
                                : argument.type == trace::Argument::Type::kJson
                                    ? kJsonMark
                                    : std::string_view();
  const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(argument.key)} << 8 |
                            (mark.empty() ? 0 : static_cast<std::uint64_t>(argument.type) + 1);
  const auto [known, is_new] = argument_ids_.try_emplace(key, 0);
  if (is_new) known->second = stat_id(trace_.text(argument.key), mark);
  StatBuilder stat(event, EventField::kStats);
  stat.add_uint64(StatField::kMetadataId, known->second);
  switch (argument.type) {
    case trace::Argument::Type::kInteger:
      return stat.add_int64(StatField::kInt64, argument.as_integer());
    case trace::Argument::Type::kReal:
      return stat.add_double(StatField::kDouble, argument.as_real());
    case trace::Argument::Type::kBoolean:
      return stat.add_uint64(StatField::kUint64, argument.as_boolean() ? 1 : 0);
    case trace::Argument::Type::kString:
    case trace::Argument::Type::kJson:
      return stat.add_uint64(StatField::kRef, reference(argument.as_string()));
  }
}

void PlaneEncoder::add_column(EventBuilder& event, std::string_view name, std::int64_t value) {
  StatBuilder stat(event, EventField::kStats);
  stat.add_uint64(StatField::kMetadataId, stat_id(name, kColumnMark));
  if (value >= 0) {
    stat.add_uint64(StatField::kUint64, static_cast<std::uint64_t>(value));
  } else {
    stat.add_int64(StatField::kInt64, value);
  }
}

void PlaneEncoder::add_column(EventBuilder& event, std::string_view name, StringId text) {
  StatBuilder stat(event, EventField::kStats);
  stat.add_uint64(StatField::kMetadataId, stat_id(name, kColumnMark));
  stat.add_uint64(StatField::kRef, reference(text));
}

void PlaneEncoder::add_flow(EventBuilder& event, std::string_view mark, std::uint64_t value) {
  StatBuilder stat(event, EventField::kStats);
  stat.add_uint64(StatField::kMetadataId, stat_id("flow", mark));
  stat.add_uint64(StatField::kUint64, value);
}

const std::string& PlaneEncoder::finish() {
  plane_ += event_metadata_;
  plane_ += stat_metadata_;
  plane_ += facts_;
  return plane_;
}

}  // namespace lockstep::formats::xspace
