// From the JSON text of an argument to a typed value, exactly; and what counts as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/chrome_json/parse/event_batch.h"
#include "trace/arguments.h"

namespace lockstep::formats::chrome_json {

// Arguments that say more than their event. JAX's number of a step, on an annotation of any name;
// and two of our own: an annotation whose name is that of a step, and (false) an arrow from host to
// device that is no launch.
inline constexpr std::string_view kStepNumberKey = "step_num";
inline constexpr std::string_view kStepKey = "lockstep_step";
inline constexpr std::string_view kLaunchKey = "lockstep_launch";

// The first with this key, or null.
[[nodiscard]] inline const RawArgument* find_argument(std::span<const RawArgument> arguments,
                                                      std::string_view key) {
  for (const RawArgument& argument : arguments) {
    if (argument.key == key) return &argument;
  }
  return nullptr;
}

// True when `text` is one JSON number and can be written without quotes.
[[nodiscard]] bool is_json_number(std::string_view text);

// True when `text` is one JSON value that every reader of JSON accepts: no words such as NaN, no
// number beyond the range of a double, no half of a surrogate pair. Bytes are not checked for
// UTF-8.
[[nodiscard]] bool is_strict_json(std::string_view text);

// A whole number, bare or in quotes. A bare one may be written as a decimal, as programs do that
// know no others (12.0, 1.2e1); one in quotes may be hexadecimal (0x1f).
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view json);
// Of the inside of quotes.
[[nodiscard]] std::optional<std::int64_t> whole_number_in_text(std::string_view text);

// Whether a scalar stands where a number is not known: null, NaN, "", "N/A".
[[nodiscard]] bool says_no_value(std::string_view json);

// The text of a JSON string, unescaped; other scalars as they stand.
[[nodiscard]] std::string text_value(std::string_view json);

// Nothing for an empty text. null, lists, objects and numbers that a double would change keep their
// JSON text; bare words that are no JSON (NaN, inf, 1e400) become strings.
[[nodiscard]] std::optional<trace::Argument> typed_argument(const RawArgument& raw,
                                                            StringPool& strings);

}  // namespace lockstep::formats::chrome_json
