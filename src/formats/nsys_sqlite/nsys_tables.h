// The tables of an export that hold events, and what their rows are.
#pragma once

#include <array>
#include <string_view>

#include "trace/kind.h"

namespace lockstep::formats::nsys_sqlite {

// Rows of work on a device: start, end, deviceId, contextId, streamId, correlationId, globalPid.
struct DeviceTable {
  std::string_view name;
  trace::Kind kind;
};
inline constexpr DeviceTable kKernels{"CUPTI_ACTIVITY_KIND_KERNEL", trace::Kind::kKernel};
inline constexpr DeviceTable kCopies{"CUPTI_ACTIVITY_KIND_MEMCPY", trace::Kind::kMemcpy};
inline constexpr DeviceTable kSets{"CUPTI_ACTIVITY_KIND_MEMSET", trace::Kind::kMemset};
// A whole graph as one row: the device is busy, with kernels that nobody recorded. As a kernel it
// keeps busy time and the order of work true; a diagnostic says what such rows are.
inline constexpr DeviceTable kGraphs{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", trace::Kind::kKernel};
// Waits for a stream, an event or a context. A stream that waits for an event is kEventWait.
inline constexpr DeviceTable kWaits{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                    trace::Kind::kSynchronize};
inline constexpr std::array kDeviceTables = {kKernels, kCopies, kSets, kGraphs, kWaits};

// Calls on a host thread: start, end, globalTid and the number of a string.
struct HostTable {
  std::string_view name;
  std::string_view name_column;
  trace::Kind kind;
  std::string_view what;
};
inline constexpr std::array kHostTables = {
    HostTable{"CUPTI_ACTIVITY_KIND_RUNTIME", "nameId", trace::Kind::kRuntimeCall, "CUDA calls"},
    HostTable{"CUDNN_EVENTS", "nameId", trace::Kind::kHostOp, "cuDNN calls"},
    HostTable{"CUBLAS_EVENTS", "nameId", trace::Kind::kHostOp, "cuBLAS calls"},
    HostTable{"OSRT_API", "nameId", trace::Kind::kHostOp, "calls of the system's libraries"},
    HostTable{"MPI_P2P_EVENTS", "textId", trace::Kind::kHostOp, "MPI calls"},
    HostTable{"MPI_COLLECTIVES_EVENTS", "textId", trace::Kind::kHostOp, "MPI calls"},
    HostTable{"MPI_START_WAIT_EVENTS", "textId", trace::Kind::kHostOp, "MPI calls"},
    HostTable{"MPI_OTHER_EVENTS", "textId", trace::Kind::kHostOp, "MPI calls"},
    HostTable{"CUPTI_ACTIVITY_KIND_OPENACC_DATA", "nameId", trace::Kind::kHostOp, "OpenACC calls"},
    HostTable{"CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", "nameId", trace::Kind::kHostOp,
              "OpenACC calls"},
    HostTable{"CUPTI_ACTIVITY_KIND_OPENACC_OTHER", "nameId", trace::Kind::kHostOp, "OpenACC calls"},
    HostTable{"CUPTI_ACTIVITY_KIND_OVERHEAD", "nameId", trace::Kind::kOverhead, "overhead of CUDA"},
    HostTable{"PROFILER_OVERHEAD", "nameId", trace::Kind::kOverhead, "overhead of the profiler"},
};

inline constexpr std::string_view kRanges = "NVTX_EVENTS";  // annotations

// eventType of NVTX_EVENTS; nvtxt is text that was imported.
enum class NvtxType : int {
  kMark = 34,
  kThreadName = 39,
  kPushPop = 59,
  kStartEnd = 60,
  kTextMark = 65,
  kTextPushPop = 70,
  kTextStartEnd = 71,
  kDomain = 75,
};

// syncType of kWaits: names as Kineto writes them.
struct WaitType {
  std::string_view name;
  trace::Kind kind;
};
inline constexpr std::array kWaitTypes = {
    WaitType{"Unknown Sync", trace::Kind::kSynchronize},
    WaitType{"Event Sync", trace::Kind::kSynchronize},
    WaitType{"Stream Wait Event", trace::Kind::kEventWait},
    WaitType{"Stream Sync", trace::Kind::kSynchronize},
    WaitType{"Context Sync", trace::Kind::kSynchronize},
};

// copyKind of kCopies, and the kinds of memory at its ends.
inline constexpr std::array<std::string_view, 14> kCopyTypes = {
    "",     "HtoD", "DtoH", "HtoA", "AtoH",         "AtoA",         "AtoD",
    "DtoA", "DtoD", "HtoH", "PtoP", "Unified HtoD", "Unified DtoH", "Unified DtoD"};
inline constexpr std::array<std::string_view, 8> kMemoryTypes = {
    "Pageable", "Pinned",        "Device",         "Array",
    "Managed",  "Device Static", "Managed Static", "Unknown"};

}  // namespace lockstep::formats::nsys_sqlite
