// How human text is laid out: its width, and colour where a terminal shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::report::layout {

enum class Tone : std::uint8_t { kPlain, kFaint, kWarning, kAlarm };

struct TextStyle {
  std::size_t width = 100;
  bool has_colour = false;
  bool has_full_names = false;  // of kernels: whole, however wide tables get

  [[nodiscard]] std::string heading(std::string_view text) const { return in("1", text); }
  [[nodiscard]] std::string warning(std::string_view text) const { return in("33", text); }
  [[nodiscard]] std::string alarm(std::string_view text) const { return in("31", text); }
  [[nodiscard]] std::string faint(std::string_view text) const { return in("2", text); }
  [[nodiscard]] std::string toned(Tone tone, std::string_view text) const {
    if (tone == Tone::kAlarm) return alarm(text);
    if (tone == Tone::kWarning) return warning(text);
    return tone == Tone::kFaint ? faint(text) : std::string(text);
  }

 private:
  [[nodiscard]] std::string in(std::string_view code, std::string_view text) const {
    if (!has_colour) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
};

}  // namespace lockstep::report::layout
