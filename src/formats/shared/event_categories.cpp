// The table of categories.
#include "formats/shared/event_categories.h"

#include <algorithm>
#include <array>

namespace lockstep {
namespace {

constexpr Track::Side kHost = Track::Side::kHost;
constexpr Track::Side kDevice = Track::Side::kDevice;

struct Row {
  std::string_view category;
  Kind kind;
  Track::Side side;
  bool is_kineto;
};

// Sources: libkineto's ActivityType names (CUDA, ROCm, XPU, MTIA, HPU), the 2021 names of the same
// library, and Proton's. Kernels that are collectives are told apart by name (collective_names.h).
constexpr std::array kRows = {
    // Device work.
    Row{"kernel", Kind::kKernel, kDevice, false},
    Row{"Kernel", Kind::kKernel, kDevice, true},
    Row{"gpu_memcpy", Kind::kMemcpy, kDevice, true},
    Row{"Memcpy", Kind::kMemcpy, kDevice, true},
    Row{"gpu_memset", Kind::kMemset, kDevice, true},
    Row{"Memset", Kind::kMemset, kDevice, true},
    Row{"collective_comm", Kind::kCommunication, kDevice, true},
    Row{"ai_cpu", Kind::kAiCpu, kDevice, false},
    Row{"mtia_ccp_events", Kind::kKernel, kDevice, true},
    // On device tracks, but no work.
    Row{"duplicate", Kind::kDuplicate, kDevice, false},
    Row{"device_overhead", Kind::kOverhead, kDevice, false},
    Row{"gpu_user_annotation", Kind::kAnnotation, kDevice, true},
    Row{"cuda_sync", Kind::kSynchronize, kDevice, true},
    Row{"xpu_sync", Kind::kSynchronize, kDevice, true},
    Row{"cuda_event", Kind::kEventWait, kDevice, true},
    Row{"cuda_profiler_range", Kind::kAnnotation, kDevice, true},
    Row{"mtia_insight", Kind::kAnnotation, kDevice, true},
    // Host.
    Row{"cpu_op", Kind::kHostOp, kHost, true},
    Row{"Operator", Kind::kHostOp, kHost, true},
    Row{"cpu_instant_event", Kind::kHostOp, kHost, true},
    Row{"external_correlation", Kind::kHostOp, kHost, true},
    Row{"enqueue", Kind::kHostOp, kHost, false},  // torch_npu's queue between two threads
    Row{"dequeue", Kind::kHostOp, kHost, false},
    Row{"synchronize", Kind::kSynchronize, kHost, false},
    Row{"cuda_runtime", Kind::kRuntimeCall, kHost, true},
    Row{"cuda_driver", Kind::kRuntimeCall, kHost, true},
    Row{"Runtime", Kind::kRuntimeCall, kHost, true},
    Row{"xpu_runtime", Kind::kRuntimeCall, kHost, true},
    Row{"xpu_driver", Kind::kRuntimeCall, kHost, true},
    Row{"mtia_runtime", Kind::kRuntimeCall, kHost, true},
    Row{"glow_runtime", Kind::kRuntimeCall, kHost, true},
    Row{"hpu_op", Kind::kRuntimeCall, kHost, true},
    Row{"privateuse1_runtime", Kind::kRuntimeCall, kHost, true},
    Row{"privateuse1_driver", Kind::kRuntimeCall, kHost, true},
    Row{"user_annotation", Kind::kAnnotation, kHost, true},
    Row{"python_function", Kind::kPython, kHost, true},
    Row{"overhead", Kind::kOverhead, kHost, true},
    Row{"Trace", Kind::kAnnotation, kHost, true},
    Row{"hardware_counters", Kind::kCounter, kHost, true},
    Row{"mtia_counters", Kind::kCounter, kHost, true},
};

}  // namespace

CategoryMeaning meaning_of_category(std::string_view category) {
  const auto row = std::ranges::find(kRows, category, &Row::category);
  if (row == kRows.end()) return {};
  return {row->kind, row->side, true, row->is_kineto};
}

bool is_correlation_flow(std::string_view category) {
  return category == "ac2g" || category == "async_cpu_to_gpu" || category == "async";
}

}  // namespace lockstep
