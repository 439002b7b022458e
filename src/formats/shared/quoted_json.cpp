// Escaping for JSON.
#include "formats/shared/quoted_json.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::formats::shared {

std::string quoted_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : valid_utf8(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace lockstep::formats::shared
