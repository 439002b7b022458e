// What is known of one step in numbers, before any verdict. Rules for tags are functions of this.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace lockstep::analysis::anomalies {

// Facts from device intervals, clipped to the window of the step.
struct MeasuredGaps {
  Time service;      // length of the window
  Time device_busy;  // union of kernels and communication
  Time any_busy;     // with copies and sets
  Time computing;    // union without communication
  Time underfeed;    // service - device_busy
  Time prelaunch;    // window start to the first busy piece; the whole window when there is none
  Time prelaunch_launch;  // first own kernel - max(window start, end of earlier work)
  Time tail;              // last busy piece to the window's end
  Time inter_step;        // part of the tail behind the end of the marker or pass: between steps
  Time internal_total;    // gaps between busy pieces
  Time largest_internal;
  Time dispatch_total;                         // part of internal_total inside one graph launch
  Time exposed_copy;                           // copies and sets while no kernel ran
  std::uint32_t bubble_count = 0;              // all internal gaps
  std::uint32_t significant_bubble_count = 0;  // significant ones, of any scope
  std::uint32_t dispatch_count = 0;

  // Collectives run and nothing else does.
  [[nodiscard]] Time exposed_communication() const { return device_busy - computing; }
};

// The gaps that heavy tags judge: the same figures over gaps that are neither artefacts nor
// dispatch gaps; 0 where there is none. A gap that is an artefact in part counts without it.
struct JudgedGaps {
  Time artefact_idle;  // part of underfeed that is none, see Bubble::is_artefact, or at an edge
  Time judged_prelaunch;
  Time judged_tail;
  Time judged_largest_internal;
};

struct GapMetrics : MeasuredGaps, JudgedGaps {
  // The idle time that tags judge.
  [[nodiscard]] Time judged_idle() const { return underfeed - dispatch_total - artefact_idle; }
};

// What lies in the significant bubbles of a step, summed over their time.
struct BubbleEvidence {
  Time total;         // of significant bubbles that are no artefacts
  Time host_part;     // before the launch of the next kernel had returned
  Time queued_part;   // after it
  Time host_covered;  // by leaf host events
  Time sync_covered;
  Time comm_covered;
  Time overhead_covered;  // by the profiler's own work
  Time untraced;          // of bubbles labelled possible_untraced_host_blocking
  Time comm_labelled;     // of bubbles labelled possible_comm_wait
  Time heaviest;          // the heaviest bubble
  bool heaviest_is_untraced = false;
  bool heaviest_touches_edge = false;  // nothing was captured on its other side
};

struct CommEvidence {
  Time elapsed;                 // of collectives in the step, summed
  Time unmeasured;              // part of it whose transit is not known
  std::optional<Time> transit;  // moving data; known for some profilers only
  Time notify_wait;             // inside collectives, waiting for a peer

  [[nodiscard]] Time measured() const { return elapsed - unmeasured; }
};

struct AicpuEvidence {
  Time exposed;  // of AI CPU operators that computing hides for less than aicpu_exposed
  std::uint32_t exposed_count = 0;
  bool touches_bubble = false;
};

struct StepFacts {
  GapMetrics gaps;
  BubbleEvidence bubbles;
  CommEvidence comm;
  AicpuEvidence aicpu;
  std::uint32_t kernels = 0;        // own ones
  std::uint64_t python_frames = 0;  // recorded inside the window
  Time opaque_graph_idle;           // idle time under graph launches that show hardly any kernels
  Time unrecorded_idle;             // idle time that is unrecorded work
  bool has_wait_pollution = false;  // some operator waits wait_pollution inside communication
  bool has_wait_anchor = false;
  bool is_edge = false;  // the first or the last step of the capture
  // A hash of the shapes of its operators or kernels, where the trace has them.
  std::optional<std::uint64_t> shapes;
  // By how much the worst of prelaunch, tail, inter-step gap, copy, gap at one kernel position and
  // exposed communication exceeds the median of the group; nothing in groups that are too small to
  // tell.
  std::optional<Time> outlier_excess;
};

// Of the group of the step.
struct GroupFacts {
  std::uint32_t steps = 0;
  bool is_recurring = false;    // RECURRING_BUBBLE_PATTERN
  double median_kernels = 0;    // over all steps of the device
  bool has_two_shapes = false;  // steps with the same kernels and different shapes
};

}  // namespace lockstep::analysis::anomalies
