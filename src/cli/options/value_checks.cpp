// Numbers from words.
#include "cli/options/value_checks.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace lockstep::cli {
namespace {

std::optional<double> non_negative_number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (failure != std::errc() || stop != end || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::string is_percentage(const std::string& text) {
  const std::optional<double> value = non_negative_number(text);
  return value && *value <= 100 ? "" : "'" + text + "' is not a percentage from 0 to 100";
}

std::string is_any_percentage(const std::string& text) {
  return non_negative_number(text) ? "" : "'" + text + "' is not a percentage from 0 on";
}

std::string is_whole_number(const std::string& text) {
  const bool is_number = !text.empty() && text.size() <= 9 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : "'" + text + "' is not a whole number";
}

}  // namespace lockstep::cli
