// Text as it takes room on a terminal: columns, shortening, wrapping. Input may be any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/one_line.h"

namespace lockstep::report::layout {

// Stands for text that was cut out.
inline constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// Columns that a terminal gives to valid UTF-8 without control characters.
[[nodiscard]] std::size_t display_width(std::string_view text);

// `text` in at most `width` columns, an ellipsis in its middle where something was left out: both
// ends of a kernel's name tell kernels apart. What of such a name may go first is said by
// analysis/kernels/short_name.h.
[[nodiscard]] std::string shorten_middle(std::string_view text, std::size_t width);

// As much of the beginning of `text` as fits in `width` columns.
[[nodiscard]] std::string shorten_end(std::string_view text, std::size_t width);

// `glyph` so many times.
[[nodiscard]] std::string repeated(std::string_view glyph, std::size_t count);

// Lines of at most `width` columns, broken at spaces; a longer word gets a line of its own.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace lockstep::report::layout
