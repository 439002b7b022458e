// The root of a trace document: its start, its members, and what follows its end.
#include <algorithm>
#include <string>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/parse/event_fields.h"
#include "formats/chrome_json/scan/careful_scan.h"
#include "formats/chrome_json/scan/document_cutter.h"
#include "formats/shared/byte_order_mark.h"
#include "formats/shared/outside_strings.h"

namespace lockstep::formats::chrome_json {
namespace {

// How much of `text` does not end inside a character; all of it where that is no UTF-8.
std::size_t whole_characters(std::string_view text) {
  constexpr std::size_t kMaxBytes = 4;
  for (std::size_t back = 1; back < kMaxBytes && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) break;
    if (byte >= 0xC0) return text.size() - back;
  }
  return text.size();
}

}  // namespace

Result<bool> DocumentCutter::next_token() {
  for (;;) {
    consume(skip_space(window_.text(), 0));
    if (window_.size() > 0) return true;
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) return false;
  }
}

Result<std::size_t> DocumentCutter::token_from(std::size_t at) {
  for (;;) {
    at = skip_space(window_.text(), at);
    if (at < window_.size()) return at;
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) return at;
  }
}

Result<bool> DocumentCutter::grow() {
  const std::size_t before = window_.size();
  bool more = true;
  while (more && window_.size() < std::max<std::size_t>(1, 2 * before)) {
    LOCKSTEP_ASSIGN_OR_RETURN(more, window_.fill());
  }
  return window_.size() > before;
}

Result<CarefulResult> DocumentCutter::front_value(std::size_t limit) {
  for (;;) {
    const CarefulResult value = check_value(window_.text().substr(0, limit), 0);
    if (value.verdict != WalkVerdict::kIncomplete || window_.size() >= limit) return value;
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, grow());
    if (!more) return value;
  }
}

// The first key decides for almost all documents, so that no more of them need be read here.
Result<bool> DocumentCutter::root_is_event() {
  constexpr std::size_t kKeyBytes = 8;  // what field_of() looks at
  if (window_.text()[0] != '{') return false;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t quote, token_from(1));
  while (window_.size() < quote + 1 + kKeyBytes) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) return false;
  }
  if (field_of(window_.data() + quote + 1) == Field::kOther) return false;
  return is_event();
}

Result<bool> DocumentCutter::is_event() {
  LOCKSTEP_ASSIGN_OR_RETURN(const CarefulResult value, front_value(kFirstUnclosedLimit));
  return value.verdict == WalkVerdict::kWhole && value.has_phase;
}

Status DocumentCutter::start() {
  LOCKSTEP_ASSIGN_OR_RETURN(bool more, window_.fill());
  while (more && window_.size() < shared::kByteOrderMark.size()) {
    LOCKSTEP_ASSIGN_OR_RETURN(more, window_.fill());
  }
  consume(shared::byte_order_mark_size(window_.text()));
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  if (!any) {
    well_formed_ = false;
    state_ = State::kDone;
    return {};
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const bool lacks_bracket, root_is_event());
  if (window_.text()[0] == '[') {
    root_is_list_ = true;
    begin_events(1);
  } else if (window_.text()[0] == '{' && !lacks_bracket) {
    consume(1);
    state_ = State::kRoot;
  } else {
    root_is_list_ = lacks_bracket;
    lose_way(0, 0, kDamagedStructure);
  }
  return {};
}

// One step at the level of the root object: a comma, a member, or its end.
Status DocumentCutter::root_member() {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  if (!any) {
    diagnostics_.add(kTruncatedJson, Place::byte(window_.offset()));
    well_formed_ = false;
    state_ = State::kDone;
    return {};
  }
  const char c = window_.text()[0];
  if (c == ',' || c == '}') {
    consume(1);
    if (c == '}') state_ = State::kBehind;
    return {};
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const CarefulResult key, front_value(c == '"' ? kMaxValueBytes : 1));
  if (c != '"' || key.verdict != WalkVerdict::kWhole) {
    lose_way(0, 0, kDamagedStructure);
    return {};
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t colon, token_from(key.end));
  if (colon < window_.size() && window_.text()[colon] != ':') {
    lose_way(0, colon, kDamagedStructure);  // the key may have swallowed the first event
    return {};
  }
  const std::string name(window_.text().substr(1, key.end - 2));
  consume(std::min(colon + 1, window_.size()));
  return root_value(name);
}

Status DocumentCutter::root_value(std::string_view key) {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  if (!any) return {};  // the next step says that the document is cut off
  LOCKSTEP_ASSIGN_OR_RETURN(const bool has_events, is_event_array(key));
  if (has_events) {
    if (key != "traceEvents") diagnostics_.add(kUnnamedEventArray, Place::byte(window_.offset()));
    if (found_event_array_) diagnostics_.add(kRepeatedEventArray, Place::byte(window_.offset()));
    begin_events(1);
    return {};
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const CarefulResult value, front_value(kMaxValueBytes));
  const bool is_cut = value.verdict == WalkVerdict::kIncomplete;
  if (is_cut && window_.size() >= kMaxValueBytes) return pass_over_value(key);
  bool is_good = value.verdict == WalkVerdict::kWhole;
  if (is_good) {
    LOCKSTEP_ASSIGN_OR_RETURN(
        is_good, is_followed_well(value.end, shared::is_opening_bracket(window_.text()[0])));
  }
  if (!is_good) {
    // Events may stand in it, if damage has joined it with what follows.
    lose_way(0, 0, is_cut ? kTruncatedJson : kDamagedStructure);
    return {};
  }
  visitor_.on_root_value(key, window_.text().substr(0, value.end));
  consume(value.end);
  return {};
}

