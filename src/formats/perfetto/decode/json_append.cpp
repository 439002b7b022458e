// Escaping, and doubles in their shortest form.
#include "formats/perfetto/decode/json_append.h"

#include <array>
#include <charconv>
#include <cmath>

namespace lockstep::formats::perfetto {

void append_json_string(std::string_view text, std::string& json) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json.append({'\\', c});
    } else if (byte < 0x20) {
      json.append("\\u00").append({kHex[byte >> 4], kHex[byte & 15]});
    } else {
      json += c;
    }
  }
  json += '"';
}

void append_json_number(double value, std::string& json) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  json.append(digits.data(), end);
}

}  // namespace lockstep::formats::perfetto
