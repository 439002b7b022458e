// A gap in which a device ran no kernel: where it lies, what overlaps it, what may be behind it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/tags.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

inline constexpr std::size_t kEvidenceOps = 3;

// A gap in the device's work. Those kept are significant and no dispatch gaps.
struct Gap {
  std::uint32_t step = 0;  // of the device's
  BubbleScope scope = BubbleScope::kInternal;
  Time start;
  Time end;
  std::uint32_t kernel_before = kNoKernel;  // of DeviceTimeline::kernels
  std::uint32_t kernel_after = kNoKernel;
  std::uint32_t position = kNoKernel;  // of kernel_after among the kernels of its step, from 0
  Time copied;                         // copies and sets ran
  bool touches_edge = false;           // of the capture

  [[nodiscard]] Time length() const { return end - start; }
  // Such a gap is told as the copies that ran in it.
  [[nodiscard]] bool is_mostly_copy() const { return 2 * copied.ps >= length().ps; }
};

// Facts by overlap: what the host did meanwhile.
struct HostCoverage {
  Time host_covered;            // leaf host events
  Time sync_covered;            // synchronising and copying calls
  Time comm_covered;            // communication calls
  Time python_covered;          // leaf Python frames
  Time overhead_covered;        // the profiler
  double host_parallelism = 0;  // host time over threads / host_covered; 0 where nothing ran
  std::vector<trace::EventId> evidence_ops;  // longest host events in it, at most kEvidenceOps
};

// Facts by flow: who launched the kernel that ends a gap, and when.
struct LaunchSplit {
  bool has_launch = false;  // the file says who launched kernel_after; else both parts are 0
  Time host_part;           // min(length, max(0, end of the launch call - start))
  Time queued_part;         // the rest
  trace::EventId launch_call = trace::kNoEvent;
  trace::EventId launch_op = trace::kNoEvent;  // the operator around that call (innermost host op)
  trace::EventId outermost_op = trace::kNoEvent;  // the outermost one that began in the bubble
  std::array<Time, kLaunchStageCount> stages{};   // the bubble's time by stage
  LaunchStage late_stage = LaunchStage::kUnknown;
};

// Whether a gap is no idle time.
struct ArtefactMark {
  bool is_unrecorded = false;
  bool is_opaque = false;

  [[nodiscard]] bool is_artefact() const { return is_unrecorded || is_opaque; }
};

// A gap with all that is known of it: each part is what one stage found.
struct Bubble : Gap, HostCoverage, LaunchSplit, ArtefactMark {
  trace::EventId inside_op =
      trace::kNoEvent;  // innermost host op that spans most of it, on any thread
  SoftLabels labels;

  // Nothing is known of what lies beyond the edge of the capture, so that gaps there count as
  // little as artefacts.
  [[nodiscard]] bool is_judged() const { return !is_artefact() && !touches_edge; }
};

}  // namespace lockstep::analysis::anomalies
