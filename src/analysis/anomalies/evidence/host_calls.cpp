// The table of names.
#include "analysis/anomalies/evidence/host_calls.h"

#include <algorithm>
#include <array>

namespace lockstep::analysis::anomalies {
namespace {

struct Pattern {
  std::string_view part;  // somewhere in the name
  HostCall call;
};

// Calls of runtimes and drivers. CUDA (cudaStreamSynchronize, cuCtxSynchronize, cudaMemcpyAsync),
// HIP (hipDeviceSynchronize, hipMemcpyWithStream), ACL (AscendCL@aclrtSynchronizeStreamWithTimeout,
// aclrtMemcpyAsync) and Level Zero name them alike.
constexpr std::array kCallPatterns = {
    Pattern{"StreamWaitEvent", HostCall::kCommunication},
    Pattern{"Notify_Wait", HostCall::kCommunication},
    Pattern{"ynchronize", HostCall::kSynchronize},
    Pattern{"Memcpy", HostCall::kCopy},
    Pattern{"MemoryCopy", HostCall::kCopy},
    Pattern{"Hccl", HostCall::kCommunication},
    Pattern{"hcom", HostCall::kCommunication},
    Pattern{"nccl", HostCall::kCommunication},
    Pattern{"rccl", HostCall::kCommunication},
};

// Operators and other host events whose name begins so.
constexpr std::array<std::string_view, 10> kCommunicationOps = {
    "c10d::",         "nccl:", "nccl",
    "rccl",           "gloo:", "Hccl",
    "hcom",           "hccl",  "record_param_comms",
    "StreamWaitEvent"};

// Whole names: aten::topk begins like aten::to.
constexpr std::array<std::string_view, 8> kMayWaitOps = {
    "aten::to",      "aten::_to_copy",  "aten::copy_",
    "aten::item",    "aten::cpu",       "aten::_local_scalar_dense",
    "aten::nonzero", "aten::is_nonzero"};

}  // namespace

HostCall host_call_named(std::string_view name, trace::Kind kind) {
  if (kind == trace::Kind::kRuntimeCall || kind == trace::Kind::kSynchronize) {
    for (const Pattern& pattern : kCallPatterns) {
      if (name.find(pattern.part) != std::string_view::npos) return pattern.call;
    }
    return kind == trace::Kind::kSynchronize ? HostCall::kSynchronize : HostCall::kOther;
  }
  if (kind != trace::Kind::kHostOp) return HostCall::kOther;
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (std::ranges::any_of(kCommunicationOps, begins)) return HostCall::kCommunication;
  const bool may_wait = std::ranges::find(kMayWaitOps, name) != kMayWaitOps.end();
  return may_wait ? HostCall::kMayWait : HostCall::kOther;
}

}  // namespace lockstep::analysis::anomalies
