// Words in names of kernels that say nothing about what a kernel does. The tables are data.
#pragma once

#include <string_view>

namespace lockstep::analysis::kernels {

// A namespace that most kernels of a library share: "at", "native", "detail".
[[nodiscard]] bool is_silent_scope(std::string_view word);

// A function or type that runs, holds or names another one, which is what tells: "device_kernel",
// "gpu_kernel_impl", "BinaryFunctor".
[[nodiscard]] bool is_wrapper(std::string_view word);

// A type that tells how a kernel was built, not what it does: numbers, plain types, policies,
// traits, iterators, layouts.
[[nodiscard]] bool is_silent_argument(std::string_view word);

// Without what says again that it is a kernel or a functor: "direct_copy_kernel_cuda" ->
// "direct_copy".
[[nodiscard]] std::string_view without_silent_ends(std::string_view word);

}  // namespace lockstep::analysis::kernels
