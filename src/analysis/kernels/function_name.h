// The parts of a C++ function's name as profilers write it: result, name, template arguments,
// parameters.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::analysis::kernels {

// Where the template arguments of the function begin: its first '<' that is neither part of an
// operator's name nor a bracketed name ("<unnamed>::kernel"). npos when there are none.
[[nodiscard]] std::size_t template_start(std::string_view name);

// Without the parameters in parentheses and without a result type that is a template
// ("std::enable_if<...>::type "), which say nothing about the function. Template arguments stay.
[[nodiscard]] std::string_view without_parameters(std::string_view name);

// Without what compilers put behind the name of a function that they copied or split:
// " [clone .isra.0]", " (.constprop.0)".
[[nodiscard]] std::string_view without_clones(std::string_view name);

}  // namespace lockstep::analysis::kernels
