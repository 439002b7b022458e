// What the inputs lack: one sentence each, with what that costs and how to get it.
#include "analysis/anomalies/evidence/evidence_gaps.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/anomalies/evidence/recorded_evidence.h"
#include "analysis/anomalies/verdict/finding_texts.h"
#include "base/text.h"

namespace lockstep::analysis::anomalies {
namespace {

// Recurrence and outliers need as many steps of a kind by default.
constexpr std::uint32_t kStepsToCompare = 3;

// Of what is so on some devices only, on which.
constexpr std::size_t kMostDevices = 3;
std::string on_which(const std::vector<std::string>& devices, std::size_t all) {
  if (devices.size() == all) return "";
  const std::size_t named = std::min(devices.size(), kMostDevices);
  std::vector<std::string> names(devices.begin(),
                                 devices.begin() + static_cast<std::ptrdiff_t>(named));
  if (devices.size() > named) names.push_back(fmt::format("{} more", devices.size() - named));
  return " for " + listed(names);
}

void tell_steps(const RecordedEvidence& evidence, const ProfilerOptions& options,
                std::vector<std::string>& gaps) {
  if (!evidence.with_pseudo.empty())
    gaps.push_back(fmt::format(
        "No step markers{}, and no passes were found: the whole capture counts as one step, so "
        "that gaps between steps look like gaps inside one. Mark them with {}.",
        on_which(evidence.with_pseudo, evidence.devices), options.steps));
  if (!evidence.with_passes.empty())
    gaps.push_back(fmt::format(
        "No step markers{}: steps are the passes that the device repeats, from the first kernel of "
        "one to the first of the next, so that there are no prelaunch gaps and host time between "
        "passes counts as inter-step. Mark steps with {}.",
        on_which(evidence.with_passes, evidence.devices), options.steps));
  if (evidence.largest_group < kStepsToCompare)
    gaps.push_back(fmt::format(
        "No more than {} with the same kernels: whether a gap comes back and which step "
        "stands out cannot be told. Record at least {} steps.",
        counted(evidence.largest_group, "step"), kStepsToCompare));
}

void tell_host(const RecordedEvidence& evidence, const ProfilerOptions& options,
               std::vector<std::string>& gaps) {
  if (!evidence.has_host_events) {
    gaps.push_back(
        fmt::format("No host events: what the host did in a gap is not known, and no cause can be "
                    "told from it. "
                    "Record the host with {}.",
                    options.host));
  } else if (evidence.is_sparse) {
    gaps.push_back(fmt::format(
        "Host events are sparse: they cover {} of {} of gaps, so that the cause can only be sought "
        "outside of what was recorded. Sample the host's threads.",
        share_text(evidence.host_covered, evidence.bubble_time), time_text(evidence.bubble_time)));
  }
  if (evidence.kernels > 0 && evidence.launched == 0) {
    gaps.emplace_back(
        "No arrows from launches to kernels: whether the host launched late or the device had the "
        "work queued cannot be told. Record host and device in one capture.");
  } else if (2 * evidence.launched < evidence.kernels) {
    gaps.push_back(fmt::format(
        "The launch of {} of {} is not known: their gaps cannot be split between host and queue.",
        grouped(evidence.kernels - evidence.launched), counted(evidence.kernels, "kernel")));
  }
  if (evidence.has_host_events && !evidence.has_python)
    gaps.push_back(fmt::format(
        "No Python frames: gaps can be laid to operators and calls, not to lines of code. Record "
        "Python stacks ({}).",
        options.stacks));
  if (!evidence.has_shapes)
    gaps.push_back(fmt::format(
        "No operator shapes: steps with the same kernels and different shapes cannot be told apart "
        "(VARIABLE_SHAPE_SAME_TEMPLATE is not judged). Record shapes ({}).",
        options.shapes));
}

void tell_parts(const trace::Trace& trace, const RecordedEvidence& evidence,
                std::vector<std::string>& gaps) {
  const bool lacks_communication = lacks_part(trace, "communication.json");
  if (evidence.collectives > 0 && evidence.with_transit == 0)
    gaps.push_back(
        fmt::format("{}: how much of {} moves data and how much waits for a peer is not known "
                    "(COMM_STALL_MASKED is judged by notification waits only).",
                    lacks_communication ? "No communication.json" : "No transit times",
                    counted(evidence.collectives, "collective")));
  if (lacks_part(trace, "kernel_details.csv"))
    gaps.emplace_back(
        "No kernel_details.csv: kernels come from a coarser table, so that types of operators and "
        "waits inside of them may be missing.");
  if (lacks_part(trace, "trace_view.json"))
    gaps.emplace_back(
        "No trace_view.json: no host events, no launches and no copies, so that gaps are facts "
        "without any cause.");
  if (lacks_part(trace, "types of kernels"))
    gaps.emplace_back(
        "No types of kernels (Level0): AI CPU operators cannot be told from others. Record with "
        "profiler_level=Level1.");
  if (evidence.edge_bubbles > 0)
    gaps.push_back(fmt::format(
        "{} {} the edge of the capture: what lies beyond was not recorded, so that {} not laid to "
        "the host. Let a warm-up step run inside the capture.",
        counted(evidence.edge_bubbles, "gap"), evidence.edge_bubbles == 1 ? "touches" : "touch",
        evidence.edge_bubbles == 1 ? "it is" : "they are"));
}

}  // namespace

std::vector<std::string> evidence_gaps(const trace::Trace& trace,
                                       std::span<const DeviceAnomalies> devices,
                                       const Thresholds& thresholds) {
  std::vector<std::string> gaps;
  if (devices.empty()) {
    gaps.emplace_back("No device ran a kernel: there is nothing to judge.");
    return gaps;
  }
  const RecordedEvidence evidence = recorded_evidence(trace, devices, thresholds);
  const ProfilerOptions& options = profiler_options(trace);
  tell_steps(evidence, options, gaps);
  tell_host(evidence, options, gaps);
  tell_parts(trace, evidence, gaps);
  return gaps;
}

}  // namespace lockstep::analysis::anomalies
