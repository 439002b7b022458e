// What the inputs lack.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/anomalies/verdict/thresholds.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct DeviceAnomalies;

// What is missing. Which figures of an EvidenceGap it has stands behind it.
enum class Lack : std::uint8_t {
  kDevices,     // no device ran a kernel
  kSteps,       // no markers and no passes; devices
  kMarkers,     // steps are passes; devices
  kStepsAlike,  // count in the largest group, of those that are needed
  kHostEvents,
  kHostCoverage,  // time of whole
  kLaunches,
  kSomeLaunches,  // count of
  kPythonFrames,
  kShapes,
  kTransit,            // count collectives
  kCommunicationJson,  // the same
  kKernelDetails,
  kTraceView,
  kKernelTypes,
  kBeyondEdge,      // count gaps
  kLeftOutDevices,  // count of; those judged
  kEmptySteps,
  kHostThreads,  // count of
  kDeepCalls,    // count of
  kMarkClasses,  // count of
};

struct EvidenceGap {
  Lack lack{};
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  WideTime time = 0;
  WideTime whole = 0;
  std::vector<std::uint32_t> devices{};  // that lack it; none where all do
};

// Markers, shapes, stacks, host events, flows, communication.json, kernel table, several passes.
[[nodiscard]] std::vector<EvidenceGap> evidence_gaps(const trace::Trace& trace,
                                                     std::span<const DeviceAnomalies> devices,
                                                     const Thresholds& thresholds = {});

}  // namespace lockstep::analysis::anomalies
