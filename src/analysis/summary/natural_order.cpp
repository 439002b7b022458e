// Comparison of ids that may be numbers.
#include "analysis/summary/natural_order.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

namespace lockstep::analysis::summary {
namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace

bool comes_before(std::string_view a, std::string_view b) {
  const std::optional<std::int64_t> x = number_in(a);
  const std::optional<std::int64_t> y = number_in(b);
  if (x.has_value() != y.has_value()) return x.has_value();
  if (x != y) return x < y;
  return a < b;
}

}  // namespace lockstep::analysis::summary
