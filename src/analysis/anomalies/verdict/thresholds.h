// Every number that a verdict of `anomalies` depends on: its name, its default and what it decides.
//
// One home: rules read them from here, `--threshold NAME=VALUE` sets them by name, reports echo
// them. Those of the spec's rulebook keep its values; the spec is silent about those marked with *.
// "Most" and "mostly" are half everywhere: words, not thresholds. Limits on what is looked at, so
// that no file takes for ever (kMost...), stand where they are kept, and reports tell of them.
#pragma once

#include <span>
#include <string_view>

#include "base/time.h"

namespace lockstep::analysis::anomalies {

// Whose rules raise DEVICE_IDLE_GAP_HEAVY: the rulebook's (any of its four conditions) or the
// reference script's (underfeed alone).
enum class AnomalyRules : std::uint8_t { kRulebook, kScript };

struct Thresholds {
  // A gap is heavy from max(heavy_gap_us, heavy_gap_share of the step) on.
  double heavy_gap_us = 1000;
  double heavy_gap_share = 0.10;
  double high_underfeed = 0.30;  // DEVICE_IDLE_GAP_HEAVY, and "high" in the risk tags
  // A bubble is significant from max(significant_us, significant_share of the step) on. *
  double significant_us = 10;
  double significant_share = 0.001;

  double label_sync = 0.20;        // possible_sync_or_h2d
  double label_comm = 0.20;        // possible_comm_wait
  double label_untraced = 0.05;    // possible_untraced_host_blocking below
  double label_launch_lag = 0.10;  // possible_host_launch_lag
  double label_parallelism = 1.2;  // possible_python_serialization_or_lock below
  double label_python = 0.50;      // * and from this share of Python in the host's time on

  double recurring_share = 0.60;  // of the steps of a group
  double recurring_steps = 3;     // * fewest steps of a group
  double mixed_share = 0.80;      // * second idle pattern of the first
  double inter_step_factor = 2;   // * gaps between steps against all gaps inside

  double untraced_share = 0.50;    // * of bubble time with the label
  double host_part_share = 0.50;   // * of bubble time: less than this is never the host's risk
  double comm_risk_share = 0.30;   // * COMM_SYNC_RISK: of bubble time
  double comm_transit = 0.10;      // * COMM_STALL_MASKED: collectives move data for less than this
  double comm_notify_wait = 0.50;  // * or wait for notifications for more than this
  double comm_stall_us = 1000;     // * and stall for max(this, comm_stall_share of the step)
  double comm_stall_share = 0.10;
  double copy_exposed_us = 1000;  // * COPY_EXPOSED: max(this, copy_exposed_share of the step)
  double copy_exposed_share = 0.10;
  double outlier_us = 1000;           // * STEP_OUTLIER: above the median by max(this, outlier_share
  double outlier_share = 0.10;        // of the step)
  double wait_pollution = 0.20;       // * of an operator's wait inside communication
  double partial_kernels_low = 0.50;  // * PARTIAL_CAPTURE_BOUNDARY: an edge step with at least
  double partial_kernels_high = 0.90;  // this, and less than that, of the median kernels

  double unrecorded_sync = 0.50;     // * UNRECORDED_WORK: of a bubble inside a synchronising call
  double unrecorded_queued = 0.80;   // * and of a bubble after the launch of the next kernel
  double graph_opaque_share = 0.50;  // * GRAPH_REPLAY_OPAQUE: of the idle time under graph launches
  double graph_opaque_names = 2;     // * that show at most so many different kernels
  double profiler_overhead = 0.20;   // * PROFILER_OVERHEAD_SUSPECT: of idle time
  double profiler_frames = 20;       // * or Python frames recorded for each kernel

  double wait_anchor_ratio = 0.95;  // of wait in total cost, above
  double wait_anchor_us = 10;       // mean duration, below
  double wait_anchor_rank = 10;     // by mean total cost, at most
  double aicpu_masked = 0.90;       // AICPU_MASKED_BUT_UNDESIRABLE from here on
  double aicpu_exposed = 0.20;      // AICPU_EXPOSED_NOT_ALLOWED below
  double aicpu_risk_us = 20;        // * AICPU_EXPOSED_RISK: max(this, aicpu_risk_share of the step)
  double aicpu_risk_share = 0.01;
  double small_op_us = 10;       // of the side of a structure, not of the block
  double group_distance = 0.05;  // * steps of one group differ by at most this share of kernels

  // * How urgent findings are; `--fail-on` sees it. A stall that comes back is P0, or P1, from
  // these shares of its group's time on.
  double urgent_stall = 0.30;
  double worthy_stall = 0.10;
  double worth_telling = 0.01;       // gaps and copies with less of the device's time are P3
  double urgent_outlier = 0.50;      // an outlier is P0 from this share of its step on
  double worthy_launch_gaps = 0.50;  // many short gaps are P2 from this share of the time on
  double worthy_copies = 0.20;       // exposed copies are P1 from this share of the time on
  double small_group = 0.05;         // groups with less of the time have no finding on short gaps

  // * How sure labels are.
  double cause_least = 0.10;   // labels of less of the bubble time are not summed up
  double cause_medium = 0.50;  // confidence is low below
  double cause_high = 0.80;    // and medium below
  double host_sparse = 0.05;   // host events that cover less of the gaps say nothing about them

  double small_ops_matter = 0.10;  // * from this share of the device's span on, with their gaps
  double clocks_disagree = 1.2;    // * one clock exceeds another by far from this factor on
  double gap_cut_factor = 5;       // * a gap this far above the median cuts a step into structures
  double unstable_groups = 0.50;   // * groups over steps, above: shapes should be recorded
  double unstable_steps = 4;       // * of a device: fewer may all differ
};

struct ThresholdField {
  std::string_view name;
  double Thresholds::* value;
  std::string_view meaning;
};

// All of them, in the order above.
[[nodiscard]] std::span<const ThresholdField> threshold_fields();

// Sets the one called `name`; false when there is none.
[[nodiscard]] bool set_threshold(Thresholds& thresholds, std::string_view name, double value);

// max(`us` microseconds, `share` of `step`), to the nearest picosecond.
[[nodiscard]] Time limit_of(double us, double share, Time step);

}  // namespace lockstep::analysis::anomalies
