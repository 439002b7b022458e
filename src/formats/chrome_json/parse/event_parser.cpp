// Events through simdjson's on-demand parser, a window at a time.
#include "formats/chrome_json/parse/event_parser.h"

#include <array>
#include <cstring>
#include <string>

// Errors are returned, never thrown, on this path.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "base/find_byte.h"
#include "formats/chrome_json/parse/argument_need.h"
#include "formats/chrome_json/parse/event_fields.h"
#include "formats/chrome_json/scan/careful_scan.h"
#include "formats/chrome_json/scan/json_text.h"
#include "formats/chrome_json/scan/structural_scan.h"
#include "formats/shared/simdjson_shortage.h"
#include "formats/shared/text_damage.h"

namespace lockstep::formats::chrome_json {
namespace {

namespace sj = simdjson;
namespace od = simdjson::ondemand;

static_assert(WindowBuffer::kBack >= sj::SIMDJSON_PADDING);

std::string_view without_space(std::string_view text) {
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  return text;
}

// A scalar that is neither quoted nor a number: false for an opening bracket, and for text before a
// quote, as simdjson takes `x"20"` for one token.
bool read_odd_scalar(std::string_view raw, Token& token) {
  const bool is_wrong = is_nested(raw) || raw.ends_with('"');
  if (is_wrong || raw.empty() || raw == "null") token = {};
  return !is_wrong;
}

// `raw` is a token up to the next one: a scalar with whitespace behind it, or an opening bracket.
// Member by member, for the same reason as in read_fields().
inline bool read_scalar(std::string_view raw, Token& token) {
  raw = without_space(raw);
  const bool quoted = raw.size() >= 2 && raw.front() == '"' && raw.back() == '"';
  if (quoted) raw = raw.substr(1, raw.size() - 2);
  token.data = raw.data();
  token.size = static_cast<std::uint32_t>(raw.size());
  token.quoted = quoted;
  const bool is_number = !raw.empty() && raw.back() >= '0' && raw.back() <= '9';
  return quoted || is_number || read_odd_scalar(raw, token);
}

// The text that simdjson reads with the padding behind it. A token goes on to the next one, whose
// first byte stands in this text behind the last byte of the token's.
class PaddedText {
 public:
  PaddedText() = default;
  PaddedText(const char* text, std::size_t size)
      : text_(text), end_(text + size + sj::SIMDJSON_PADDING) {}

  [[nodiscard]] std::string_view text() const { return {text_, size() - sj::SIMDJSON_PADDING}; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - text_); }
  [[nodiscard]] char behind(std::string_view token) const {
    const char* const next = token.data() + token.size();
    return next < end_ ? *next : '\0';
  }

 private:
  const char* text_ = nullptr;
  const char* end_ = nullptr;
};

// Whether nothing is lost where `raw`, which is no object, stands in its place. Some writers make
// an empty list or text of an empty object.
bool is_nothing(std::string_view raw, const PaddedText& padded) {
  if (raw.starts_with('[')) return padded.behind(raw) == ']';
  raw = without_space(raw);
  return raw == "null" || raw == "\"\"";
}

// Text has not as many empty lines; a part of a page that was filled with line ends has.
constexpr std::size_t kManyLineEnds = 8;

// Whether a string of `text`, which is valid UTF-8, has so many; `clean` is the text repaired.
bool has_many_line_ends(std::string_view text, std::string_view clean) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_line_end = (text[i] == '\n' || text[i] == '\r') && clean[i] == ' ';
    const bool is_half = text[i] == '\r' && text.substr(i + 1).starts_with('\n');
    if (!is_line_end) run = 0;
    if (is_line_end && !is_half && ++run == kManyLineEnds) return true;
  }
  return false;
}

