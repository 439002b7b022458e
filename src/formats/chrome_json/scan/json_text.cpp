// Unescaping and repair of JSON text.
#include "formats/chrome_json/scan/json_text.h"

#include <cstdint>
#include <optional>

#include "base/text.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// The four hex digits at the front of `digits`.
std::optional<std::uint32_t> hex4(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : digits.substr(0, 4)) {
    value <<= 4;
    if (c >= '0' && c <= '9') {
      value |= static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value |= static_cast<std::uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      value |= static_cast<std::uint32_t>(c - 'A' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

// raw begins with "\u"; appends its character and returns how many bytes it took.
std::size_t unescape_code_point(std::string_view raw, std::string& out) {
  const auto first = hex4(raw.substr(2));
  if (!first) {
    out += raw.substr(0, 2);
    return 2;
  }
  if (*first < 0xD800 || *first > 0xDFFF) {
    append_utf8(out, *first);
    return 6;
  }
  if (*first < 0xDC00 && raw.substr(6).starts_with("\\u")) {
    const auto second = hex4(raw.substr(8));
    if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
      return 12;
    }
  }
  append_utf8(out, kReplacement);
  return 6;
}

// The character behind a backslash, for the one-letter escapes.
std::optional<char> simple_escape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      out += raw[i++];
    } else if (raw[i + 1] == 'u') {
      i += unescape_code_point(raw.substr(i), out);
    } else if (const auto c = simple_escape(raw[i + 1])) {
      out += *c;
      i += 2;
    } else {
      out += raw.substr(i, 2);
      i += 2;
    }
  }
  return out;
}

std::string repaired(std::string_view text) {
  std::string out = valid_utf8(text);
  bool in_string = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '"') {
      in_string = !in_string;
    } else if (in_string && out[i] == '\\') {
      ++i;
    } else if (in_string && static_cast<unsigned char>(out[i]) < 0x20) {
      out[i] = ' ';
    }
  }
  return out;
}

std::string_view without_quotes(std::string_view token) {
  while (!token.empty() && is_json_space(token.back())) token.remove_suffix(1);
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') {
    return token.substr(1, token.size() - 2);
  }
  return token;
}

}  // namespace lockstep::formats::chrome_json
