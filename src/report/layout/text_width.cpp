// Widths by utf8proc's tables.
#include "report/layout/text_width.h"

#include <utf8proc.h>

#include "base/utf8.h"

namespace lockstep::report::layout {
namespace {

std::size_t shown_width(Utf8Character one) {
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(one.code)));
}

// The longest beginning of `text` that fits in `width` columns.
std::string_view beginning_within(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  std::size_t columns = 0;
  while (bytes < text.size()) {
    const Utf8Character one = first_character(text.substr(bytes));
    columns += shown_width(one);
    if (columns > width) break;
    bytes += one.bytes;
  }
  return text.substr(0, bytes);
}

}  // namespace

std::size_t display_width(std::string_view text) { return columns_of(text, shown_width); }

std::string shorten_middle(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  const std::size_t front = width / 2;
  const std::size_t back = width - front - 1;
  return std::string(beginning_within(text, front)) + std::string(kEllipsis) +
         std::string(end_within(text, back, shown_width));
}

std::string shorten_end(std::string_view text, std::size_t width) {
  return std::string(beginning_within(text, width));
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
