// Reading of interned data and defaults.
#include "formats/perfetto/decode/sequence_state.h"

#include <protozero/pbf_message.hpp>

#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/write/string_interner.h"

namespace lockstep::formats::perfetto {
namespace {

struct Entry {
  std::uint64_t iid = 0;
  std::string_view text;
};

Entry entry_of(protozero::data_view bytes) {
  Entry entry;
  protozero::pbf_message<InternedEntryField> message(bytes);
  while (message.next()) {
    switch (message.tag_and_type()) {
      case protozero::tag_and_type(InternedEntryField::kIid, protozero::pbf_wire_type::varint):
        entry.iid = message.get_uint64();
        break;
      case protozero::tag_and_type(InternedEntryField::kText,
                                   protozero::pbf_wire_type::length_delimited): {
        const protozero::data_view text = message.get_view();
        entry.text = {text.data(), text.size()};
        break;
      }
      default:
        message.skip();
    }
  }
  return entry;
}

void append_numbers(protozero::pbf_message<TrackEventDefaultsField>& message,
                    std::vector<std::uint64_t>& to) {
  if (message.wire_type() == protozero::pbf_wire_type::varint) {
    to.push_back(message.get_uint64());
  } else if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
    for (const std::uint64_t value : message.get_packed_uint64()) to.push_back(value);
  } else {
    message.skip();
  }
}

}  // namespace

void SequenceState::intern(protozero::data_view bytes, StringPool& strings) {
  protozero::pbf_message<InternedField> data(bytes);
  std::string scratch;
  while (data.next()) {
    if (data.wire_type() != protozero::pbf_wire_type::length_delimited) {
      data.skip();
      continue;
    }
    const InternedField field = data.tag();
    const protozero::data_view view = data.get_view();
    InternTable<StringId>* table = nullptr;
    switch (field) {
      case InternedField::kEventCategories:
        table = &categories;
        break;
      case InternedField::kEventNames:
        table = &event_names;
        break;
      case InternedField::kAnnotationStrings:
        table = &annotation_strings;
        break;
      case InternedField::kCorrelationTexts:
        table = &correlation_texts;
        break;
      case InternedField::kGpuSpecifications:
        table = &gpu_specifications;
        break;
      case InternedField::kAnnotationNames:
        break;
      default:
        continue;
    }
    const Entry entry = entry_of(view);
    const StringId text = strings.intern(as_utf8(entry.text, scratch));
    if (table != nullptr) {
      table->set(entry.iid, text);
    } else {
      annotation_names.set(entry.iid, {text, known_word(entry.text)});
    }
  }
}

void SequenceState::take_defaults(protozero::data_view bytes) {
  default_clock.reset();
  default_track.reset();
  default_counters.clear();
  default_double_counters.clear();
  protozero::pbf_message<PacketDefaultsField> defaults(bytes);
  while (defaults.next()) {
    if (defaults.tag() == PacketDefaultsField::kTimestampClockId &&
        defaults.wire_type() == protozero::pbf_wire_type::varint) {
      default_clock = defaults.get_uint32();
    } else if (defaults.tag() == PacketDefaultsField::kTrackEventDefaults &&
               defaults.wire_type() == protozero::pbf_wire_type::length_delimited) {
      protozero::pbf_message<TrackEventDefaultsField> event(defaults.get_view());
      while (event.next()) {
        if (event.tag() == TrackEventDefaultsField::kTrackUuid &&
            event.wire_type() == protozero::pbf_wire_type::varint) {
          default_track = event.get_uint64();
        } else if (event.tag() == TrackEventDefaultsField::kExtraCounterTracks) {
          append_numbers(event, default_counters);
        } else if (event.tag() == TrackEventDefaultsField::kExtraDoubleCounterTracks) {
          append_numbers(event, default_double_counters);
        } else {
          event.skip();
        }
      }
    } else {
      defaults.skip();
    }
  }
}

void SequenceState::clear() {
  const std::uint32_t own_id = id;
  *this = {};
  id = own_id;
}

}  // namespace lockstep::formats::perfetto
