// Events through simdjson's on-demand parser, a window at a time.
#include "formats/chrome_json/event_parser.h"

#include <cstring>
#include <string>

// Errors are returned, never thrown, on this path.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "formats/chrome_json/careful_scan.h"
#include "formats/chrome_json/json_text.h"

namespace lockstep::chrome_json {
namespace {

namespace sj = simdjson;
namespace od = simdjson::ondemand;

static_assert(WindowBuffer::kBack >= sj::SIMDJSON_PADDING);

// `raw` is a token up to the next one: a scalar with whitespace behind it, or an opening bracket.
Token scalar(std::string_view raw) {
  while (!raw.empty() && is_json_space(raw.back())) raw.remove_suffix(1);
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') {
    return {raw.substr(1, raw.size() - 2), true, true};
  }
  const bool is_bracket = raw.empty() || raw.front() == '{' || raw.front() == '[';
  return {is_bracket ? std::string_view{} : raw, false, !is_bracket};
}

bool is_nested(std::string_view raw) {
  return !raw.empty() && (raw.front() == '{' || raw.front() == '[');
}

}  // namespace

struct EventParser::Machine {
  od::parser parser;
  RawEvent event;

  void clear(std::string_view text, std::uint64_t offset) {
    event.seen = 0;
    event.arguments.clear();
    event.duplicate_key = false;
    event.repaired = false;
    event.text = text;
    event.offset = offset;
  }

  // Reads all fields of `object` into `event`; false when it is not valid JSON.
  bool read_fields(od::object object, EventHandler& handler) {
    for (auto entry : object) {
      if (entry.error() != sj::SUCCESS) return false;
      // Taken apart at once: a field that stays whole is copied through memory, and the processor
      // stalls on reading it back in other pieces than it was written.
      const od::raw_json_string key = entry.key().value_unsafe();
      const Field which = field_of(key.raw());
      if (which == Field::kOther) continue;
      const std::uint32_t bit = 1U << static_cast<unsigned>(which);
      event.duplicate_key |= (event.seen & bit) != 0;
      if (which == Field::kArguments) {
        const ArgumentNeed need = handler.arguments_needed(event);
        if (!read_arguments(entry.value().value_unsafe(), need)) return false;
      } else {
        event.tokens[static_cast<std::size_t>(which)] =
            scalar(entry.value().value_unsafe().raw_json_token());
      }
      event.seen |= bit;
    }
    return true;
  }

  bool read_arguments(od::value value, ArgumentNeed need) {
    event.arguments.clear();
    if (need == ArgumentNeed::kNone) return true;
    od::object object;
    const auto code = value.get_object().get(object);
    if (code == sj::INCORRECT_TYPE) return true;  // "args": null
    if (code != sj::SUCCESS) return false;
    for (auto entry : object) {
      if (entry.error() != sj::SUCCESS) return false;
      if (!read_argument(entry.key().value_unsafe().raw(), entry.value().value_unsafe(), need)) {
        return false;
      }
      if (need == ArgumentNeed::kFirst) break;
      if (need == ArgumentNeed::kUntilCorrelation && !event.arguments.empty() &&
          event.arguments.back().key == "correlation") {
        break;
      }
    }
    return true;
  }

  bool read_argument(const char* key, od::value value, ArgumentNeed need) {
    const char* end = key;
    while (*end != '"') end += *end == '\\' ? 2 : 1;
    const std::string_view name(key, static_cast<std::size_t>(end - key));
    const std::string_view token = value.raw_json_token();
    if (!is_nested(token)) {
      event.arguments.push_back({name, token});
      return true;
    }
    if (need != ArgumentNeed::kAll) return true;
    std::string_view text;
    if (token.front() == '[') {
      od::array list;
      if (value.get_array().get(list) != sj::SUCCESS) return false;
      if (list.raw_json().get(text) != sj::SUCCESS) return false;
    } else {
      od::object nested;
      if (value.get_object().get(nested) != sj::SUCCESS) return false;
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
