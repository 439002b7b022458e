// Events through simdjson's on-demand parser, a window at a time.
#include "formats/chrome_json/event_parser.h"

#include <cstring>
#include <string>

// Errors are returned, never thrown, on this path.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "formats/chrome_json/json_text.h"

namespace lockstep::chrome_json {
namespace {

namespace sj = simdjson;
namespace od = simdjson::ondemand;

static_assert(WindowBuffer::kBack >= sj::SIMDJSON_PADDING);

enum class Field : std::uint8_t {
  kPhase,
  kName,
  kCategory,
  kPid,
  kTid,
  kTime,
  kDuration,
  kId,
  kBindPoint,
  kScope,
  kArguments,
  kOther,
};

// `key` points behind the opening quote of a key that is known to be closed by a quote.
Field field_of(const char* key) {
  const auto is = [key](std::string_view name) {
    return std::memcmp(key, name.data(), name.size()) == 0 && key[name.size()] == '"';
  };
  switch (key[0]) {
    case 'p':
      if (is("ph")) return Field::kPhase;
      return is("pid") ? Field::kPid : Field::kOther;
    case 't':
      if (is("ts")) return Field::kTime;
      return is("tid") ? Field::kTid : Field::kOther;
    case 'n':
      return is("name") ? Field::kName : Field::kOther;
    case 'c':
      return is("cat") ? Field::kCategory : Field::kOther;
    case 'd':
      return is("dur") ? Field::kDuration : Field::kOther;
    case 'a':
      return is("args") ? Field::kArguments : Field::kOther;
    case 'i':
      return is("id") ? Field::kId : Field::kOther;
    case 'b':
      return is("bp") ? Field::kBindPoint : Field::kOther;
    case 's':
      return is("s") ? Field::kScope : Field::kOther;
    default:
      return Field::kOther;
  }
}

Token* token_of(RawEvent& event, Field field) {
  switch (field) {
    case Field::kPhase:
      return &event.phase;
    case Field::kName:
      return &event.name;
    case Field::kCategory:
      return &event.category;
    case Field::kPid:
      return &event.pid;
    case Field::kTid:
      return &event.tid;
    case Field::kTime:
      return &event.time;
    case Field::kDuration:
      return &event.duration;
    case Field::kId:
      return &event.id;
    case Field::kBindPoint:
      return &event.bind_point;
    case Field::kScope:
      return &event.scope;
    case Field::kArguments:
    case Field::kOther:
      return nullptr;
  }
  return nullptr;
}

Token scalar(std::string_view raw) {
  if (raw.empty() || raw.front() == '{' || raw.front() == '[') return {};
  const bool quoted = raw.front() == '"';
  return {without_quotes(raw), quoted, true};
}

bool is_nested(std::string_view raw) {
  return !raw.empty() && (raw.front() == '{' || raw.front() == '[');
}

}  // namespace

struct EventParser::Machine {
  od::parser parser;
  RawEvent event;

  void clear(std::string_view text, std::uint64_t offset) {
    event.phase = event.name = event.category = event.pid = event.tid = {};
    event.time = event.duration = event.id = event.bind_point = event.scope = {};
    event.arguments.clear();
    event.arguments_damaged = false;
    event.seen = 0;
    event.duplicate_key = false;
    event.repaired = false;
    event.text = text;
    event.offset = offset;
  }

  void note_seen(Field field) {
    const std::uint32_t bit = 1U << static_cast<unsigned>(field);
    event.duplicate_key |= (event.seen & bit) != 0;
    event.seen |= bit;
  }

  // Reads all fields of `object` into `event`; false when it is not valid JSON.
  bool read_fields(od::object object, EventHandler& handler) {
    for (auto entry : object) {
      od::field field;
      if (std::move(entry).get(field) != sj::SUCCESS) return false;
      const Field which = field_of(field.key().raw());
      if (which == Field::kOther) continue;
      note_seen(which);
      if (which == Field::kArguments) {
        if (!read_arguments(field.value(), handler.arguments_needed(event))) return false;
        continue;
      }
      *token_of(event, which) = scalar(field.value().raw_json_token());
    }
    return true;
  }

