// Letters of ASCII, whatever the locale of the user: names in traces are compared by them.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

[[nodiscard]] constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
[[nodiscard]] constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_letter(char c) { return is_upper(c) || is_lower(c); }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// All others stay as they are.
[[nodiscard]] constexpr char small_letter(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr char capital_letter(char c) {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

[[nodiscard]] inline std::string in_small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = small_letter(c);
  return out;
}

}  // namespace lockstep
