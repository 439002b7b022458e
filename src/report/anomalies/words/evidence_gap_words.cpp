// A sentence for each lack.
#include "report/anomalies/words/evidence_gap_words.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/anomalies/words/profiler_words.h"
#include "report/anomalies/words/word_parts.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::DeviceAnomalies;
using analysis::anomalies::EvidenceGap;
using analysis::anomalies::Lack;

constexpr std::size_t kMostNamedDevices = 3;

std::string name_of_device(const analysis::anomalies::DeviceTimeline& timeline) {
  std::string device = timeline.device_id.empty()
                           ? "the device"
                           : fmt::format("device {}", valid_utf8(timeline.device_id));
  if (timeline.rank_number) device += fmt::format(" of rank {}", *timeline.rank_number);
  return device;
}

// " for device 0 of rank 1"; empty where it is so for all.
std::string for_devices(std::span<const DeviceAnomalies> devices, const EvidenceGap& gap) {
  if (gap.devices.empty()) return "";
  const std::size_t named = std::min(gap.devices.size(), kMostNamedDevices);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < named; ++i)
    names.push_back(name_of_device(devices[gap.devices[i]].timeline));
  if (gap.devices.size() > named)
    names.push_back(fmt::format("{} more", gap.devices.size() - named));
  return " for " + listed(names);
}

std::string transit_words(std::string_view missing, const EvidenceGap& gap) {
  return fmt::format(
      "{}: how much of {} moves data and how much waits for a peer is not known "
      "(COMM_STALL_MASKED is judged by notification waits only).",
      missing, counted(gap.count, "collective"));
}

std::string host_words(const ProfilerWords& profiler, const EvidenceGap& gap) {
  switch (gap.lack) {
    case Lack::kHostEvents:
      return fmt::format(
          "No host events: what the host did in a gap is not known, and no cause can be told from "
          "it. Record the host with {}.",
          profiler.host);
    case Lack::kHostCoverage:
      return fmt::format(
          "Host events are sparse: they cover {} of {} of gaps, so that the cause can only be "
          "sought outside of what was recorded. Sample the host's threads.",
          share_words(gap.time, gap.whole), time_words(gap.whole));
    case Lack::kLaunches:
      return "No arrows from launches to kernels: whether the host launched late or the device had "
             "the work queued cannot be told. Record host and device in one capture.";
    case Lack::kSomeLaunches:
      return fmt::format(
          "The launch of {} of {} is not known: their gaps cannot be split between host and queue.",
          grouped(gap.count), counted(gap.of, "kernel"));
    case Lack::kPythonFrames:
      return fmt::format(
          "No Python frames: gaps can be laid to operators and calls, not to lines of code. Record "
          "Python stacks ({}).",
          profiler.stacks);
    case Lack::kShapes:
      return fmt::format(
          "No operator shapes: steps with the same kernels and different shapes cannot be told "
          "apart (VARIABLE_SHAPE_SAME_TEMPLATE is not judged). Record shapes ({}).",
          profiler.shapes);
    default:
      return "";
  }
}

std::string part_words(const EvidenceGap& gap) {
  switch (gap.lack) {
    case Lack::kDevices:
      return "No device ran a kernel: there is nothing to judge.";
    case Lack::kTransit:
      return transit_words("No transit times", gap);
    case Lack::kCommunicationJson:
      return transit_words("No communication.json", gap);
    case Lack::kKernelDetails:
      return "No kernel_details.csv: kernels come from a coarser table, so that types of operators "
             "and waits inside of them may be missing.";
    case Lack::kTraceView:
      return "No trace_view.json: no host events, no launches and no copies, so that gaps are "
             "facts without any cause.";
    case Lack::kKernelTypes:
      return "No types of kernels (Level0): AI CPU operators cannot be told from others. Record "
             "with profiler_level=Level1.";
    case Lack::kBeyondEdge:
      return fmt::format(
          "{} {} the edge of the capture: what lies beyond was not recorded, so that {} not laid "
          "to the host. Let a warm-up step run inside the capture.",
          counted(gap.count, "gap"), gap.count == 1 ? "touches" : "touch",
          gap.count == 1 ? "it is" : "they are");
    default:
      return "";
  }
}

// What was not judged, because there is too much of it.
std::string left_out_words(const EvidenceGap& gap) {
  const std::string count = grouped(gap.count);
  const std::string all = grouped(gap.of);
  switch (gap.lack) {
    case Lack::kLeftOutDevices:
      return fmt::format(
          "Only the {} of {} devices that worked most were judged: there are too many. Select "
          "devices with --devices.",
          count, all);
    case Lack::kEmptySteps:
      return "Steps in which a device was asked for nothing were left out: there are too many "
             "devices and steps. Select devices with --devices.";
    case Lack::kHostThreads:
      return fmt::format(
          "Only the {} of {} host threads with most events were asked what the host did in gaps: "
          "there are too many.",
          count, all);
    case Lack::kDeepCalls:
      return fmt::format(
          "Only the {} innermost of up to {} calls around an event were asked what it is part of: "
          "they are nested too deep.",
          count, all);
    case Lack::kMarkClasses:
      return fmt::format(
          "Only the {} of {} names of annotations that last longest were asked where loops begin: "
          "there are too many.",
          count, all);
    default:
      return "";
  }
}

}  // namespace

std::string evidence_gap_words(const trace::Trace& trace, std::span<const DeviceAnomalies> devices,
                               const EvidenceGap& gap) {
  const ProfilerWords& profiler = profiler_words(trace);
  switch (gap.lack) {
    case Lack::kSteps:
      return fmt::format(
          "No step markers{}, and no passes were found: the whole capture counts as one step, so "
          "that gaps between steps look like gaps inside one. Mark them with {}.",
          for_devices(devices, gap), profiler.steps);
    case Lack::kMarkers:
      return fmt::format(
          "No step markers{}: steps are the passes that the device repeats, from the first kernel "
          "of one to the first of the next, so that there are no prelaunch gaps and host time "
          "between passes counts as inter-step. Mark steps with {}.",
          for_devices(devices, gap), profiler.steps);
    case Lack::kStepsAlike:
      return fmt::format(
          "No more than {} with the same kernels: whether a gap comes back and which step stands "
          "out cannot be told. Record at least {} steps.",
          counted(gap.count, "step"), gap.of);
    default:
      break;
  }
  std::string words = host_words(profiler, gap);
  if (words.empty()) words = part_words(gap);
  return words.empty() ? left_out_words(gap) : words;
}

}  // namespace lockstep::report::anomalies
