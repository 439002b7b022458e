// Drawing of the progress line.
#include "base/progress.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(std::string label, std::optional<std::uint64_t> total_bytes,
                           bool enabled)
    : label_(std::move(label)), total_bytes_(total_bytes), enabled_(enabled) {}

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
  std::fputs((kEraseLine + line(done_bytes, seconds)).c_str(), stderr);
  std::fflush(stderr);
}

std::string ProgressLine::line(std::uint64_t done_bytes, double seconds) const {
  std::string out = label_ + "  " + human_bytes(done_bytes);
  if (total_bytes_ && *total_bytes_ > 0) {
    out +=
        fmt::format(" of {} ({:.0f} %)", human_bytes(*total_bytes_),
                    100.0 * static_cast<double>(done_bytes) / static_cast<double>(*total_bytes_));
  }
  if (seconds > 0) {
    const double rate = static_cast<double>(done_bytes) / seconds;
    out += fmt::format("  {}/s", human_bytes(static_cast<std::uint64_t>(rate)));
  }
  return out;
}

}  // namespace lockstep
