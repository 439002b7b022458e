// Narrowing of wide sums, and words.
#include "report/layout/quantities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/letters.h"
#include "base/text.h"

namespace lockstep::report::layout {
namespace {

std::int64_t saturated(WideTime value) {
  constexpr WideTime kLow = std::numeric_limits<std::int64_t>::min();
  constexpr WideTime kHigh = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, kLow, kHigh));
}

}  // namespace

std::int64_t floored_ns(WideTime ps) {
  return saturated(floor_to_ns(ps) / kPicosecondsPerNanosecond);
}

std::int64_t floored_ns_of(double ps) {
  return floor_ns(Time{static_cast<std::int64_t>(std::floor(ps))});
}

std::string human_time_of(WideTime ps) { return human_time(Time{saturated(ps)}); }

std::string mean_time(double ps) { return human_time(Time{std::llround(ps)}); }

std::string signed_time(Time change) {
  const std::string words = human_time(change);
  return change.ps > 0 ? "+" + words : words;
}

std::string share_of(WideTime part, WideTime whole) {
  if (whole <= 0) return "-";
  return percent_words(100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string percent_of(double share) { return percent_words(100 * share); }

std::string percent_words(double percent) { return fmt::format("{:.1f} %", percent); }

std::string signed_percent(double percent) { return fmt::format("{:+.1f} %", percent); }

std::string named(const std::string& name) { return name.empty() ? "(no name)" : name; }

std::string with_id(std::string_view what, std::string_view id) {
  return id.empty() ? std::string(what) : fmt::format("{} {}", what, id);
}

std::string or_dash(std::string text) { return text.empty() ? "-" : std::move(text); }

std::string capitalised(std::string words) {
  if (!words.empty()) words.front() = capital_letter(words.front());
  return words;
}

}  // namespace lockstep::report::layout
