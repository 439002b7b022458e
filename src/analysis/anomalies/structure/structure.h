// One step taken apart: step, structures (layers), block and side, operators; each on four clocks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/anomalies/structure/structure_name.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/timeline/op_table.h"
#include "analysis/anomalies/verdict/tags.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "analysis/cycles/cycles.h"
#include "base/time.h"
#include "trace/host/window_index.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct Clocks {
  Time wall;                // first start to last end
  Time busy;                // union
  WideTime kernel_sum = 0;  // overlap counts twice
  WideTime total_cost = 0;  // kernel_sum + gaps to the device
};

// What it means that the clocks disagree.
enum class ClockReading : std::uint8_t {
  kOverlap,    // kernel_sum >> wall: streams run side by side
  kBubbles,    // wall >> busy: the device idles inside
  kWaitHeavy,  // total_cost >> kernel_sum: the cost is waiting, not work
};
using ClockReadings = EnumSet<ClockReading>;
[[nodiscard]] std::string_view name_of(ClockReading reading);  // "overlap", "bubbles", "wait_heavy"
// One clock exceeds another by far from clocks_disagree times on.
[[nodiscard]] ClockReadings readings_of(const Clocks& clocks, const Thresholds& thresholds = {});

enum class StructureEvidence : std::uint8_t { kLoop, kAnnotation, kGap, kNone };
[[nodiscard]] std::string_view name_of(StructureEvidence evidence);  // "loop", "annotation", ...

struct OpShare {
  std::uint32_t row = 0;  // of OpTable::rows
  std::uint32_t count = 0;
  Clocks clocks;
};

struct BlockOrSide {
  std::uint32_t kernels = 0;
  Clocks clocks;
  ClockReadings readings;
  std::vector<OpShare> ops;                // by total cost, greatest first
  std::vector<std::uint32_t> by_duration;  // indices of ops
};

// A stretch of the step's kernels: a layer, or what lies before, between and after layers.
struct Structure {
  StructureName name;
  bool is_layer = false;  // by `cycles` or by annotation
  Time start;
  Time end;
  std::uint32_t kernels = 0;
  std::uint32_t first_kernel = kNoKernel;  // of the timeline
  std::uint32_t last_kernel = kNoKernel;
  Clocks clocks;
  ClockReadings readings;
  double share_of_step = 0;    // wall, of the step's window
  double computing_share = 0;  // of kernel_sum
  double aicpu_share = 0;
  double communication_share = 0;
  Time bubbles_inside;  // gaps between the step's kernels, but for the one at its beginning
  Time largest_bubble;
  std::uint32_t largest_before = kNoKernel;  // kernels around it
  std::uint32_t largest_after = kNoKernel;
  Time gap_before;  // to the structure before
  BlockOrSide block;
  BlockOrSide side;
};

// Structures of one kind together.
struct StructureType {
  StructureKind kind;
  std::uint32_t count = 0;
  Clocks clocks;  // sums over them
  ClockReadings readings;
  WideTime bubbles_inside = 0;
  WideTime gaps_before = 0;
};

struct StructureBreakdown {
  std::uint32_t step = 0;  // that was taken apart
  StructureEvidence evidence = StructureEvidence::kNone;
  Clocks clocks;
  ClockReadings readings;
  std::vector<Structure> structures;  // in time order; cover the step's kernels
  std::vector<StructureType> types;   // by wall, greatest first
  WideTime bubbles_inside = 0;        // of structures
  WideTime bubbles_between = 0;       // at their borders
};

using AnnotationsByThread = std::map<trace::TrackId, trace::WindowIndex<trace::EventId>>;

// `kernels` are those of the step, ascending; [start, end) is its window.
struct StructureInput {
  const trace::Trace& trace;
  const DeviceTimeline& timeline;
  std::span<const KernelGaps> gaps;
  const OpTable& ops;
  std::span<const cycles::StreamCycles* const> streams;  // of the device
  const AnnotationsByThread& annotations;
  std::span<const std::uint32_t> kernels;
  std::uint32_t step = 0;
  Time start;
  Time end;
};
[[nodiscard]] StructureBreakdown break_down(const StructureInput& input,
                                            const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies
