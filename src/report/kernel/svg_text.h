// Words in an SVG picture.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/one_line.h"

namespace lockstep::report::kernel {

// What would be markup is escaped; what XML forbids is replaced.
[[nodiscard]] inline std::string svg_escaped(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A line of text whose baseline begins at (x, y); `attributes` are markup.
[[nodiscard]] inline std::string svg_text(double x, double y, std::string_view text,
                                          std::string_view attributes = {}) {
  const std::string_view blank = attributes.empty() ? "" : " ";
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\"{}{}>{}</text>\n", x, y, blank, attributes,
                     svg_escaped(text));
}

}  // namespace lockstep::report::kernel
