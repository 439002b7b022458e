// One name that became another, on one line.
#pragma once

#include <cstddef>
#include <string>

namespace lockstep::report::compare {

// "a -> b", of printable text, in about `width` columns: both are shortened in their middle, and
// the shorter one keeps what it needs. Where that leaves no difference between them, they are
// shortened around the first one: "void gemm<float, {2 -> 5}...". Equal names stand once, whole.
[[nodiscard]] std::string name_change(const std::string& a, const std::string& b,
                                      std::size_t width);

}  // namespace lockstep::report::compare
