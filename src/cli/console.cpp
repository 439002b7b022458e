// Terminals, standard output and standard error.
#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "base/one_line.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kMinWidth = 60;
constexpr std::size_t kMaxWidth = 10'000;

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// What COLUMNS says, which shells and people set for programs in a pipe.
std::optional<std::size_t> asked_width() {
  if (!is_set("COLUMNS")) return std::nullopt;
  const std::string_view text = std::getenv("COLUMNS");
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error != std::errc{} || end != text.data() + text.size() || width == 0) return std::nullopt;
  return std::clamp(width, kMinWidth, kMaxWidth);
}

}  // namespace

Status print(std::string_view text) {
  return print_by([text](io::ByteSink& out) { return out.write(text); });
}

Status print_by(const std::function<Status(io::ByteSink&)>& write) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSink> out, io::open_output("-"));
  LOCKSTEP_RETURN_IF_ERROR(write(*out));
  return out->close();
}

void complain(std::string_view sentence) {
  const std::string line = "lockstep: " + one_line(sentence) + "\n";
  std::fputs(line.c_str(), stderr);
}

std::string wrote_line(std::string_view path, std::string_view what) {
  std::string line = "wrote " + one_line(path);
  if (!what.empty()) line.append(": ").append(what);
  return line + "\n";
}

report::layout::TextStyle console_style(bool has_full_names) {
  report::layout::TextStyle style;
  style.has_full_names = has_full_names;
  if (isatty(STDOUT_FILENO) == 0) {
    style.width = asked_width().value_or(style.width);
    return style;
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = std::max<std::size_t>(kMinWidth, size.ws_col);
  }
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  style.has_colour = !is_set("NO_COLOR") && !is_dumb;
  return style;
}

}  // namespace lockstep::cli
