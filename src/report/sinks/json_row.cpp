// Commas, and digits from integers.
#include "report/sinks/json_row.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_quote.h"

namespace lockstep::report::sinks {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMillisecondsToPicoseconds = 9;
constexpr int kMillisecondDigits = 6;
constexpr int kMicrosecondDigits = 3;

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

JsonRow& JsonRow::member(std::string_view key, const Json& value) {
  return raw(key, dumped(value));
}

JsonRow& JsonRow::raw(std::string_view key, std::string_view json) {
  if (text_.size() > 1) text_ += ", ";
  append_quoted_json(key, text_);
  text_ += ": ";
  text_ += json;
  return *this;
}

std::string json_list(std::span<const std::string> elements) {
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

std::string exact_ms(WideTime ps) {
  return format_decimal(floor_to_ns(ps), kMillisecondsToPicoseconds, kMillisecondDigits);
}

std::string exact_us(WideTime ps) {
  return format_decimal(floor_to_ns(ps), kMicrosecondsToPicoseconds, kMicrosecondDigits);
}

std::string exact_ratio(double ratio) {
  return fmt::format("{:.6f}", std::isfinite(ratio) ? ratio : 0.0);
}

}  // namespace lockstep::report::sinks
