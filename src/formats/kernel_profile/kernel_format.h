// The in-kernel formats and their names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lockstep::formats::kernel_profile {

enum class KernelFormat : std::uint8_t {
  kLkp,
  kTvm,
  kFlashInfer,     // tag with the multiprocessor: sm[31:24] block[23:12]
  kFlashInferOld,  // tag as TVM's: block_group[31:12]
  kProton,
  kMosaic,
  kIkp,
  kIket,
};

// The name of `--format`: "lkp", "tvm", "flashinfer", "flashinfer-old", "proton", "mosaic", "ikp",
// "iket".
[[nodiscard]] std::string_view name_of(KernelFormat format);
[[nodiscard]] std::optional<KernelFormat> kernel_format_named(std::string_view name);
[[nodiscard]] std::span<const KernelFormat> all_kernel_formats();

}  // namespace lockstep::formats::kernel_profile