// A value of any size, of which no more is held than the search for events wants to see. One that
// holds events has lost its end, or it would be a list of them: they are read.
Status DocumentCutter::pass_over_value(std::string_view key) {
  ValueWalk walk(kAnyNesting, ValueWalk::Stop::kAtEvent);
  const bool is_nested = shared::is_opening_bracket(window_.text()[0]);
  std::size_t walked = 0;
  bool more = true;
  while (more) {
    const std::string_view text = window_.text();
    const std::size_t size = window_.ended() ? text.size() : whole_characters(text);
    const WalkVerdict verdict = walk.take(text.substr(walked, size - walked));
    const std::size_t at = walked + walk.at();
    bool is_good = verdict != WalkVerdict::kBroken && !walk.holds_event();
    if (verdict == WalkVerdict::kWhole && is_good) {
      LOCKSTEP_ASSIGN_OR_RETURN(is_good, is_followed_well(at, is_nested));
    }
    if (!is_good) {
      lose_way(0, at, kDamagedStructure);
      return {};
    }
    const bool is_last = verdict == WalkVerdict::kWhole;
    visitor_.on_large_root_value(key, window_.text().substr(walked, at - walked), is_last);
    if (is_last) {
      consume(at);
      return {};
    }
    const std::size_t passed = at - std::min(at, kFirstUnclosedLimit);
    consume(passed);
    walked = at - passed;
    LOCKSTEP_ASSIGN_OR_RETURN(more, window_.fill());
  }
  lose_way(0, 0, kTruncatedJson);
  return {};
}

// A value that damage has joined with what follows it ends in an odd place: before something that
// is no member, or with the whole stream although no event was met yet.
Result<bool> DocumentCutter::is_followed_well(std::size_t end, bool is_nested) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t next, token_from(end));
  const std::string_view text = window_.text();
  if (next < text.size()) return text[next] == ',' || text[next] == '}' || text[next] == '"';
  return found_event_array_ || !is_nested;
}

// An event array goes by its name, or by an event as its first element.
Result<bool> DocumentCutter::is_event_array(std::string_view key) {
  if (window_.text()[0] != '[') return false;
  if (key == "traceEvents") return true;
  for (;;) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t first, token_from(1));
    if (first == window_.size() || window_.text()[first] != '{') return false;
    const CarefulResult element = check_value(window_.text(), first);
    if (element.verdict == WalkVerdict::kWhole) return element.has_phase;
    if (element.verdict == WalkVerdict::kBroken || window_.size() >= kMaxValueBytes) return false;
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, grow());
    if (!more) return false;
  }
}

// Behind a damaged document that has ended: whether closing brackets follow, and more behind them.
// Then brackets of an event were taken for its last ones. Behind a good document it is another one.
Result<bool> DocumentCutter::goes_on_behind_brackets() {
  constexpr std::size_t kLookAhead = 4096;
  if (well_formed_) return false;
  for (bool more = true; more && window_.size() < kLookAhead;) {
    LOCKSTEP_ASSIGN_OR_RETURN(more, window_.fill());
  }
  const std::string_view text = window_.text().substr(0, kLookAhead);
  const std::size_t at = text.find_first_not_of("}] \t\r\n");
  if (at == 0 || at == std::string_view::npos) return false;
  return text[at] == ',' || text[at] == '"' || text[at] == '{';
}

// The document has ended, unless its last bracket was a damaged byte: then a comma follows, a
// member, an event, or the events are still to come.
Status DocumentCutter::behind_document() {
  state_ = State::kDone;
  closed_ = true;
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  if (!any) return {};
  const char c = window_.text()[0];
  LOCKSTEP_ASSIGN_OR_RETURN(const bool event_follows, is_event());
  LOCKSTEP_ASSIGN_OR_RETURN(const bool goes_on, goes_on_behind_brackets());
  if (c == ',' || c == '"' || event_follows || goes_on || !found_event_array_) {
    closed_ = false;
    lose_way(0, 0, kDamagedStructure);
  }
  return {};
}

// Whatever stands behind the document is named and read past, so that a pipe is drained and the
// compression layer sees its end.
Status DocumentCutter::finish() {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, next_token());
  // Behind a document that was cut off or lost there is only what was reported already.
  if (any && closed_) diagnostics_.add(kTrailingData, Place::byte(window_.offset()));
  for (;;) {
    consume(window_.size());
    LOCKSTEP_ASSIGN_OR_RETURN(const bool more, window_.fill());
    if (!more) return {};
  }
}

}  // namespace lockstep::formats::chrome_json
