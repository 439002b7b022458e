// Text as JSON strings: the one place that quotes and escapes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

[[nodiscard]] constexpr bool needs_json_escape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == '"' || byte == '\\';
}

// True when `text` can stand between quotes as it is: ASCII without quotes, backslashes and
// control characters.
[[nodiscard]] bool is_plain_json_text(std::string_view text);

// How line breaks and tabs are written: "\\n", or "\\u000a" as all other control characters are.
enum class JsonControls : std::uint8_t { kShort, kLong };

// The escape of a character that needs one.
[[nodiscard]] std::string_view json_escape(char c, JsonControls controls);

// Hands what stands between the quotes to `write`, piece by piece. `text` is valid UTF-8.
template <typename Write>
void write_json_escaped(std::string_view text, JsonControls controls, Write&& write) {
  while (!text.empty()) {
    const auto stop = std::ranges::find_if(text, needs_json_escape);
    const auto plain = static_cast<std::size_t>(stop - text.begin());
    write(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    write(json_escape(text.front(), controls));
    text.remove_prefix(1);
  }
}

// In quotes, escaped, controls long; bytes that are not UTF-8 become U+FFFD.
void append_quoted_json(std::string_view text, std::string& out);
[[nodiscard]] std::string quoted_json(std::string_view text);

}  // namespace lockstep
