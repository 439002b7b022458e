// How human text is laid out: its width, and colour where a terminal shows it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::report::layout {

struct TextStyle {
  std::size_t width = 100;
  bool has_colour = false;

  [[nodiscard]] std::string heading(std::string_view text) const { return in("1", text); }
  [[nodiscard]] std::string warning(std::string_view text) const { return in("33", text); }
  [[nodiscard]] std::string alarm(std::string_view text) const { return in("31", text); }
  [[nodiscard]] std::string faint(std::string_view text) const { return in("2", text); }

 private:
  [[nodiscard]] std::string in(std::string_view code, std::string_view text) const {
    if (!has_colour) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
};

}  // namespace lockstep::report::layout
