// Which devices are judged, each by analyse_device, and what the inputs lack.
#include "analysis/anomalies/anomalies.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "analysis/anomalies/device_analysis.h"
#include "analysis/anomalies/device_choice.h"
#include "analysis/anomalies/evidence/host_index.h"
#include "analysis/anomalies/evidence/left_out.h"
#include "analysis/anomalies/steps/step_windows.h"
#include "analysis/anomalies/structure/annotation_cuts.h"
#include "analysis/anomalies/timeline/device_index.h"
#include "analysis/anomalies/verdict/recommendations.h"
#include "base/threads/on_threads.h"
#include "trace/host/launches.h"

namespace lockstep::analysis::anomalies {
namespace {

std::uint32_t dominant_device(const std::vector<DeviceAnomalies>& devices) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < devices.size(); ++i) {
    if (devices[i].groups.front().total_service > devices[best].groups.front().total_service)
      best = i;
  }
  return best;
}

}  // namespace

Anomalies find_anomalies(const trace::Trace& trace, const AnomaliesOptions& options) {
  const std::shared_future<std::vector<HostIndex>> hosts =
      run_beside("host index", [&] { return index_hosts(trace); }).share();
  const cycles::Cycles cycles = cycles::find_cycles(trace, options.cycles);
  const trace::Launches launches = trace::find_launches(trace);
  std::vector<const cycles::KernelStream*> streams;
  std::map<std::pair<trace::RankId, trace::DeviceId>, std::vector<const cycles::StreamCycles*>>
      by_device;
  for (const cycles::StreamCycles& one : cycles.streams) {
    streams.push_back(&one.stream);
    by_device[{one.stream.rank, one.stream.device}].push_back(&one);
  }
  std::vector<DeviceTimeline> timelines = device_timelines(trace, streams);

  Anomalies anomalies;
  const AnnotationsByThread annotations = cutting_annotations(trace);
  const DeviceIndex index(trace);
  const StepMarkers markers(trace);
  const std::size_t all_devices = timelines.size();
  timelines = busiest(options.most_devices, std::move(timelines));
  const EmptySteps empty = empty_steps(markers, timelines, options.most_steps);
  const AnalysisContext context{trace, options,   hosts,   launches, annotations,
                                index, by_device, markers, empty};
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const std::string prefix = prefix_of(timelines[i], timelines.size(), i);
    anomalies.devices.push_back(analyse_device(context, prefix, std::move(timelines[i])));
  }
  if (anomalies.devices.empty()) return anomalies;
  const auto is_marked = [](const DeviceAnomalies& device) {
    return device.steps.front().window == StepWindow::kHost;
  };
  anomalies.steps_are_marked = std::ranges::any_of(anomalies.devices, is_marked);
  anomalies.dominant_device = dominant_device(anomalies.devices);
  anomalies.evidence_gaps = evidence_gaps(trace, anomalies.devices, options.thresholds);
  std::ranges::move(left_out({anomalies.devices.size(), all_devices, empty}, hosts.get(), cycles),
                    std::back_inserter(anomalies.evidence_gaps));
  anomalies.recommendations = recommend(trace, anomalies.devices, options.thresholds);
  return anomalies;
}

}  // namespace lockstep::analysis::anomalies
