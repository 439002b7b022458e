// From the JSON text of an argument to a typed value, exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/chrome_json/event_batch.h"
#include "trace/arguments.h"

namespace lockstep::chrome_json {

// A whole number, bare or in quotes.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view json);

// The text of a JSON string, unescaped; other scalars as they stand.
[[nodiscard]] std::string text_value(std::string_view json);

// Nothing for null and for bare words such as NaN. Numbers that a double would change, lists and
// objects keep their JSON text.
[[nodiscard]] std::optional<Argument> typed_argument(const RawArgument& raw, StringPool& strings);

}  // namespace lockstep::chrome_json
