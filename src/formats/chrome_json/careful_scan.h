// The careful scan: one JSON value, byte by byte, with grammar. It decides what the fast structural
// scan cannot: is this damaged, where does it end, is it an event. Used only off the beaten track.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::chrome_json {

struct CarefulResult {
  enum class Verdict {
    kWhole,       // a complete value; `end` is right behind it
    kIncomplete,  // fine so far, but the text ends inside it
    kBroken,      // not JSON; `end` is the byte that cannot be
  };
  Verdict verdict = Verdict::kBroken;
  std::size_t end = 0;
  bool has_phase = false;  // an object with a key "ph" of its own: an event
};

// Objects and lists nested deeper than this are taken for damage.
inline constexpr int kMaxNesting = 64;

// Checks the value that begins at text[begin] (no leading whitespace). Tolerant inside strings (raw
// control characters, any bytes) and about bare words (NaN, inf), strict about everything else.
[[nodiscard]] CarefulResult check_value(std::string_view text, std::size_t begin);

[[nodiscard]] constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// The first position at or after `at` that is no whitespace; text.size() when there is none.
[[nodiscard]] std::size_t skip_space(std::string_view text, std::size_t at);

}  // namespace lockstep::chrome_json
