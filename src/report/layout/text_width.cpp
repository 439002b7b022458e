// Widths by utf8proc's tables.
#include "report/layout/text_width.h"

#include <utf8proc.h>

namespace lockstep::report::layout {
namespace {

struct Glyph {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};

// The first character of valid UTF-8.
Glyph first_glyph(std::string_view text) {
  utf8proc_int32_t code = -1;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (bytes <= 0) return {1, 1};
  return {static_cast<std::size_t>(bytes), static_cast<std::size_t>(utf8proc_charwidth(code))};
}

// Bytes of the longest beginning of `text` that fits in `width` columns.
std::size_t prefix_within(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  std::size_t columns = 0;
  while (bytes < text.size()) {
    const Glyph glyph = first_glyph(text.substr(bytes));
    if (columns + glyph.columns > width) break;
    columns += glyph.columns;
    bytes += glyph.bytes;
  }
  return bytes;
}

// Where the longest end of `text` that fits in `width` columns begins.
std::size_t suffix_within(std::string_view text, std::size_t width) {
  std::size_t columns = display_width(text);
  std::size_t bytes = 0;
  while (bytes < text.size() && columns > width) {
    const Glyph glyph = first_glyph(text.substr(bytes));
    columns -= glyph.columns;
    bytes += glyph.bytes;
  }
  return bytes;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return columns;
}

std::string shorten_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  const std::size_t front = width / 2;
  const std::size_t back = width - front - 1;
  return std::string(text.substr(0, prefix_within(text, front))) + std::string(kEllipsis) +
         std::string(text.substr(suffix_within(text, back)));
}

std::string repeated(std::string_view glyph, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += glyph;
  return out;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (word.empty()) continue;
    const std::size_t used = display_width(lines.back());
    if (used > 0 && used + 1 + display_width(word) > width) {
      lines.emplace_back(word);
    } else {
      if (used > 0) lines.back() += ' ';
      lines.back() += word;
    }
  }
  return lines;
}

}  // namespace lockstep::report::layout
