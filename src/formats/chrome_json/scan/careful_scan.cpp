// One value judged at once, and the search for events.
#include "formats/chrome_json/scan/careful_scan.h"

namespace lockstep::formats::chrome_json {
namespace {

// The last byte before `at` that is no whitespace, and its position; '\0' when there is none.
char byte_before(std::string_view text, std::size_t& at) {
  while (at > 0) {
    if (!is_json_space(text[--at])) return text[at];
  }
  return '\0';
}

// An opening brace behind a key or a string is a value, or the rest of an event with a damaged
// comma. A quote or colon that stands alone between events is itself the damage.
bool is_inside_event(std::string_view text, std::size_t brace) {
  const char before = byte_before(text, brace);
  if (before != ':' && before != '"') return false;
  const char further = byte_before(text, brace);
  return further != '\0' && further != ',' && further != '}' && further != '[';
}

// How much of the end of `text` is_inside_event() wants to see before a brace that follows.
std::size_t context_of_end(std::string_view text) {
  std::size_t last = text.size();
  if (byte_before(text, last) == '\0') return text.size();
  std::size_t further = last;
  return byte_before(text, further) == '\0' ? last : further;
}

}  // namespace

CarefulResult check_value(std::string_view text, std::size_t begin, std::size_t max_nesting) {
  ValueWalk walk(max_nesting);
  const WalkVerdict verdict = walk.take(text.substr(begin));
  return {verdict, begin + walk.at(), walk.has_phase(), walk.has_bad_escape(),
          walk.has_stray_comma()};
}

FoundEvent find_event(std::string_view text, std::size_t from, bool is_all, std::size_t max_bytes) {
  using Found = FoundEvent::Verdict;
  FoundEvent found;
  for (found.at = from;; ++found.at) {
    found.at = text.find('{', found.at);
    if (found.at == std::string_view::npos) break;
    if (is_inside_event(text, found.at)) continue;
    const CarefulResult object = check_value(text, found.at, kMaxNesting);
    const bool is_whole = object.verdict == WalkVerdict::kWhole;
    const bool may_become_whole = !is_all && text.size() - found.at <= max_bytes;
    if (object.verdict == WalkVerdict::kIncomplete && may_become_whole) {
      found.verdict = Found::kIncomplete;
      return found;
    }
    if (!object.has_phase) continue;
    if (is_whole) {
      found.verdict = Found::kFound;
      return found;
    }
    if (found.damaged++ == 0) found.first_damaged = found.at;
  }
  found.at = context_of_end(text);
  return found;
}

}  // namespace lockstep::formats::chrome_json
