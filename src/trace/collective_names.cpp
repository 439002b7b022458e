// Tables of collective names.
#include "trace/collective_names.h"

#include <array>
#include <string>

namespace lockstep {
namespace {

// Found anywhere in the name of a device kernel.
constexpr std::array<std::string_view, 16> kKernelParts = {
    "ncclKernel",
    "ncclDevKernel",
    "ncclSymDevKernel",
    "rcclKernel",
    "mscclKernel",
    "mscclpp",
    "hcom_",
    "HcclAll",
    "nvshmem",
    "cross_device_reduce",
    "one_shot_all_reduce",
    "two_shot_all_reduce",
    "multimem_",
    "deep_ep::",
    "rocshmem",
    "quick_all_reduce",
};

struct OpName {
  std::string_view part;  // in lower case without underscores and dashes
  std::string_view op;
};

// First match wins, so longer words stand before the words that they contain.
constexpr std::array<OpName, 15> kOps = {{
    {"reducescatter", "reduce_scatter"},
    {"allreduce", "all_reduce"},
    {"allgather", "all_gather"},
    {"alltoall", "all_to_all"},
    {"sendrecv", "send_recv"},
    {"collectivepermute", "send_recv"},
    {"crossdevicereduce", "all_reduce"},
    {"broadcast", "broadcast"},
    {"barrier", "barrier"},
    {"dispatch", "all_to_all"},
    {"combine", "all_to_all"},
    {"reduce", "reduce"},
    {"recv", "recv"},
    {"receive", "recv"},
    {"send", "send"},
}};

std::string folded(std::string_view name) {
  std::string out;
  // The arguments of a kernel would only add false matches.
  for (const char c : name.substr(0, name.find('('))) {
    if (c == '_' || c == '-') continue;
    out += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}  // namespace

bool is_collective_kernel(std::string_view name) {
  for (const std::string_view part : kKernelParts) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string_view collective_op(std::string_view name) {
  const std::string text = folded(name);
  for (const OpName& entry : kOps) {
    if (text.find(entry.part) != std::string::npos) return entry.op;
  }
  return "unknown";
}

}  // namespace lockstep
