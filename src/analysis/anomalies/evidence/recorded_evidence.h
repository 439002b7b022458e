// What a trace holds of the evidence that anomalies are explained by.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/anomalies/device_anomalies.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct RecordedEvidence {
  bool has_host_events = false;  // operators or runtime calls
  bool has_python = false;
  bool has_shapes = false;
  std::uint64_t kernels = 0;
  std::uint64_t launched = 0;  // kernels whose launch is known
  WideTime bubble_time = 0;    // significant bubbles, no artefacts and not at the edge
  WideTime host_covered = 0;   // of it
  std::uint64_t collectives = 0;
  std::uint64_t with_transit = 0;   // collectives whose share of moving data is known
  std::uint32_t largest_group = 0;  // steps
  std::uint64_t edge_bubbles = 0;   // significant gaps that touch the edge of the capture
  std::size_t devices = 0;
  std::vector<std::uint32_t> with_passes;  // devices whose steps are passes of `cycles`
  std::vector<std::uint32_t> with_pseudo;  // devices whose step is the whole capture

  bool is_sparse = false;  // host events are there, and the gaps lie where hardly any are
};

[[nodiscard]] RecordedEvidence recorded_evidence(const trace::Trace& trace,
                                                 std::span<const DeviceAnomalies> devices,
                                                 const Thresholds& thresholds = {});

// Whether some input lacks that part ("communication.json").
[[nodiscard]] bool lacks_part(const trace::Trace& trace, std::string_view name);

}  // namespace lockstep::analysis::anomalies
