// One device, from its kernels to what is said of it.
#pragma once

#include <future>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/anomalies/anomalies.h"
#include "analysis/anomalies/device_anomalies.h"
#include "analysis/anomalies/evidence/host_index.h"
#include "analysis/anomalies/steps/step_windows.h"
#include "analysis/anomalies/structure/annotation_cuts.h"
#include "analysis/anomalies/timeline/device_index.h"
#include "analysis/cycles/cycles.h"
#include "trace/host/launches.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// What all devices of a trace share.
struct AnalysisContext {
  const trace::Trace& trace;
  const AnomaliesOptions& options;
  const std::shared_future<std::vector<HostIndex>>& hosts;  // made meanwhile
  const trace::Launches& launches;
  const AnnotationsByThread& annotations;
  const DeviceIndex& index;
  const std::map<std::pair<trace::RankId, trace::DeviceId>,
                 std::vector<const cycles::StreamCycles*>>& streams;
  const StepMarkers& markers;
  EmptySteps empty_steps = EmptySteps::kKeep;

  [[nodiscard]] const Thresholds& thresholds() const { return options.thresholds; }
  [[nodiscard]] const HostIndex& host_of(const DeviceTimeline& timeline) const {
    return hosts.get()[trace::index_of(timeline.rank)];
  }
  [[nodiscard]] std::span<const cycles::StreamCycles* const> streams_of(
      const DeviceTimeline& timeline) const {
    return streams.at({timeline.rank, timeline.device});
  }
};

// Ids of its steps and groups begin with `prefix`, which makes them unique over devices.
[[nodiscard]] DeviceAnomalies analyse_device(const AnalysisContext& context,
                                             std::string_view prefix, DeviceTimeline timeline);

}  // namespace lockstep::analysis::anomalies
