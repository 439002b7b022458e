// Names of kernels and calls that are short enough for a sentence.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::analysis::kernels {

// Demangled, without parameters and result, if need be without template arguments and namespaces;
// at most 64 bytes of valid UTF-8.
[[nodiscard]] std::string short_name(std::string_view name);

}  // namespace lockstep::analysis::kernels
