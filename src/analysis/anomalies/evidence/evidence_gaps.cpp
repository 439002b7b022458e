// What was recorded against what could have been.
#include "analysis/anomalies/evidence/evidence_gaps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/anomalies/evidence/recorded_evidence.h"

namespace lockstep::analysis::anomalies {
namespace {

using Gaps = std::vector<EvidenceGap>;

// Of what is so on some devices only, on which.
std::vector<std::uint32_t> on_which(const std::vector<std::uint32_t>& devices, std::size_t all) {
  return devices.size() == all ? std::vector<std::uint32_t>{} : devices;
}

// As many steps as a threshold set by hand asks for; it may be absurd.
std::uint64_t whole_steps(double threshold) {
  constexpr double kMost = 1e15;
  return static_cast<std::uint64_t>(std::ceil(std::clamp(threshold, 0.0, kMost)));
}

void tell_steps(const RecordedEvidence& evidence, const Thresholds& thresholds, Gaps& gaps) {
  if (!evidence.with_pseudo.empty())
    gaps.push_back(
        {.lack = Lack::kSteps, .devices = on_which(evidence.with_pseudo, evidence.devices)});
  if (!evidence.with_passes.empty())
    gaps.push_back(
        {.lack = Lack::kMarkers, .devices = on_which(evidence.with_passes, evidence.devices)});
  if (evidence.largest_group < thresholds.recurring_steps)
    gaps.push_back({.lack = Lack::kStepsAlike,
                    .count = evidence.largest_group,
                    .of = whole_steps(thresholds.recurring_steps)});
}

void tell_host(const RecordedEvidence& evidence, Gaps& gaps) {
  if (!evidence.has_host_events) {
    gaps.push_back({.lack = Lack::kHostEvents});
  } else if (evidence.is_sparse) {
    gaps.push_back({.lack = Lack::kHostCoverage,
                    .time = evidence.host_covered,
                    .whole = evidence.bubble_time});
  }
  if (evidence.kernels > 0 && evidence.launched == 0) {
    gaps.push_back({.lack = Lack::kLaunches});
  } else if (2 * evidence.launched < evidence.kernels) {
    gaps.push_back({.lack = Lack::kSomeLaunches,
                    .count = evidence.kernels - evidence.launched,
                    .of = evidence.kernels});
  }
  if (evidence.has_host_events && !evidence.has_python)
    gaps.push_back({.lack = Lack::kPythonFrames});
  if (!evidence.has_shapes) gaps.push_back({.lack = Lack::kShapes});
}

void tell_parts(const trace::Trace& trace, const RecordedEvidence& evidence, Gaps& gaps) {
  if (evidence.collectives > 0 && evidence.with_transit == 0)
    gaps.push_back({.lack = lacks_part(trace, "communication.json") ? Lack::kCommunicationJson
                                                                    : Lack::kTransit,
                    .count = evidence.collectives});
  if (lacks_part(trace, "kernel_details.csv")) gaps.push_back({.lack = Lack::kKernelDetails});
  if (lacks_part(trace, "trace_view.json")) gaps.push_back({.lack = Lack::kTraceView});
  if (lacks_part(trace, "types of kernels")) gaps.push_back({.lack = Lack::kKernelTypes});
  if (evidence.edge_bubbles > 0)
    gaps.push_back({.lack = Lack::kBeyondEdge, .count = evidence.edge_bubbles});
}

}  // namespace

std::vector<EvidenceGap> evidence_gaps(const trace::Trace& trace,
                                       std::span<const DeviceAnomalies> devices,
                                       const Thresholds& thresholds) {
  if (devices.empty()) return {{.lack = Lack::kDevices}};
  const RecordedEvidence evidence = recorded_evidence(trace, devices, thresholds);
  Gaps gaps;
  tell_steps(evidence, thresholds, gaps);
  tell_host(evidence, gaps);
  tell_parts(trace, evidence, gaps);
  return gaps;
}

}  // namespace lockstep::analysis::anomalies
