// Typing of annotations.
#include "formats/perfetto/decode/annotation_decoder.h"

#include <algorithm>
#include <bit>
#include <limits>

#include <protozero/pbf_message.hpp>

#include "base/json_quote.h"
#include "formats/perfetto/decode/json_append.h"
#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/perfetto/write/string_interner.h"

namespace lockstep::formats::perfetto {
namespace {

using Wire = protozero::pbf_wire_type;
using Message = protozero::pbf_message<AnnotationField>;

// Inside each other; people write two or three.
constexpr int kMaxDepth = 32;

constexpr std::uint32_t annotation_tag(AnnotationField field, Wire type) {
  return protozero::tag_and_type(field, type);
}

bool fits_int64(std::uint64_t value) {
  return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

void AnnotationFacts::clear() {
  std::vector<trace::Argument> kept = std::move(arguments);
  kept.clear();
  *this = {};
  arguments = std::move(kept);
}

StringId AnnotationDecoder::intern(protozero::data_view text) {
  return strings_.intern(as_utf8({text.data(), text.size()}, scratch_));
}

bool AnnotationDecoder::read(protozero::data_view bytes, const SequenceState& sequence,
                             bool wants_all, AnnotationName& name, Value& value,
                             AnnotationFacts& facts) {
  Message message(bytes);
  while (message.next()) {
    switch (message.tag_and_type()) {
      case annotation_tag(AnnotationField::kNameIid, Wire::varint): {
        const AnnotationName* known = sequence.annotation_names.find(message.get_uint64());
        facts.misses_string |= known == nullptr;
        if (known != nullptr) name = *known;
        if (!wants_all && !is_wanted(name.word)) return false;
        break;
      }
      case annotation_tag(AnnotationField::kName, Wire::length_delimited): {
        const protozero::data_view text = message.get_view();
        name.word = known_word({text.data(), text.size()});
        if (!wants_all && !is_wanted(name.word)) return false;
        name.text = intern(text);
        break;
      }
      case annotation_tag(AnnotationField::kBool, Wire::varint):
        value = {Value::Type::kBool, message.get_bool() ? 1U : 0U, {}};
        break;
      case annotation_tag(AnnotationField::kUint, Wire::varint):
      case annotation_tag(AnnotationField::kPointer, Wire::varint):
        value = {Value::Type::kUint, message.get_uint64(), {}};
        break;
      case annotation_tag(AnnotationField::kInt, Wire::varint):
        value = {Value::Type::kInt, static_cast<std::uint64_t>(message.get_int64()), {}};
        break;
      case annotation_tag(AnnotationField::kDouble, Wire::fixed64):
        value = {Value::Type::kDouble, std::bit_cast<std::uint64_t>(message.get_double()), {}};
        break;
      case annotation_tag(AnnotationField::kString, Wire::length_delimited):
        value = {Value::Type::kText, 0, intern(message.get_view())};
        break;
      case annotation_tag(AnnotationField::kLegacyJson, Wire::length_delimited):
        value = {Value::Type::kJson, 0, intern(message.get_view())};
        break;
      case annotation_tag(AnnotationField::kStringIid, Wire::varint): {
        const StringId* known = sequence.annotation_strings.find(message.get_uint64());
        facts.misses_string |= known == nullptr;
        value = {Value::Type::kText, 0, known == nullptr ? kEmptyString : *known};
        break;
      }
      case annotation_tag(AnnotationField::kDictEntries, Wire::length_delimited):
      case annotation_tag(AnnotationField::kArrayValues, Wire::length_delimited):
      case annotation_tag(AnnotationField::kNested, Wire::length_delimited):
        value.type = Value::Type::kNested;
        message.skip();
        break;
      default:
        message.skip();
    }
  }
  return true;
}

void AnnotationDecoder::decode(protozero::data_view bytes, const SequenceState& sequence,
                               AnnotationFacts& facts) {
  AnnotationName name;
  Value value;
  const bool keeps_all = keep_arguments_ == trace::KeepArguments::kAll;
  if (!read(bytes, sequence, keeps_all, name, value, facts)) return;
  if (name.word != KnownWord::kNone) {
    take_word(name.word, value, bytes, sequence, facts);
    if (name.word < KnownWord::kCorrelation) return;  // our own: no argument of the event
  }
  const bool keeps_evidence = keep_arguments_ == trace::KeepArguments::kEvidence;
  if (keeps_all || (keeps_evidence && name.word == KnownWord::kEvidence)) {
    facts.arguments.push_back(argument(name.text, value, bytes, sequence, facts));
  }
}

void AnnotationDecoder::take_word(KnownWord word, const Value& value, protozero::data_view bytes,
                                  const SequenceState& sequence, AnnotationFacts& facts) {
  std::optional<std::int64_t> number;
  const bool is_small = value.type == Value::Type::kUint && fits_int64(value.bits);
  if (value.type == Value::Type::kInt || is_small) number = static_cast<std::int64_t>(value.bits);
  switch (word) {
    case KnownWord::kKind:
      if (value.type == Value::Type::kText) facts.kind = value.text;
      return;
    case KnownWord::kShape:
      facts.is_counter = true;  // the only one that needs to be said
      return;
    case KnownWord::kStartPs:
      facts.start_ps = number;
      return;
    case KnownWord::kDurationPs:
      facts.duration_ps = number;
      return;
    case KnownWord::kOwnCorrelation:
      facts.own_correlation = number;
      return;
    case KnownWord::kCollective:
      return take_collective(bytes, sequence, facts);
    case KnownWord::kCorrelation:
      if (number && *number >= 0) facts.correlation = number;
      return;
    case KnownWord::kAgent:
      facts.agent = as_text(value);
      return;
    case KnownWord::kSourceAgent:
      facts.source_agent = as_text(value);
      return;
    case KnownWord::kTargetAgent:
      facts.target_agent = as_text(value);
      return;
    case KnownWord::kStream:
      facts.stream = as_text(value);
      return;
    case KnownWord::kEvidence:
    case KnownWord::kNone:
      return;
  }
}

StringId AnnotationDecoder::as_text(const Value& value) {
  if (value.type == Value::Type::kText) return value.text;
  if (value.type == Value::Type::kInt) {
    return strings_.intern(std::to_string(static_cast<std::int64_t>(value.bits)));
  }
  if (value.type == Value::Type::kUint) return strings_.intern(std::to_string(value.bits));
  return kEmptyString;
}

// As EventEncoder::write_collective() writes it.
void AnnotationDecoder::take_collective(protozero::data_view bytes, const SequenceState& sequence,
                                        AnnotationFacts& facts) {
  trace::Collective made;
  Message message(bytes);
  while (message.next(AnnotationField::kDictEntries, Wire::length_delimited)) {
    const protozero::data_view entry = message.get_view();
    AnnotationName name;
    Value value;
    (void)read(entry, sequence, true, name, value, facts);
    const std::string_view key = strings_.view(name.text);
    const auto number = static_cast<std::int64_t>(value.bits);
    const bool is_text = value.type == Value::Type::kText;
    const bool is_number = value.type == Value::Type::kInt;
    if (is_text && key == "op") made.op = value.text;
    if (is_text && key == "group") made.group = value.text;
    if (is_text && key == "dtype") made.dtype = value.text;
    if (is_number && key == "sequence") made.sequence = number;
    if (is_number && key == "elements_in") made.elements_in = number;
    if (is_number && key == "elements_out") made.elements_out = number;
    if (is_number && key == "bytes") made.bytes = number;
    if (is_number && key == "transit_ps") made.transit = Time{number};
    if (is_number && key == "wait_ps") made.wait = Time{number};
    if (is_number && key == "idle_ps") made.idle = Time{number};
  }
  facts.collective = made;
}

trace::Argument AnnotationDecoder::argument(StringId key, const Value& value,
                                            protozero::data_view bytes,
                                            const SequenceState& sequence, AnnotationFacts& facts) {
  switch (value.type) {
    case Value::Type::kBool:
      return trace::Argument::boolean(key, value.bits != 0);
    case Value::Type::kInt:
      return trace::Argument::integer(key, static_cast<std::int64_t>(value.bits));
    case Value::Type::kUint:
      if (fits_int64(value.bits)) {
        return trace::Argument::integer(key, static_cast<std::int64_t>(value.bits));
      }
      return trace::Argument::json(key, strings_.intern(std::to_string(value.bits)));
    case Value::Type::kDouble:
      return trace::Argument::real(key, std::bit_cast<double>(value.bits));
    case Value::Type::kText:
      return trace::Argument::string(key, value.text);
    case Value::Type::kJson:
      return trace::Argument::json(key, value.text);
    case Value::Type::kNone:
      return trace::Argument::json(key, strings_.intern("null"));
    case Value::Type::kNested:
      break;
  }
  std::string json;
  budget_.earn(bytes.size());
  limit_ = std::min(kMaxAnnotationBytes, budget_.left());
  is_cut_ = false;
  append_json(bytes, sequence, 0, json, facts);
  facts.is_too_long |= is_cut_;
  const std::size_t known_strings = strings_.size();
  const StringId text = strings_.intern(json);
  budget_.spend(json.size(), strings_.size() != known_strings);
  return trace::Argument::json(key, text);
}

bool AnnotationDecoder::has_room(std::string_view text, const std::string& json) {
  is_cut_ |= json.size() >= limit_ || text.size() > limit_ - json.size();
  return !is_cut_;
}

void AnnotationDecoder::append_scalar(const Value& value, std::string& json) {
  switch (value.type) {
    case Value::Type::kBool:
      json += value.bits != 0 ? "true" : "false";
      return;
    case Value::Type::kInt:
      json += std::to_string(static_cast<std::int64_t>(value.bits));
      return;
    case Value::Type::kUint:
      json += std::to_string(value.bits);
      return;
    case Value::Type::kDouble:
      return append_json_number(std::bit_cast<double>(value.bits), json);
    case Value::Type::kText:
    case Value::Type::kJson:  // may be no JSON at all: kept as text
      if (has_room(strings_.view(value.text), json)) {
        return append_quoted_json(strings_.view(value.text), json);
      }
      [[fallthrough]];
    case Value::Type::kNone:
    case Value::Type::kNested:
      json += "null";
      return;
  }
}

void AnnotationDecoder::append_json(protozero::data_view annotation, const SequenceState& sequence,
                                    int depth, std::string& json, AnnotationFacts& facts) {
  AnnotationName name;
  Value value;
  (void)read(annotation, sequence, true, name, value, facts);
  if (value.type != Value::Type::kNested) return append_scalar(value, json);
  if (depth == kMaxDepth) {
    facts.is_too_deep = true;
    json += "null";
    return;
  }
  char open = '\0';
  Message message(annotation);
  while (!is_cut_ && message.next()) {
    const bool is_bytes = message.wire_type() == Wire::length_delimited;
    const AnnotationField field = message.tag();
    if (is_bytes && field == AnnotationField::kNested && open == '\0') {
      return append_nested(message.get_view(), depth + 1, json, facts);
    }
    const bool is_dict = field == AnnotationField::kDictEntries;
    if (!is_bytes || (!is_dict && field != AnnotationField::kArrayValues) ||
        (open != '\0' && (open == '{') != is_dict)) {
      message.skip();
      continue;
    }
    const protozero::data_view entry = message.get_view();
    AnnotationName key;
    if (is_dict) {
      Value ignored;
      (void)read(entry, sequence, true, key, ignored, facts);
    }
    if (!has_room(strings_.view(key.text), json)) break;
    json += open == '\0' ? (is_dict ? '{' : '[') : ',';
    open = is_dict ? '{' : '[';
    if (is_dict) {
      append_quoted_json(strings_.view(key.text), json);
      json += ':';
    }
    append_json(entry, sequence, depth + 1, json, facts);
  }
  json += open == '{' ? "}" : open == '[' ? "]" : "null";
}

void AnnotationDecoder::append_nested(protozero::data_view nested, int depth, std::string& json,
                                      AnnotationFacts& facts) {
  if (depth >= kMaxDepth) {
    facts.is_too_deep = true;
    json += "null";
    return;
  }
  std::vector<protozero::data_view> keys;
  std::vector<protozero::data_view> values;
  Value scalar;
  bool is_list = false;
  protozero::pbf_message<NestedField> message(nested);
  while (message.next()) {
    const bool is_bytes = message.wire_type() == Wire::length_delimited;
    const bool is_number = message.wire_type() == Wire::varint;
    const NestedField field = message.tag();
    if (is_bytes && field == NestedField::kDictKeys) {
      keys.push_back(message.get_view());
    } else if (is_bytes &&
               (field == NestedField::kDictValues || field == NestedField::kArrayValues)) {
      values.push_back(message.get_view());
      is_list |= field == NestedField::kArrayValues;
    } else if (is_number && field == NestedField::kInt) {
      scalar = {Value::Type::kInt, static_cast<std::uint64_t>(message.get_int64()), {}};
    } else if (is_number && field == NestedField::kBool) {
      scalar = {Value::Type::kBool, message.get_bool() ? 1U : 0U, {}};
    } else if (field == NestedField::kDouble && message.wire_type() == Wire::fixed64) {
      scalar = {Value::Type::kDouble, std::bit_cast<std::uint64_t>(message.get_double()), {}};
    } else if (is_bytes && field == NestedField::kString) {
      scalar = {Value::Type::kText, 0, intern(message.get_view())};
    } else {
      message.skip();
    }
  }
  if (values.empty()) return append_scalar(scalar, json);
  json += is_list ? '[' : '{';
  for (std::size_t i = 0; i < values.size() && !is_cut_; ++i) {
    if (i > 0) json += ',';
    if (!is_list) {
      const bool has_key = i < keys.size();
      append_quoted_json(has_key ? strings_.view(intern(keys[i])) : std::to_string(i), json);
      json += ':';
    }
    append_nested(values[i], depth + 1, json, facts);
  }
  json += is_list ? ']' : '}';
}

}  // namespace lockstep::formats::perfetto
