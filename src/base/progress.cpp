// Drawing of the progress line.
#include "base/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "base/one_line.h"
#include "base/text.h"
#include "base/utf8.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr const char* kEraseLine = "\r\033[K";
constexpr std::size_t kUsualColumns = 80;
constexpr std::string_view kEllipsis = "...";

// From three bytes on a character may be a wide one, and is taken for one.
std::size_t guessed_width(Utf8Character one) { return one.bytes < 3 ? 1 : 2; }

// `text` in at most `columns`, its beginning left out: paths differ at their ends.
std::string end_of(std::string_view text, std::size_t columns) {
  if (columns_of(text, guessed_width) <= columns) return std::string(text);
  if (columns <= kEllipsis.size()) return {};
  return std::string(kEllipsis) +
         std::string(end_within(text, columns - kEllipsis.size(), guessed_width));
}

std::size_t stderr_columns() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsualColumns;
}

}  // namespace

ProgressLine::ProgressLine(std::string label, std::optional<std::uint64_t> total_bytes,
                           bool enabled)
    : label_(one_line(label)), total_bytes_(total_bytes), enabled_(enabled) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs(kEraseLine, stderr);
}

bool ProgressLine::stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

void ProgressLine::update(std::uint64_t done_bytes) {
  if (!enabled_) return;
  const auto now = SteadyClock::now();
  if (now - last_drawn_ < kRedrawEvery) return;
  last_drawn_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  std::fputs((kEraseLine + line(done_bytes, seconds, stderr_columns())).c_str(), stderr);
  std::fflush(stderr);
}

std::string ProgressLine::line(std::uint64_t done_bytes, double seconds,
                               std::size_t columns) const {
  std::string out = "  " + human_bytes(done_bytes);
  if (total_bytes_ && *total_bytes_ > 0) {
    out +=
        fmt::format(" of {} ({:.0f} %)", human_bytes(*total_bytes_),
                    100.0 * static_cast<double>(done_bytes) / static_cast<double>(*total_bytes_));
  }
  if (seconds > 0) {
    const double rate = static_cast<double>(done_bytes) / seconds;
    out += fmt::format("  {}/s", human_bytes(static_cast<std::uint64_t>(rate)));
  }
  // The last column stays free: some terminals wrap when it is written.
  const std::size_t room = columns > out.size() ? columns - out.size() - 1 : 0;
  if (room == 0) return out.substr(0, columns > 0 ? columns - 1 : 0);
  return end_of(label_, room) + out;
}

}  // namespace lockstep
