// Cells of tables as typed arguments and as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/arguments.h"

namespace lockstep::formats::ascend_text {

// Whole numbers as integers, decimals as their own text, everything else as a string; nothing for a
// cell that says nothing.
[[nodiscard]] std::optional<trace::Argument> cell_argument(StringId key, std::string_view cell,
                                                           StringPool& strings);

// The same as JSON text; null for a cell that says nothing.
[[nodiscard]] std::string cell_json(std::string_view cell);

}  // namespace lockstep::formats::ascend_text
