// What to do about findings, and what to record where they stay unexplained.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/anomalies/timeline/op_table.h"
#include "analysis/anomalies/verdict/tags.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct DeviceAnomalies;

enum class Action : std::uint8_t {
  kAvoidSyncOrCopy,
  kCompareRanks,
  kFindHostBlock,
  kShortenLaunchPath,
  kFreeLaunchThread,
  kRecordHost,
  kLookIntoOperator,  // Recommendation::op, before its launch
  kWidenCapture,
  kLaunchLess,
  kLookAtStreams,
  kFindLateRank,
  kFindLateRankIfMeasured,  // if transit was measured
  kFindLatePeer,            // in the step that stands out
  kDropDeviceCopies,
  kMoveOffAicpu,
  kRecordMissingWork,
  kLookBetweenLayers,
  kFuseSmallKernels,  // Recommendation::small
  kLeaveWaitAnchor,
  kCheckCommunication,
  kRecordStacks,
  kSampleThreads,
  kRecordShapes,
};

// What is not known, and keeps a recommendation from being sure.
enum class Unknown : std::uint8_t {
  kHostInGap,
  kCause,
  kLaunchOfNext,
  kLaunches,
  kDeviceWork,
  kBeyondEdge,
  kLateRank,
  kPollutedWaits,
  kPythonFrames,
  kHostEvents,
  kShapes,
};

struct Recommendation {
  Priority priority = Priority::kP3;
  std::string_view scope = {};            // "global", "step_group", "structure", "side", "op"
  std::vector<std::string> targets = {};  // groups, structures or operators; none for global
  Action action{};
  bool followup_required = false;
  std::optional<Unknown> unknown = {};
  std::string op = {};  // that the action is about
  SmallOps small = {};  // likewise
};

// P0 first; each with its scope, whether somebody must look further, and what is not known. The
// same advice for several targets is one.
[[nodiscard]] std::vector<Recommendation> recommend(const trace::Trace& trace,
                                                    std::span<const DeviceAnomalies> devices,
                                                    const Thresholds& thresholds = {});

}  // namespace lockstep::analysis::anomalies