  bool read_arguments(od::value& value, ArgumentNeed need) {
    event.arguments.clear();
    if (need == ArgumentNeed::kNone) return true;
    od::object object;
    const auto code = value.get_object().get(object);
    if (code == sj::INCORRECT_TYPE) return true;  // "args": null
    if (code != sj::SUCCESS) return false;
    for (auto entry : object) {
      od::field field;
      if (std::move(entry).get(field) != sj::SUCCESS) return false;
      if (!read_argument(field, need)) return false;
      if (need == ArgumentNeed::kFirst) break;
    }
    return true;
  }

  bool read_argument(od::field& field, ArgumentNeed need) {
    // The key ends at the quote before the colon that stands before the value's token.
    const char* key = field.key().raw();
    const char* end = key;
    while (*end != '"') end += *end == '\\' ? 2 : 1;
    const std::string_view name(key, static_cast<std::size_t>(end - key));
    const std::string_view token = field.value().raw_json_token();
    if (!is_nested(token)) {
      event.arguments.push_back({name, token});
      return true;
    }
    if (need != ArgumentNeed::kAll) return true;
    std::string_view text;
    if (token.front() == '[') {
      od::array list;
      if (field.value().get_array().get(list) != sj::SUCCESS) return false;
      if (list.raw_json().get(text) != sj::SUCCESS) return false;
    } else {
      od::object nested;
      if (field.value().get_object().get(nested) != sj::SUCCESS) return false;
      if (nested.raw_json().get(text) != sj::SUCCESS) return false;
    }
    event.arguments.push_back({name, text});
    return true;
  }

  // `padded` is followed by readable padding.
  bool read_one(const char* padded, std::size_t size, std::uint64_t offset, EventHandler& handler) {
    clear({padded, size}, offset);
    od::document document;
    if (parser.iterate(padded, size, size + sj::SIMDJSON_PADDING).get(document) != sj::SUCCESS) {
      return false;
    }
    od::object object;
    if (document.get_object().get(object) != sj::SUCCESS) return false;
    return read_fields(object, handler);
  }
};

EventParser::EventParser(EventHandler& handler)
    : handler_(handler), machine_(std::make_unique<Machine>()) {}

EventParser::~EventParser() = default;

std::size_t EventParser::parse_window(char* window, std::span<const EventCut> cuts,
                                      std::uint64_t offset) {
  if (cuts.empty()) return 0;
  // The cuts as one list: the bytes around them become its brackets for the time of the parse.
  char* const first = window + cuts.front().begin - 1;
  char* const last = window + cuts.back().end;
  const char before = *first;
  const char behind = *last;
  *first = '[';
  *last = ']';
  std::size_t done = 0;
  const std::size_t size = static_cast<std::size_t>(last - first) + 1;
  od::document document;
  od::array list;
  if (machine_->parser.iterate(first, size, size + sj::SIMDJSON_PADDING).get(document) ==
          sj::SUCCESS &&
      document.get_array().get(list) == sj::SUCCESS) {
    for (auto element : list) {
      od::object object;
      if (done == cuts.size() || element.get_object().get(object) != sj::SUCCESS) break;
      const EventCut cut = cuts[done];
      machine_->clear({window + cut.begin, cut.end - cut.begin}, offset + cut.begin);
      if (!machine_->read_fields(object, handler_)) break;
      handler_.on_event(machine_->event);
      ++done;
    }
  }
  *first = before;
  *last = behind;
  for (; done < cuts.size(); ++done) {
    const EventCut cut = cuts[done];
    if (!parse_one({window + cut.begin, cut.end - cut.begin}, offset + cut.begin)) break;
  }
  return done;
}

bool EventParser::parse_one(std::string_view text, std::uint64_t offset) {
  sj::padded_string padded(text);
  if (machine_->read_one(padded.data(), padded.size(), offset, handler_)) {
    handler_.on_event(machine_->event);
    return true;
  }
  const std::string clean = repaired(text);
  if (clean == text) return false;
  padded = sj::padded_string(clean);
  if (!machine_->read_one(padded.data(), padded.size(), offset, handler_)) return false;
  machine_->event.repaired = true;
  handler_.on_event(machine_->event);
  return true;
}

}  // namespace lockstep::chrome_json
