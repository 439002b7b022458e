// Operators of one device: how long their kernels ran and how long the device had waited for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/timeline/kernel_gaps.h"
#include "analysis/anomalies/timeline/ratio.h"
#include "analysis/anomalies/verdict/tags.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// All kernels with one name, as people read it, and kind: an operator that fell back to the AI CPU
// is a row of its own.
// Total cost is duration + gap to the device.
struct OpRow {
  StringId name{};        // of several spellings that which ran first
  std::string text;       // demangled
  std::string_view type;  // what the file calls its kind ("AI_VECTOR_CORE"), else ours ("kernel")
  trace::Kind kind = trace::Kind::kKernel;
  std::uint64_t count = 0;
  WideTime duration = 0;
  WideTime to_device = 0;
  WideTime to_stream = 0;
  WideTime to_compute = 0;
  std::optional<WideTime> exported_wait;  // the exporter's Wait Time, where the file has it
  WideTime artefact_wait = 0;             // part of to_device in gaps that are artefacts
  double comm_wait_share = 0;             // of its waits (own stream) inside communication
  bool is_wait_anchor = false;            // ranked over all rows
  bool has_wait_pollution = false;        // its waits matter and are communication

  [[nodiscard]] WideTime total_cost() const { return duration + to_device; }
  // Whether most of what it waited for is no idleness.
  [[nodiscard]] bool waits_in_artefact() const { return 2 * artefact_wait > to_device; }
  [[nodiscard]] double wait_ratio() const { return ratio_of(to_device, total_cost()); }
};

// One AI CPU kernel.
struct AicpuRow {
  std::uint32_t kernel = kNoKernel;
  Time duration;
  Time masked;  // while other kernels computed
  AicpuClass aicpu = AicpuClass::kExposed;
};

// Small kernels: whether they are many enough to matter.
struct SmallOps {
  std::uint64_t count = 0;  // kernels shorter than small_op_us
  std::uint64_t all = 0;
  WideTime duration = 0;
  WideTime gaps = 0;    // before them, to the device; without `apart`
  WideTime apart = 0;   // of the gaps before them in gaps that are no launch gaps
  double limit_us = 0;  // small_op_us
  Time span{};          // of the device, from its first to its last kernel
  bool matters = false;
};

struct OpTable {
  std::vector<OpRow> rows;                 // by total cost, greatest first
  std::vector<std::uint32_t> by_duration;  // the same rows by duration, greatest first
  // False hotspots: ranked over all rows, and over rows that compute. Indices of rows.
  std::vector<std::uint32_t> wait_anchors;
  std::vector<std::uint32_t> compute_wait_anchors;
  std::vector<AicpuRow> aicpu;        // by kernel
  SmallOps small;                     // not of make_op_table: what it leaves apart is known later
  std::vector<std::uint32_t> row_of;  // by kernel of the timeline
};

[[nodiscard]] OpTable make_op_table(const trace::Trace& trace, const DeviceTimeline& timeline,
                                    std::span<const KernelGaps> gaps, const Thresholds& thresholds);

}  // namespace lockstep::analysis::anomalies
