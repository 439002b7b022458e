// What the name of a host event says about why a device may be waiting: one visible table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "trace/kind.h"

namespace lockstep::analysis::anomalies {

enum class HostCall : std::uint8_t {
  kOther,
  kSynchronize,    // the host waits for the device: cudaStreamSynchronize, aclrtSynchronize*
  kCopy,           // asks for a copy, and waits for it when memory is pageable: hipMemcpyWithStream
  kCommunication,  // c10d, NCCL, HCCL, and waits for another stream: cudaStreamWaitEvent
  kMayWait,        // an operator that waits only where a call of the first two kinds lies inside
};

[[nodiscard]] HostCall host_call_named(std::string_view name, trace::Kind kind);

// The same by id, remembering its answers.
class HostCalls {
 public:
  explicit HostCalls(const StringPool& strings)
      : strings_(strings), answers_(kSlots * strings.size(), kNotAsked) {}

  [[nodiscard]] HostCall of(StringId name, trace::Kind kind) {
    std::uint8_t& answer = answers_[kSlots * static_cast<std::size_t>(name) + slot_of(kind)];
    if (answer == kNotAsked)
      answer = static_cast<std::uint8_t>(host_call_named(strings_.view(name), kind));
    return HostCall{answer};
  }

 private:
  static constexpr std::uint8_t kNotAsked = 0xFF;
  static constexpr std::size_t kSlots = 4;

  // Kinds for which one name means different things.
  [[nodiscard]] static constexpr std::size_t slot_of(trace::Kind kind) {
    if (kind == trace::Kind::kRuntimeCall) return 1;
    if (kind == trace::Kind::kSynchronize) return 2;
    return kind == trace::Kind::kHostOp ? 3 : 0;
  }

  const StringPool& strings_;
  std::vector<std::uint8_t> answers_;
};

}  // namespace lockstep::analysis::anomalies
