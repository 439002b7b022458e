// Doubles in their shortest form.
#include "formats/perfetto/decode/json_append.h"

#include <array>
#include <charconv>
#include <cmath>

namespace lockstep::formats::perfetto {

void append_json_number(double value, std::string& json) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  json.append(digits.data(), end);
}

}  // namespace lockstep::formats::perfetto
