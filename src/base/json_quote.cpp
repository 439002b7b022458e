// Escapes, and texts that need none.
#include "base/json_quote.h"

#include <array>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr std::size_t kControls = 0x20;

// "\\u0000" to "\\u001f"
constexpr std::array<std::array<char, 6>, kControls> hex_escapes() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<std::array<char, 6>, kControls> escapes{};
  for (std::size_t i = 0; i < kControls; ++i) {
    escapes[i] = {'\\', 'u', '0', '0', kHex[i >> 4], kHex[i & 0xF]};
  }
  return escapes;
}

constexpr std::array<std::array<char, 6>, kControls> kHexEscapes = hex_escapes();

}  // namespace

bool is_plain_json_text(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return needs_json_escape(c) || static_cast<unsigned char>(c) >= 0x80; });
}

std::string_view json_escape(char c, JsonControls controls) {
  if (c == '"') return "\\\"";
  if (c == '\\') return "\\\\";
  if (controls == JsonControls::kShort) {
    if (c == '\n') return "\\n";
    if (c == '\t') return "\\t";
    if (c == '\r') return "\\r";
  }
  const std::array<char, 6>& escape = kHexEscapes[static_cast<unsigned char>(c) % kControls];
  return {escape.data(), escape.size()};
}

void append_quoted_json(std::string_view text, std::string& out) {
  out += '"';
  if (is_plain_json_text(text)) {
    out += text;
  } else {
    write_json_escaped(valid_utf8(text), JsonControls::kLong,
                       [&](std::string_view piece) { out += piece; });
  }
  out += '"';
}

std::string quoted_json(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted_json(text, out);
  return out;
}

}  // namespace lockstep
