// Tables of collective names.
#include "trace/collective_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/letters.h"

namespace lockstep::trace {
namespace {

// Found anywhere in the name of a device kernel.
constexpr auto kKernelParts = std::to_array<std::string_view>({
    "ncclKernel",
    "ncclDevKernel",
    "ncclSymDevKernel",
    "rcclKernel",
    "mscclKernel",
    "mscclpp",
    "hcom_",
    "Hccl",
    "nvshmem",
    "cross_device_reduce",
    "one_shot_all_reduce",
    "two_shot_all_reduce",
    "multimem_",
    // deepseek-ai/DeepEP csrc/kernels: deep_ep::internode, internode_ll and intranode; in
    // DeepSeek's published profiles dpsk::ep::internode.
    "ep::internode",
    "ep::intranode",
    "rocshmem",
    "quick_all_reduce",
    "quickreduce::",  // vllm csrc/quickreduce
    // NVIDIA/TensorRT-LLM cpp/tensorrt_llm/kernels: customAllReduceKernels.cu,
    // communicationKernels/allReduceFusionKernels.cu, moeCommKernels.cu.
    "oneShotAllReduce",
    "twoShotAllReduce",
    "allreduce_fusion_kernel",
    "moeAllToAll",
    "userbuffers_",  // NVIDIA/TransformerEngine common/comm_gemm_overlap/userbuffers
    // ROCm/mori src/ops/dispatch_combine: EpDispatchIntraNodeKernel, EpCombineInterNodeKernel.
    "EpDispatchInt",
    "EpCombineInt",
});

// The instructions of XLA, which stand for kernels on a TPU.
constexpr std::array<std::string_view, 5> kInstructionPrefixes = {
    "all-reduce", "all-gather", "all-to-all", "reduce-scatter", "collective-"};

struct OpName {
  std::string_view part;  // in lower case without underscores and dashes
  std::string_view op;
};

// First match wins, so longer words stand before the words that they contain.
constexpr std::array<OpName, 17> kOps = {{
    {"reducescatter", "reduce_scatter"},
    {"allreduce", "all_reduce"},
    {"allgather", "all_gather"},
    {"alltoall", "all_to_all"},
    {"sendrecv", "send_recv"},
    {"collectivepermute", "send_recv"},
    {"crossdevicereduce", "all_reduce"},
    {"broadcast", "broadcast"},
    {"barrier", "barrier"},
    {"gather", "gather"},
    {"scatter", "scatter"},
    {"dispatch", "all_to_all"},
    {"combine", "all_to_all"},
    {"reduce", "reduce"},
    {"recv", "recv"},
    {"receive", "recv"},
    {"send", "send"},
}};

// Lower case without underscores and dashes, and without the arguments of a function, which would
// only add false matches.
std::string folded(std::string_view name) {
  std::size_t arguments = name.find('(');
  while (name.substr(std::min(arguments, name.size())).starts_with("(anonymous namespace)")) {
    arguments = name.find('(', arguments + 1);
  }
  std::string out;
  for (const char c : name.substr(0, arguments)) {
    if (c == '_' || c == '-') continue;
    out += small_letter(c);
  }
  return out;
}

}  // namespace

bool is_collective_kernel(std::string_view name) {
  const auto starts = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return std::ranges::any_of(kInstructionPrefixes, starts) ||
         std::ranges::any_of(kKernelParts, has);
}

std::string_view collective_op(std::string_view name) {
  const std::string text = folded(name);
  for (const OpName& entry : kOps) {
    if (text.find(entry.part) != std::string::npos) return entry.op;
  }
  return "unknown";
}

}  // namespace lockstep::trace
