// Checks of values, for the records of options.
#pragma once

#include <string>

namespace lockstep::cli {

// Empty when `text` is a percentage (a share of something; one that may exceed it), or a whole
// number; otherwise why not.
[[nodiscard]] std::string is_percentage(const std::string& text);
[[nodiscard]] std::string is_any_percentage(const std::string& text);
[[nodiscard]] std::string is_whole_number(const std::string& text);

}  // namespace lockstep::cli
