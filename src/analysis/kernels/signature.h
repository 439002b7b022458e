// The signature of a kernel: its name without what varies between builds of one kernel.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::analysis::kernels {

// "void at::native::kernel<float, 4, true>" -> "void at::native::kernel",
// "triton_poi_fused_relu_0" -> "triton_poi_fused_relu".
[[nodiscard]] std::string kernel_signature(std::string_view name);

// Any name with a '#' for each number in it: "decode_12 (bs=3)" -> "decode_# (bs=#)".
[[nodiscard]] std::string name_without_numbers(std::string_view name);

}  // namespace lockstep::analysis::kernels
