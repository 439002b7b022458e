// Fields of TrackEvent and LegacyEvent.
#include "formats/perfetto/decode/track_event_decoder.h"

#include <utility>

#include <protozero/pbf_message.hpp>

#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/wire/text_limits.h"
#include "formats/perfetto/write/string_interner.h"

namespace lockstep::formats::perfetto {
namespace {

using Wire = protozero::pbf_wire_type;
using Field = TrackEventField;

// Correlations that are texts are told apart by their string, above all numbers that occur.
constexpr std::int64_t kTextCorrelations = std::int64_t{1} << 48;
constexpr std::uint64_t kNumberCorrelations = ~std::uint64_t{0} >> 1;

constexpr std::uint32_t event_tag(Field field, Wire type) {
  return protozero::tag_and_type(field, type);
}

void append_varints(protozero::pbf_message<Field>& message, std::vector<std::uint64_t>& to) {
  if (message.wire_type() == Wire::varint) {
    to.push_back(message.get_uint64());
  } else {
    for (const std::uint64_t value : message.get_packed_uint64()) to.push_back(value);
  }
}

void append_fixed(protozero::pbf_message<Field>& message, std::vector<std::uint64_t>& to) {
  if (message.wire_type() == Wire::fixed64) {
    to.push_back(message.get_fixed64());
  } else {
    for (const std::uint64_t value : message.get_packed_fixed64()) to.push_back(value);
  }
}

// Fields without which an event is not what it was.
bool is_basic(Field field) {
  switch (field) {
    case Field::kType:
    case Field::kTrackUuid:
    case Field::kNameIid:
    case Field::kName:
    case Field::kDebugAnnotations:
    case Field::kCounterValue:
    case Field::kDoubleCounterValue:
    case Field::kFlowIds:
    case Field::kTerminatingFlowIds:
      return true;
    default:
      return false;
  }
}

// Empties it and keeps the room of its lists.
void start_afresh(DecodedEvent& event) {
  DecodedEvent fresh;
  fresh.extra_counters = std::move(event.extra_counters);
  fresh.flow_ids = std::move(event.flow_ids);
  fresh.terminating_flow_ids = std::move(event.terminating_flow_ids);
  fresh.annotations = std::move(event.annotations);
  fresh.extra_counters.clear();
  fresh.flow_ids.clear();
  fresh.terminating_flow_ids.clear();
  fresh.annotations.clear();
  event = std::move(fresh);
}

}  // namespace

StringId TrackEventDecoder::intern(protozero::data_view text) {
  return strings_.intern(as_utf8({text.data(), text.size()}, scratch_));
}

StringId TrackEventDecoder::look_up(const InternTable<StringId>& table, std::uint64_t iid) {
  const StringId* found = table.find(iid);
  event_.misses_string |= found == nullptr;
  return found == nullptr ? kEmptyString : *found;
}

void TrackEventDecoder::add_category(StringId category) {
  if (category == kEmptyString) return;
  if (category_count_++ == 0) {
    event_.category = category;
    return;
  }
  const std::string_view first = strings_.view(event_.category);
  const std::string_view text = strings_.view(category);
  const std::size_t before = joined_categories_.empty() ? first.size() : joined_categories_.size();
  if (category_count_ > kMaxCategories || before + 1 + text.size() > kMaxNameBytes) {
    event_.has_long_text = true;
    return;
  }
  if (joined_categories_.empty()) joined_categories_ = first;
  joined_categories_.append(",").append(text);
}

const DecodedEvent& TrackEventDecoder::decode(protozero::data_view bytes,
                                              const SequenceState& sequence) {
  start_afresh(event_);
  joined_categories_.clear();
  category_count_ = 0;
  counter_tracks_.clear();
  counter_values_.clear();
  double_counter_tracks_.clear();
  double_counter_values_.clear();
  protozero::pbf_message<Field> message(bytes);
  while (message.next()) {
    switch (message.tag_and_type()) {
      case event_tag(Field::kType, Wire::varint):
        event_.type = message.get_enum();
        break;
      case event_tag(Field::kTrackUuid, Wire::varint):
        event_.track_uuid = message.get_uint64();
        break;
      case event_tag(Field::kNameIid, Wire::varint):
        event_.name = look_up(sequence.event_names, message.get_uint64());
        break;
      case event_tag(Field::kName, Wire::length_delimited):
        event_.name = intern(message.get_view());
        break;
      case event_tag(Field::kCategoryIids, Wire::varint):
        add_category(look_up(sequence.categories, message.get_uint64()));
        break;
      case event_tag(Field::kCategoryIids, Wire::length_delimited):
        for (const std::uint64_t iid : message.get_packed_uint64()) {
          add_category(look_up(sequence.categories, iid));
        }
        break;
      case event_tag(Field::kCategories, Wire::length_delimited):
        add_category(intern(message.get_view()));
        break;
      case event_tag(Field::kDebugAnnotations, Wire::length_delimited):
        annotations_.decode(message.get_view(), sequence, event_.annotations);
        break;
      case event_tag(Field::kLegacyEvent, Wire::length_delimited):
        decode_legacy(message.get_view(), sequence);
        break;
      case event_tag(Field::kTimestampDeltaUs, Wire::varint):
        event_.time_delta_us = message.get_int64();
        break;
      case event_tag(Field::kTimestampAbsoluteUs, Wire::varint):
        event_.time_absolute_us = message.get_int64();
        break;
      case event_tag(Field::kCounterValue, Wire::varint):
        event_.counter = {0, false, message.get_int64(), 0};
        break;
      case event_tag(Field::kDoubleCounterValue, Wire::fixed64):
        event_.counter = {0, true, 0, message.get_double()};
        break;
      case event_tag(Field::kCorrelationId, Wire::varint):
        event_.correlation = static_cast<std::int64_t>(message.get_uint64() & kNumberCorrelations);
        break;
      case event_tag(Field::kCorrelationText, Wire::length_delimited):
        event_.correlation =
            kTextCorrelations + static_cast<std::int64_t>(intern(message.get_view()));
        break;
      case event_tag(Field::kCorrelationIid, Wire::varint):
        event_.correlation =
            kTextCorrelations +
            static_cast<std::int64_t>(look_up(sequence.correlation_texts, message.get_uint64()));
        break;
      default:
        if (decode_list(message)) break;
        event_.has_wrong_type |= is_basic(message.tag());
        message.skip();
    }
  }
  if (!joined_categories_.empty()) event_.category = strings_.intern(joined_categories_);
  pair_extra_counters(sequence);
  event_.misses_string |= event_.annotations.misses_string;
  if (!event_.correlation) event_.correlation = event_.annotations.correlation;
  return event_;
}

// The fields that hold many numbers, packed or one by one; false when it is another.
bool TrackEventDecoder::decode_list(protozero::pbf_message<TrackEventField>& message) {
  switch (message.tag_and_type()) {
    case event_tag(Field::kExtraCounterTracks, Wire::varint):
    case event_tag(Field::kExtraCounterTracks, Wire::length_delimited):
      append_varints(message, counter_tracks_);
      return true;
    case event_tag(Field::kExtraCounterValues, Wire::varint):
      counter_values_.push_back(message.get_int64());
      return true;
    case event_tag(Field::kExtraCounterValues, Wire::length_delimited):
      for (const std::int64_t value : message.get_packed_int64()) {
        counter_values_.push_back(value);
      }
      return true;
    case event_tag(Field::kExtraDoubleCounterTracks, Wire::varint):
    case event_tag(Field::kExtraDoubleCounterTracks, Wire::length_delimited):
      append_varints(message, double_counter_tracks_);
      return true;
    case event_tag(Field::kExtraDoubleCounterValues, Wire::fixed64):
      double_counter_values_.push_back(message.get_double());
      return true;
    case event_tag(Field::kExtraDoubleCounterValues, Wire::length_delimited):
      for (const double value : message.get_packed_double()) {
        double_counter_values_.push_back(value);
      }
      return true;
    case event_tag(Field::kFlowIds, Wire::fixed64):
    case event_tag(Field::kFlowIds, Wire::length_delimited):
      append_fixed(message, event_.flow_ids);
      return true;
    case event_tag(Field::kTerminatingFlowIds, Wire::fixed64):
    case event_tag(Field::kTerminatingFlowIds, Wire::length_delimited):
      append_fixed(message, event_.terminating_flow_ids);
      return true;
    case event_tag(Field::kOldFlowIds, Wire::varint):
    case event_tag(Field::kOldFlowIds, Wire::length_delimited):
      append_varints(message, event_.flow_ids);
      return true;
    case event_tag(Field::kOldTerminatingFlowIds, Wire::varint):
    case event_tag(Field::kOldTerminatingFlowIds, Wire::length_delimited):
      append_varints(message, event_.terminating_flow_ids);
      return true;
    default:
      return false;
  }
}

void TrackEventDecoder::decode_legacy(protozero::data_view bytes, const SequenceState& sequence) {
  LegacyFacts& legacy = event_.legacy;
  protozero::pbf_message<LegacyEventField> message(bytes);
  while (message.next()) {
    if (message.tag() == LegacyEventField::kIdScope &&
        message.wire_type() == Wire::length_delimited) {
      legacy.id_name = intern(message.get_view());
      continue;
    }
    if (message.wire_type() != Wire::varint) {
      message.skip();
      continue;
    }
    switch (message.tag()) {
      case LegacyEventField::kNameIid:
        event_.name = look_up(sequence.event_names, message.get_uint64());
        break;
      case LegacyEventField::kPhase: {
        const std::int32_t phase = message.get_int32();
        legacy.phase = phase > 0 && phase < 128 ? static_cast<char>(phase) : '?';
        break;
      }
      case LegacyEventField::kDurationUs:
        legacy.duration_us = message.get_int64();
        break;
      case LegacyEventField::kUnscopedId:
        legacy.id_scope = LegacyFacts::IdScope::kUnscoped;
        legacy.id = message.get_uint64();
        break;
      case LegacyEventField::kLocalId:
        legacy.id_scope = LegacyFacts::IdScope::kLocal;
        legacy.id = message.get_uint64();
        break;
      case LegacyEventField::kGlobalId:
        legacy.id_scope = LegacyFacts::IdScope::kGlobal;
        legacy.id = message.get_uint64();
        break;
      case LegacyEventField::kBindId:
        legacy.bind_id = message.get_uint64();
        break;
      case LegacyEventField::kFlowDirection:
        legacy.flow_direction = message.get_enum();
        break;
      case LegacyEventField::kPidOverride:
        legacy.pid = message.get_int32();
        break;
      case LegacyEventField::kTidOverride:
        legacy.tid = message.get_int32();
        break;
      default:
        message.skip();
    }
  }
}

// Values belong to the tracks at the same places, of the event or of the sequence's defaults.
void TrackEventDecoder::pair_extra_counters(const SequenceState& sequence) {
  const auto& tracks = counter_tracks_.empty() ? sequence.default_counters : counter_tracks_;
  for (std::size_t i = 0; i < counter_values_.size() && i < tracks.size(); ++i) {
    event_.extra_counters.push_back({tracks[i], false, counter_values_[i], 0});
  }
  const auto& reals =
      double_counter_tracks_.empty() ? sequence.default_double_counters : double_counter_tracks_;
  for (std::size_t i = 0; i < double_counter_values_.size() && i < reals.size(); ++i) {
    event_.extra_counters.push_back({reals[i], true, 0, double_counter_values_[i]});
  }
}

}  // namespace lockstep::formats::perfetto
