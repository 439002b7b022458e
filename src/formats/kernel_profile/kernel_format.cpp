// The list of in-kernel formats.
#include "formats/kernel_profile/kernel_format.h"

#include <array>

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::array kFormats = {
    KernelFormat::kLkp,           KernelFormat::kTvm,    KernelFormat::kFlashInfer,
    KernelFormat::kFlashInferOld, KernelFormat::kProton, KernelFormat::kMosaic,
    KernelFormat::kIkp,           KernelFormat::kIket,
};

}  // namespace

std::string_view name_of(KernelFormat format) {
  switch (format) {
    case KernelFormat::kLkp:
      return "lkp";
    case KernelFormat::kTvm:
      return "tvm";
    case KernelFormat::kFlashInfer:
      return "flashinfer";
    case KernelFormat::kFlashInferOld:
      return "flashinfer-old";
    case KernelFormat::kProton:
      return "proton";
    case KernelFormat::kMosaic:
      return "mosaic";
    case KernelFormat::kIkp:
      return "ikp";
    case KernelFormat::kIket:
      break;
  }
  return "iket";
}

std::optional<KernelFormat> kernel_format_named(std::string_view name) {
  for (const KernelFormat format : kFormats) {
    if (name_of(format) == name) return format;
  }
  return std::nullopt;
}

std::span<const KernelFormat> all_kernel_formats() { return kFormats; }

}  // namespace lockstep::formats::kernel_profile
