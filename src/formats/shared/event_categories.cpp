// The table of categories.
#include "formats/shared/event_categories.h"

#include <algorithm>
#include <array>

namespace lockstep::formats::shared {
namespace {

constexpr trace::Track::Side kHost = trace::Track::Side::kHost;
constexpr trace::Track::Side kDevice = trace::Track::Side::kDevice;

struct Row {
  std::string_view category;
  trace::Kind kind;
  trace::Track::Side side;
  bool is_kineto;
};

constexpr std::string_view kMtiaCategory = "mtia_ccp_events";

// What an MTIA's control processors note beside the jobs that they run: requests to the DMA engine,
// and the events by which streams wait for each other. Jobs have names of their own.
struct MtiaName {
  std::string_view prefix;
  trace::Kind kind;
};
constexpr std::array kMtiaNames = {
    MtiaName{"dma_request", trace::Kind::kMemcpy},
    MtiaName{"event_wait", trace::Kind::kEventWait},
    MtiaName{"event_record", trace::Kind::kEventRecord},
};

// Sources: libkineto's ActivityType names (CUDA, ROCm, XPU, MTIA, HPU), the 2021 names of the same
// library, and Proton's. Kernels that are collectives are told apart by name (collective_names.h).
constexpr std::array kRows = {
    // Device work.
    Row{"kernel", trace::Kind::kKernel, kDevice, false},
    Row{"Kernel", trace::Kind::kKernel, kDevice, true},
    Row{"gpu_memcpy", trace::Kind::kMemcpy, kDevice, true},
    Row{"Memcpy", trace::Kind::kMemcpy, kDevice, true},
    Row{"gpu_memset", trace::Kind::kMemset, kDevice, true},
    Row{"Memset", trace::Kind::kMemset, kDevice, true},
    Row{"collective_comm", trace::Kind::kCommunication, kDevice, true},
    Row{"ai_cpu", trace::Kind::kAiCpu, kDevice, false},
    Row{kMtiaCategory, trace::Kind::kKernel, kDevice, true},
    // On device tracks, but no work.
    Row{"duplicate", trace::Kind::kDuplicate, kDevice, false},
    Row{"device_overhead", trace::Kind::kOverhead, kDevice, false},
    Row{"gpu_user_annotation", trace::Kind::kAnnotation, kDevice, true},
    Row{"cuda_sync", trace::Kind::kSynchronize, kDevice, true},
    Row{"xpu_sync", trace::Kind::kSynchronize, kDevice, true},
    Row{"cuda_event", trace::Kind::kEventRecord, kDevice,
        true},  // of CUPTI: where events are recorded
    Row{"event_wait", trace::Kind::kEventWait, kDevice, false},  // our own word
    Row{"cuda_profiler_range", trace::Kind::kAnnotation, kDevice, true},
    Row{"mtia_insight", trace::Kind::kAnnotation, kDevice, true},
    // Host.
    Row{"derived_from_device", trace::Kind::kDuplicate, kHost, false},  // our own word
    Row{"cpu_op", trace::Kind::kHostOp, kHost, true},
    Row{"Operator", trace::Kind::kHostOp, kHost, true},
    Row{"cpu_instant_event", trace::Kind::kHostOp, kHost, true},
    Row{"external_correlation", trace::Kind::kHostOp, kHost, true},
    Row{"enqueue", trace::Kind::kHostOp, kHost, false},  // torch_npu's queue between two threads
    Row{"dequeue", trace::Kind::kHostOp, kHost, false},
    Row{"synchronize", trace::Kind::kSynchronize, kHost, false},
    Row{"cuda_runtime", trace::Kind::kRuntimeCall, kHost, true},
    Row{"cuda_driver", trace::Kind::kRuntimeCall, kHost, true},
    Row{"Runtime", trace::Kind::kRuntimeCall, kHost, true},
    Row{"xpu_runtime", trace::Kind::kRuntimeCall, kHost, true},
    Row{"xpu_driver", trace::Kind::kRuntimeCall, kHost, true},
    Row{"mtia_runtime", trace::Kind::kRuntimeCall, kHost, true},
    Row{"glow_runtime", trace::Kind::kRuntimeCall, kHost, true},
    Row{"hpu_op", trace::Kind::kRuntimeCall, kHost, true},
    Row{"privateuse1_runtime", trace::Kind::kRuntimeCall, kHost, true},
    Row{"privateuse1_driver", trace::Kind::kRuntimeCall, kHost, true},
    Row{"user_annotation", trace::Kind::kAnnotation, kHost, true},
    Row{"python_function", trace::Kind::kPython, kHost, true},
    Row{"overhead", trace::Kind::kOverhead, kHost, true},
    Row{"Trace", trace::Kind::kAnnotation, kHost, true},
    Row{"hardware_counters", trace::Kind::kCounter, kHost, true},
    Row{"mtia_counters", trace::Kind::kCounter, kHost, true},
};

}  // namespace

CategoryMeaning meaning_of_category(std::string_view category) {
  const auto row = std::ranges::find(kRows, category, &Row::category);
  if (row == kRows.end()) return {};
  return {row->kind, row->side, true, row->is_kineto, category == kMtiaCategory};
}

trace::Kind kind_of_event(const CategoryMeaning& meaning, std::string_view name) {
  if (!meaning.is_by_name) return meaning.kind;
  const auto row = std::ranges::find_if(
      kMtiaNames, [&](const MtiaName& one) { return name.starts_with(one.prefix); });
  return row == kMtiaNames.end() ? meaning.kind : row->kind;
}

bool is_correlation_flow(std::string_view category) {
  return category == "ac2g" || category == "async_cpu_to_gpu" || category == "async";
}

}  // namespace lockstep::formats::shared
