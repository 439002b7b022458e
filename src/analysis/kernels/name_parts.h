// A demangled C++ name taken apart: the parts between "::", each with its template arguments. Any
// text is taken; what is no C++ name comes out as one part.
#pragma once

#include <string_view>
#include <vector>

namespace lockstep::analysis::kernels {

// "reduce<4, Sum>" of "at::reduce<4, Sum>(int)"
struct NamePart {
  std::string_view word;                    // "reduce"
  std::vector<std::string_view> arguments;  // "4", "Sum"
};

// Whether there is something to take apart: scopes, template arguments or parameters, and nothing
// that no function's name has: "Memcpy HtoD (Pageable -> Device)", "module.py(12): forward".
[[nodiscard]] bool is_cpp_name(std::string_view name);

// The parts of a type, function or template argument, without result, parameters, qualifiers and
// what only compilers name: lambdas, call operators and unnamed namespaces.
[[nodiscard]] std::vector<NamePart> parts_of(std::string_view name);

// All words and numbers of a name in their order, but for words of the language; with the scopes
// before them, or without.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view name, bool with_scopes);

}  // namespace lockstep::analysis::kernels
