// Typing of cells.
#include "formats/ascend_text/cell_values.h"

#include <charconv>

#include "base/json_quote.h"
#include "formats/ascend_text/csv_scanner.h"

namespace lockstep::formats::ascend_text {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_plain = text.size() < 2 || text.front() != '0';  // 007 is a name
  if (error != std::errc() || end != text.data() + text.size() || !is_plain) return std::nullopt;
  return value;
}

// Digits, a point, digits: what JSON and the tables write alike.
bool is_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || point == 0 || point + 1 == text.size()) return false;
  if (point > 1 && text.front() == '0') return false;
  constexpr std::string_view kDigits = "0123456789";
  return text.find_first_not_of(kDigits) == point &&
         text.find_first_not_of(kDigits, point + 1) == std::string_view::npos && text.size() < 40;
}

}  // namespace

std::optional<trace::Argument> cell_argument(StringId key, std::string_view cell,
                                             StringPool& strings) {
  std::string scratch;
  const std::string_view value = clean(cell, scratch);
  if (is_blank(value)) return std::nullopt;
  if (const auto number = whole_number(value)) return trace::Argument::integer(key, *number);
  if (is_decimal(value)) return trace::Argument::json(key, strings.intern(value));
  return trace::Argument::string(key, strings.intern(value));
}

std::string cell_json(std::string_view cell) {
  std::string scratch;
  const std::string_view value = clean(cell, scratch);
  if (is_blank(value)) return "null";
  if (whole_number(value) || is_decimal(value)) return std::string(value);
  return quoted_json(value);
}

}  // namespace lockstep::formats::ascend_text
