// What an event is, in the vocabulary that all formats share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::trace {

enum class Kind : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kAiCpu,
  kEventWait,    // a stream that waits for another: never busy
  kEventRecord,  // what such a wait is for: never busy
  kHostOp,
  kRuntimeCall,
  kSynchronize,
  kAnnotation,
  kPython,
  kOverhead,
  kCounter,
  kDuplicate,  // a second record of device work that another event stands for, or what a profiler
               // has worked out of such work: never busy
};
inline constexpr std::size_t kKindCount = 15;

[[nodiscard]] std::string_view name_of(Kind kind);  // "kernel", "memcpy", ...
[[nodiscard]] std::optional<Kind> kind_named(std::string_view name);

// What users call kernels: computing, communication and AI CPU work (on a device).
[[nodiscard]] constexpr bool is_kernel(Kind kind) {
  return kind == Kind::kKernel || kind == Kind::kCommunication || kind == Kind::kAiCpu;
}

// What keeps a device busy: kernels, copies and sets. Waits, records, synchronisations, device
// copies of annotations and overhead never do.
[[nodiscard]] constexpr bool is_device_work(Kind kind) {
  return is_kernel(kind) || kind == Kind::kMemcpy || kind == Kind::kMemset;
}

}  // namespace lockstep::trace