// Whether the brackets of `text` open with its first byte and close with its last.
bool is_one_element(std::string_view text) {
  std::array<Mark, 2 * 64> marks;
  ScanState state;
  const ScanResult scan =
      scan_elements(text.data(), 0, text.size(), state, marks.data(), marks.size());
  return scan.scanned == text.size() && scan.marks == 2 && marks[1].kind == Mark::Kind::kClose &&
         marks[1].position + 1 == text.size();
}

}  // namespace

class EventParser::Machine {
 public:
  explicit Machine(trace::KeepArguments keep_arguments)
      : needs_(keep_arguments),
        wants_evidence_(keep_arguments == trace::KeepArguments::kEvidence) {}

  // The cuts as one list: the bytes around them become its brackets for the time of the parse.
  // Returns how many were read before the first trouble.
  std::size_t read_list(char* window, std::span<const EventCut> cuts, std::uint64_t offset,
                        EventBatch& batch) {
    char* const first = window + cuts.front().begin - 1;
    char* const last = window + cuts.back().end;
    const char before = *first;
    const char behind = *last;
    *first = '[';
    *last = ']';
    const std::size_t done =
        read_elements(first, static_cast<std::size_t>(last - first) + 1, cuts, offset, batch);
    *first = before;
    *last = behind;
    return done;
  }

  // One event on its own, as it is or else repaired.
  bool read_one(std::string_view text, std::uint64_t offset, EventBatch& batch) {
    if (read_object(text, offset, Repair::kNone, batch)) return true;
    const std::string clean = repaired(text);
    const bool is_damaged = shared::is_damaged_text(text) || has_many_line_ends(text, clean);
    const Repair repair = is_damaged ? Repair::kDamage : Repair::kSpaces;
    return clean != text && read_object(clean, offset, repair, batch);
  }

 private:
  std::size_t read_elements(const char* text, std::size_t size, std::span<const EventCut> cuts,
                            std::uint64_t offset, EventBatch& batch) {
    od::document document;
    od::array list;
    padded_ = PaddedText(text, size);
    const auto code = shared::iterate(parser_, document, padded_.text(), padded_.size());
    if (code != sj::SUCCESS) return 0;
    if (document.get_array().get(list) != sj::SUCCESS) return 0;
    std::size_t done = 0;
    for (auto element : list) {
      od::object object;
      if (done == cuts.size() || element.get_object().get(object) != sj::SUCCESS) break;
      if (!read_fields(object, batch.begin(offset + cuts[done].begin), batch)) break;
      batch.add();
      ++done;
    }
    return done;
  }

  // What stood in strings that must not stand there.
  enum class Repair : std::uint8_t { kNone, kSpaces, kDamage };

  bool read_object(std::string_view text, std::uint64_t offset, Repair repair, EventBatch& batch) {
    const std::string_view kept = batch.keep(text, sj::SIMDJSON_PADDING);
    padded_ = PaddedText(kept.data(), kept.size());
    od::document document;
    od::object object;
    const auto code = shared::iterate(parser_, document, padded_.text(), padded_.size());
    if (code != sj::SUCCESS) return false;
    if (document.get_object().get(object) != sj::SUCCESS) return false;
    RawEvent& event = batch.begin(offset);
    if (!read_fields(object, event, batch)) return false;
    event.is_repaired = repair != Repair::kNone;
    event.has_damaged_text = repair == Repair::kDamage;
    batch.add();
    return true;
  }

