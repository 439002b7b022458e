// What the rows of the tables are: steps of collectives and levels of calls. Types of tasks are in
// formats/ascend/ascend_tasks.cpp.
#pragma once

#include <array>
#include <string_view>

#include "trace/kind.h"

namespace lockstep::formats::ascend_sqlite {

// COMMUNICATION_TASK_INFO.taskType: the steps of a collective, never busy.
struct CommunicationStepType {
  std::string_view name;
  trace::Kind kind;
};
inline constexpr std::array kCommunicationSteps = {
    CommunicationStepType{"Notify_Wait", trace::Kind::kEventWait},
    CommunicationStepType{"Notify_Record", trace::Kind::kEventRecord},
};
inline constexpr trace::Kind kOtherCommunicationStep =
    trace::Kind::kAnnotation;  // Memcpy, Reduce_Inline, RDMASend

// ENUM_API_TYPE: CANN_API has the levels below 50000, PYTORCH_API the others.
struct ApiLevel {
  int number;
  trace::Kind kind;
  std::string_view prefix;  // of the name, as in trace_view.json
};
inline constexpr std::array kApiLevels = {
    ApiLevel{5000, trace::Kind::kRuntimeCall, "Runtime@"},
    ApiLevel{5500, trace::Kind::kRuntimeCall, "Hccl@"},
    ApiLevel{10000, trace::Kind::kRuntimeCall, "Node@"},
    ApiLevel{15000, trace::Kind::kRuntimeCall, "Model@"},
    ApiLevel{20000, trace::Kind::kRuntimeCall, "AscendCL@"},
    ApiLevel{50001, trace::Kind::kHostOp, ""},
    ApiLevel{50002, trace::Kind::kHostOp, ""},
    ApiLevel{50003, trace::Kind::kPython, ""},
    ApiLevel{50004, trace::Kind::kAnnotation, ""},
};
inline constexpr int kQueueLevel = 50002;

// Numbers that stand for "none".
inline constexpr std::int64_t kNoConnection = 0xFFFF'FFFF;
inline constexpr std::int64_t kNoModel = 0xFFFF'FFFF;

// MSTX_EVENTS.eventType.
inline constexpr int kMstxMarker = 0;
inline constexpr int kMstxMarkerEx = 3;

}  // namespace lockstep::formats::ascend_sqlite
