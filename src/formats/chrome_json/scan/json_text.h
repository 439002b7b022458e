// JSON strings and damaged bytes: unescaping that never fails, and repair of text that a strict
// parser refuses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::formats::chrome_json {

// The characters that the inside of a JSON string stands for. Lone surrogates become U+FFFD and
// unknown escapes stay as they are, so every input has an answer.
[[nodiscard]] std::string unescaped(std::string_view raw);

// `text` with control characters inside strings replaced by spaces and invalid UTF-8 by U+FFFD.
[[nodiscard]] std::string repaired(std::string_view text);

// `text` without JSON whitespace at its end, and without quotes around it.
[[nodiscard]] std::string_view without_quotes(std::string_view token);

[[nodiscard]] constexpr bool is_json_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// The first position at or after `at` that is no whitespace; text.size() when there is none.
[[nodiscard]] inline std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_space(text[at])) ++at;
  return at;
}

// Whether the text of a value begins a list or an object.
[[nodiscard]] inline bool is_nested(std::string_view json) {
  return json.starts_with('{') || json.starts_with('[');
}

}  // namespace lockstep::formats::chrome_json