  // Reads all fields of `object`; false when it is not valid JSON. What every field adds to is kept
  // in registers: in the event, each field would wait for the one before to be written.
  bool read_fields(od::object object, RawEvent& event, EventBatch& batch) {
    std::uint32_t seen = 0;
    std::uint32_t repeated = 0;   // seen again
    std::uint32_t second_id = 0;  // the bit of "id", where "id2" has given it
    bool is_mistyped = false;
    for (auto entry : object) {
      if (entry.error() != sj::SUCCESS) return false;
      // Taken apart at once: a field that stays whole is copied through memory, and the processor
      // stalls on reading it back in other pieces than it was written.
      const od::raw_json_string key = entry.key().value_unsafe();
      const Field which = field_of(key.raw());
      if (which == Field::kOther) {
        if (is_second_id(key.raw())) {
          event.seen = seen;
          if (!read_second_id(entry.value().value_unsafe(), event)) return false;
          second_id = event.seen & ~seen;
          seen = event.seen;
        }
        seen |= bit_of(Field::kOther);
        continue;
      }
      const std::uint32_t bit = bit_of(which);
      repeated |= seen & bit & ~second_id;
      if (which == Field::kArguments) {
        batch.drop_arguments();  // of an earlier "args"
        event.seen = seen;
        if (!read_arguments(entry.value().value_unsafe(), event, batch)) return false;
      } else {
        is_mistyped |= !read_scalar(entry.value().value_unsafe().raw_json_token(),
                                    event.tokens[static_cast<std::size_t>(which)]);
      }
      seen |= bit;
    }
    event.seen = seen;
    event.has_duplicate_key = repeated != 0;
    event.has_wrong_type |= is_mistyped;
    return true;
  }

  // "id2": {"local": "0x1"} names async events where "id" would.
  static bool is_second_id(const char* key) { return std::memcmp(key, "id2\"", 4) == 0; }

  // What stands in the place of an object is noted, unless it says as little as an empty one.
  bool is_object(od::value value, RawEvent& event) const {
    const std::string_view token = value.raw_json_token();
    if (token.starts_with('{')) return true;
    event.has_wrong_type |= !is_nothing(token, padded_);
    return false;
  }

  bool read_second_id(od::value value, RawEvent& event) const {
    if (!is_object(value, event)) return true;
    od::object object;
    const auto code = value.get_object().get(object);
    std::string_view text;
    if (code != sj::SUCCESS || object.raw_json().get(text) != sj::SUCCESS) return false;
    Token& id = event.tokens[static_cast<std::size_t>(Field::kId)];
    id.data = text.data();
    id.size = static_cast<std::uint32_t>(text.size());
    id.quoted = false;
    event.seen |= bit_of(Field::kId);
    return true;
  }

  bool read_arguments(od::value value, RawEvent& event, EventBatch& batch) {
    const bool is_span = event[Field::kPhase].text() == "X";
    const ArgumentNeed need =
        needs_.of(is_span, event[Field::kCategory].text(), event[Field::kName].text());
    if (!is_object(value, event) || need == ArgumentNeed::kNone) return true;
    od::object object;
    if (value.get_object().get(object) != sj::SUCCESS) return false;
    if (need == ArgumentNeed::kFirstAndShapes) return read_first_and_shapes(object, event, batch);
    for (auto entry : object) {
      if (entry.error() != sj::SUCCESS) return false;
      const od::value argument = entry.value().value_unsafe();
      const std::string_view token = od::value(argument).raw_json_token();
      const std::string_view key = key_text(entry.key().value_unsafe().raw(), token.data());
      const bool tells =
          wants_evidence_ && trace::role_of_argument(key) != trace::ArgumentRole::kNone;
      const bool is_read = tells ? read_evidence(key, argument, event, batch)
                                 : read_argument(key, argument, need, event, batch);
      if (!is_read) return false;
      const bool is_last = need == ArgumentNeed::kUntilCorrelation && key == "correlation";
      if (is_last || need == ArgumentNeed::kFirst) return is_nested(token) || ends_as_member(token);
    }
    return true;
  }

  // simdjson would only look at the next token with the next member.
  bool ends_as_member(std::string_view token) const {
    const char behind = padded_.behind(token);
    return behind == ',' || behind == '}';
  }

