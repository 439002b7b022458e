// What stands outside of strings in JSON text that may be damaged or cut off.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::formats::shared {

// Calls `take(byte, position)` for every byte outside of strings but their quotes. Returns whether
// the text ends outside of one.
template <typename Take>
bool for_each_outside_strings(std::string_view text, Take take) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else {
      take(c, i);
    }
  }
  return !in_string;
}

[[nodiscard]] constexpr bool is_opening_bracket(char c) { return c == '{' || c == '['; }
[[nodiscard]] constexpr bool is_closing_bracket(char c) { return c == '}' || c == ']'; }

}  // namespace lockstep::formats::shared
