// What the rows of the tables are: types of tasks and levels of calls.
#pragma once

#include <array>
#include <string_view>

#include "trace/kind.h"

namespace lockstep::ascend {

// TASK.taskType of rows that no other table explains.
struct TaskType {
  std::string_view name;
  Kind kind;
};
inline constexpr std::array kTaskTypes = {
    // Computing. Counts only with a row in COMPUTE_TASK_INFO: without one it is the cover around
    // the parts of a mixed kernel or of a collective.
    TaskType{"KERNEL_AICORE", Kind::kKernel},
    TaskType{"KERNEL_AIVEC", Kind::kKernel},
    TaskType{"KERNEL_MIX_AIC", Kind::kKernel},
    TaskType{"KERNEL_MIX_AIV", Kind::kKernel},
    TaskType{"AI_CORE", Kind::kKernel},
    TaskType{"AI_VECTOR_CORE", Kind::kKernel},
    TaskType{"MIX_AIC", Kind::kKernel},
    TaskType{"MIX_AIV", Kind::kKernel},
    TaskType{"DSA_SQE", Kind::kKernel},
    TaskType{"STARS_COMMON", Kind::kKernel},
    TaskType{"AI_CPU", Kind::kAiCpu},
    TaskType{"AICPU", Kind::kAiCpu},
    TaskType{"KERNEL_AICPU", Kind::kAiCpu},
    TaskType{"KERNEL_AI_CPU", Kind::kAiCpu},
    // Copies.
    TaskType{"MEMCPY_ASYNC", Kind::kMemcpy},
    TaskType{"SDMA", Kind::kMemcpy},
    TaskType{"SDMA_SQE", Kind::kMemcpy},
    TaskType{"PCIE_DMA_SQE", Kind::kMemcpy},
    TaskType{"MEMSET_ASYNC", Kind::kMemset},  // by analogy; not seen in a real file yet
    // Waiting, and telling others to go on: never busy.
    TaskType{"EVENT_WAIT", Kind::kEventWait},
    TaskType{"EVENT_WAIT_SQE", Kind::kEventWait},
    TaskType{"EVENT_RECORD", Kind::kEventWait},
    TaskType{"EVENT_RECORD_SQE", Kind::kEventWait},
    TaskType{"Notify Wait", Kind::kEventWait},
    TaskType{"NOTIFY_WAIT", Kind::kEventWait},
    TaskType{"NOTIFY_WAIT_SQE", Kind::kEventWait},
    TaskType{"Notify Record", Kind::kEventWait},
    TaskType{"NOTIFY_RECORD", Kind::kEventWait},
    TaskType{"NOTIFY_RECORD_SQE", Kind::kEventWait},
    TaskType{"Write Value", Kind::kEventWait},
    TaskType{"WRITE_VALUE_SQE", Kind::kEventWait},
    // The profiler itself.
    TaskType{"PROFILING_ENABLE", Kind::kOverhead},
    TaskType{"PROFILING_DISABLE", Kind::kOverhead},
    TaskType{"PROFILER_TRACE_EX", Kind::kOverhead},
};
inline constexpr Kind kOtherTask = Kind::kAnnotation;  // PLACE_HOLDER_SQE and whatever comes

// COMMUNICATION_TASK_INFO.taskType: the steps of a collective, never busy.
inline constexpr std::array kCommunicationSteps = {
    TaskType{"Notify_Wait", Kind::kEventWait},
    TaskType{"Notify_Record", Kind::kEventWait},
};
inline constexpr Kind kOtherCommunicationStep =
    Kind::kAnnotation;  // Memcpy, Reduce_Inline, RDMASend

// ENUM_API_TYPE: CANN_API has the levels below 50000, PYTORCH_API the others.
struct ApiLevel {
  int number;
  Kind kind;
  std::string_view prefix;  // of the name, as in trace_view.json
};
inline constexpr std::array kApiLevels = {
    ApiLevel{5000, Kind::kRuntimeCall, "Runtime@"},
    ApiLevel{5500, Kind::kRuntimeCall, "Hccl@"},
    ApiLevel{10000, Kind::kRuntimeCall, "Node@"},
    ApiLevel{15000, Kind::kRuntimeCall, "Model@"},
    ApiLevel{20000, Kind::kRuntimeCall, "AscendCL@"},
    ApiLevel{50001, Kind::kHostOp, ""},
    ApiLevel{50002, Kind::kHostOp, ""},
    ApiLevel{50003, Kind::kPython, ""},
    ApiLevel{50004, Kind::kAnnotation, ""},
};
inline constexpr int kQueueLevel = 50002;

// Numbers that stand for "none".
inline constexpr std::int64_t kNoConnection = 0xFFFF'FFFF;
inline constexpr std::int64_t kNoModel = 0xFFFF'FFFF;

// MSTX_EVENTS.eventType.
inline constexpr int kMstxMarker = 0;
inline constexpr int kMstxMarkerEx = 3;

}  // namespace lockstep::ascend
