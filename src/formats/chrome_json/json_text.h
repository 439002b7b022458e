// JSON strings and damaged bytes: unescaping that never fails, and repair of text that a strict
// parser refuses.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::chrome_json {

// The characters that the inside of a JSON string stands for. Lone surrogates become U+FFFD and
// unknown escapes stay as they are, so every input has an answer.
[[nodiscard]] std::string unescaped(std::string_view raw);

// `text` with control characters inside strings replaced by spaces and invalid UTF-8 by U+FFFD.
[[nodiscard]] std::string repaired(std::string_view text);

// `text` without JSON whitespace at its end, and without quotes around it.
[[nodiscard]] std::string_view without_quotes(std::string_view token);

// Whether the text of a value begins a list or an object.
[[nodiscard]] inline bool is_nested(std::string_view json) {
  return json.starts_with('{') || json.starts_with('[');
}

}  // namespace lockstep::chrome_json
