// Names of kernels and calls as people read them. The whole name is base's demangled(); these leave
// out of it what tells least. Cutting to the width of a column is another matter, and the last
// thing to do: report's layout.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::analysis::kernels {

// The kernel and, where it runs another function, that one: no result, no parameters, no namespaces
// that say nothing, no template arguments but what is run. "void
// at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::MulFunctor<float>
// >(...)::{lambda(int)#1}>(...)" is "elementwise Mul", "void
// cutlass::Kernel2<cutlass_80_tensorop_...>(...)" is "cutlass_80_tensorop_...". Suffixes of clones
// go. A name that is no C++ name stays.
[[nodiscard]] std::string short_form(std::string_view name);

// For sentences: the short form, in at most 64 bytes of valid UTF-8.
[[nodiscard]] std::string short_name(std::string_view name);

// For tables and lists: the short form of each name. Different names get different forms: where
// short forms are alike, what differs in the whole names is added ("softmax_warp_forward <10>"),
// and where that is not enough, a number ("gemm #2", by the order of names). Equal names get equal
// forms. All are one line, without blanks around it: what cannot be shown is replaced before
// names are told apart.
[[nodiscard]] std::vector<std::string> telling_names(std::span<const std::string_view> names);
[[nodiscard]] std::vector<std::string> telling_names(std::span<const std::string> names);

}  // namespace lockstep::analysis::kernels
