// One look at the trace and the steps: what was recorded.
#include "analysis/anomalies/evidence/recorded_evidence.h"

#include <algorithm>

#include "trace/evidence.h"

namespace lockstep::analysis::anomalies {
namespace {

void look_at_events(const trace::Trace& trace, RecordedEvidence& evidence) {
  std::vector<char> is_host(trace.tracks.size(), 0);
  for (std::size_t t = 0; t < trace.tracks.size(); ++t)
    is_host[t] = trace.tracks[t].side == trace::Track::Side::kHost ? 1 : 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const trace::Kind kind = trace.events.kind[i];
    const bool is_call = kind == trace::Kind::kHostOp || kind == trace::Kind::kRuntimeCall;
    if ((!is_call && kind != trace::Kind::kPython) ||
        is_host[trace::index_of(trace.events.track[i])] == 0)
      continue;
    (is_call ? evidence.has_host_events : evidence.has_python) = true;
    if (evidence.has_host_events && evidence.has_python) return;
  }
}

void look_at_windows(const DeviceAnomalies& device, RecordedEvidence& evidence) {
  const auto number = static_cast<std::uint32_t>(evidence.devices++);
  const auto has = [&](StepWindow window) {
    return std::ranges::find(device.steps, window, &AnomalyStep::window) != device.steps.end();
  };
  if (has(StepWindow::kDevice)) evidence.with_passes.push_back(number);
  if (has(StepWindow::kPseudo)) evidence.with_pseudo.push_back(number);
}

void look_at_device(const DeviceAnomalies& device, RecordedEvidence& evidence) {
  look_at_windows(device, evidence);
  evidence.kernels += device.timeline.kernels.size();
  evidence.launched += static_cast<std::uint64_t>(std::ranges::count_if(
      device.timeline.kernels,
      [](const DeviceWork& work) { return work.launched_by != trace::kNoEvent; }));
  evidence.collectives += static_cast<std::uint64_t>(
      std::ranges::count(device.timeline.kernels, trace::Kind::kCommunication, &DeviceWork::kind));
  for (const AnomalyStep& step : device.steps) {
    evidence.has_shapes |= step.facts.shapes.has_value();
  }
  for (const StepGroup& group : device.groups)
    evidence.largest_group =
        std::max(evidence.largest_group, static_cast<std::uint32_t>(group.steps.size()));
  for (const Bubble& bubble : device.bubbles) {
    if (bubble.touches_edge) ++evidence.edge_bubbles;
    if (bubble.is_artefact() || bubble.touches_edge) continue;
    evidence.bubble_time += bubble.length().ps;
    evidence.host_covered += bubble.host_covered.ps;
  }
}

}  // namespace

RecordedEvidence recorded_evidence(const trace::Trace& trace,
                                   std::span<const DeviceAnomalies> devices,
                                   const Thresholds& thresholds) {
  RecordedEvidence evidence;
  look_at_events(trace, evidence);
  evidence.has_shapes = trace::EvidenceReader(trace).has(trace::ArgumentRole::kShapes);
  for (const DeviceAnomalies& device : devices) look_at_device(device, evidence);
  evidence.is_sparse = evidence.has_host_events && evidence.bubble_time > 0 &&
                       static_cast<double>(evidence.host_covered) <
                           thresholds.host_sparse * static_cast<double>(evidence.bubble_time);
  evidence.with_transit = static_cast<std::uint64_t>(std::ranges::count_if(
      trace.collectives, [](const trace::Collective& c) { return c.transit.has_value(); }));
  return evidence;
}

bool lacks_part(const trace::Trace& trace, std::string_view name) {
  return std::ranges::any_of(trace.ranks, [name](const trace::Rank& rank) {
    return std::ranges::any_of(rank.parts, [name](const trace::SourcePart& part) {
      return part.use == trace::SourcePart::Use::kMissing && part.name == name;
    });
  });
}

}  // namespace lockstep::analysis::anomalies