  // Operators are most of a file, and the shapes stand behind longer lists: those are not looked
  // at.
  static bool read_first_and_shapes(od::object object, RawEvent& event, EventBatch& batch) {
    bool is_first = true;
    for (auto entry : object) {
      if (entry.error() != sj::SUCCESS) return false;
      const char* const key = entry.key().value_unsafe().raw();
      if (is_shapes_key(key)) {
        return read_evidence(trace::kOperatorShapesKey, entry.value().value_unsafe(), event, batch);
      }
      if (!is_first) continue;
      is_first = false;
      const od::value value = entry.value().value_unsafe();
      const std::string_view text = key_text(key, od::value(value).raw_json_token().data());
      if (!read_argument(text, value, ArgumentNeed::kFirst, event, batch)) return false;
    }
    return true;
  }

  // Keys are followed by more of the document, or by padding.
  static bool is_shapes_key(const char* key) {
    constexpr std::size_t kSize = trace::kOperatorShapesKey.size();
    return std::memcmp(key, trace::kOperatorShapesKey.data(), kSize) == 0 && key[kSize] == '"';
  }

  // The text of a list is taken as it stands: it is compared, never read, so that it need not be
  // checked.
  static bool read_evidence(std::string_view key, od::value value, RawEvent& event,
                            EventBatch& batch) {
    std::string_view text = value.raw_json_token();
    if (is_nested(text) && !read_nested(value, text)) return false;
    batch.add_argument({key, without_space(text)});
    event.has_evidence = true;
    return true;
  }

  // A key that stands before `value`.
  static std::string_view key_text(const char* key, const char* value) {
    const char* end = find_either(key, value, '"', '\\');
    while (end < value && *end != '"') end = find_either(end + 2, value, '"', '\\');
    return {key, static_cast<std::size_t>(end - key)};
  }

  // From the opening bracket of a list or object to its whole text.
  static bool read_nested(od::value value, std::string_view& text) {
    if (text.front() == '[') {
      od::array list;
      return value.get_array().get(list) == sj::SUCCESS && list.raw_json().get(text) == sj::SUCCESS;
    }
    od::object nested;
    return value.get_object().get(nested) == sj::SUCCESS &&
           nested.raw_json().get(text) == sj::SUCCESS;
  }

  static bool read_argument(std::string_view key, od::value value, ArgumentNeed need,
                            RawEvent& event, EventBatch& batch) {
    const std::string_view token = value.raw_json_token();
    if (!is_nested(token)) {
      batch.add_argument({key, without_space(token)});
      return true;
    }
    if (need != ArgumentNeed::kAll) return true;
    std::string_view text = token;
    if (!read_nested(value, text)) return false;
    text = without_space(text);
    // Where a list or object is damaged, simdjson may see its end elsewhere than its brackets say;
    // then the rest of the event cannot be trusted either.
    if (!is_one_element(text)) return false;
    const CarefulResult checked = check_value(text, 0);
    const bool is_json = checked.verdict == CarefulResult::Verdict::kWhole &&
                         !checked.has_bad_escape && !checked.has_stray_comma;
    if (is_json && checked.end == text.size()) {
      batch.add_argument({key, text});
    } else {
      event.has_damaged_argument = true;
    }
    return true;
  }

  od::parser parser_;
  PaddedText padded_;  // what is being read
  ArgumentNeeds needs_;
  bool wants_evidence_;
};

EventParser::EventParser(trace::KeepArguments keep_arguments)
    : machine_(std::make_unique<Machine>(keep_arguments)) {}

EventParser::~EventParser() = default;

std::size_t EventParser::parse_window(char* window, std::span<const EventCut> cuts,
                                      std::uint64_t offset, EventBatch& batch) {
  if (cuts.empty()) return 0;
  std::size_t done = machine_->read_list(window, cuts, offset, batch);
  for (; done < cuts.size(); ++done) {
    const EventCut cut = cuts[done];
    const std::string_view text(window + cut.begin, cut.end - cut.begin);
    if (!machine_->read_one(text, offset + cut.begin, batch)) break;
  }
  return done;
}

}  // namespace lockstep::formats::chrome_json
