// Names of kernels and calls as people read them. The whole name is base's demangled(); these leave
// out of it what tells least. Cutting to the width of a column is another matter, and the last
// thing to do: report's layout::shorten_middle.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::analysis::kernels {

// For tables and drawings: a demangled name without result, parameters and unnamed namespaces, as
// long as it is then.
[[nodiscard]] std::string readable_name(std::string_view demangled_name);

// For sentences: demangled, without parameters and result, if need be without template arguments
// and namespaces; at most 64 bytes of valid UTF-8.
[[nodiscard]] std::string short_name(std::string_view name);

}  // namespace lockstep::analysis::kernels
