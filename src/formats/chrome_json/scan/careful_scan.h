// The careful scan: one JSON value, byte by byte, with grammar. It decides what the fast structural
// scan cannot: is this damaged, where does it end, is it an event. Used only off the beaten track.
#pragma once

#include <cstddef>
#include <string_view>

#include "formats/chrome_json/scan/json_text.h"
#include "formats/chrome_json/scan/value_walk.h"

namespace lockstep::formats::chrome_json {

struct CarefulResult {
  using Verdict = WalkVerdict;
  Verdict verdict = Verdict::kBroken;
  std::size_t end = 0;     // right behind a whole value, or the byte that cannot be
  bool has_phase = false;  // an object with a key "ph" of its own: an event
  bool has_bad_escape = false;
  bool has_stray_comma = false;  // before a closing bracket
};

// Checks the value that begins at text[begin] (no leading whitespace), as value_walk.h does.
[[nodiscard]] CarefulResult check_value(std::string_view text, std::size_t begin,
                                        std::size_t max_nesting = kAnyNesting);

struct FoundEvent {
  enum class Verdict {
    kNone,        // none begins in the text; what follows must be seen together with text from `at`
    kIncomplete,  // an object begins at `at`, and more text must decide
    kFound,       // an event begins at `at`
  };
  Verdict verdict = Verdict::kNone;
  std::size_t at = 0;
  std::size_t damaged = 0;        // events passed over because they are broken
  std::size_t first_damaged = 0;  // where the first of them begins
};

// How deep find_event() looks: it tries every opening brace, so that depth multiplies its work.
inline constexpr std::size_t kMaxNesting = 64;

// Looks in text that may be damaged for the first event from `from` on: an object with a phase of
// its own that stands like an element of a list, not like a part of an event. With `is_all` no more
// text will come. Objects that do not end within `max_bytes`, or are nested too deep, are passed
// over.
[[nodiscard]] FoundEvent find_event(std::string_view text, std::size_t from, bool is_all,
                                    std::size_t max_bytes);

}  // namespace lockstep::formats::chrome_json
