// The thresholds by name.
#include "analysis/anomalies/verdict/thresholds.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::analysis::anomalies {
namespace {

using T = Thresholds;

constexpr auto kFields = std::to_array<ThresholdField>({
    {"heavy_gap_us", &T::heavy_gap_us, "a gap is heavy from this many microseconds on"},
    {"heavy_gap_share", &T::heavy_gap_share, "and from this share of its step on"},
    {"high_underfeed", &T::high_underfeed, "idle share of a step that is high"},
    {"significant_us", &T::significant_us,
     "a bubble is significant from this many microseconds on"},
    {"significant_share", &T::significant_share, "and from this share of its step on"},
    {"label_sync", &T::label_sync, "share of a bubble in synchronising or copying calls"},
    {"label_comm", &T::label_comm, "share of a bubble in communication calls"},
    {"label_untraced", &T::label_untraced, "share of a bubble with host events, below: untraced"},
    {"label_launch_lag", &T::label_launch_lag, "share of a bubble with host events: launch lag"},
    {"label_parallelism", &T::label_parallelism, "busy host threads, below: serialised"},
    {"label_python", &T::label_python, "share of Python in the host's time that makes it Python's"},
    {"recurring_share", &T::recurring_share, "share of a group's steps that makes a bubble recur"},
    {"recurring_steps", &T::recurring_steps, "fewest steps of a group that can show recurrence"},
    {"mixed_share", &T::mixed_share, "second idle pattern against the first: mixed"},
    {"inter_step_factor", &T::inter_step_factor, "gaps between steps against all gaps inside"},
    {"untraced_share", &T::untraced_share, "share of untraced bubbles in bubble time: a risk"},
    {"host_part_share", &T::host_part_share,
     "share of bubble time before the next launch, below: not the host's"},
    {"comm_risk_share", &T::comm_risk_share,
     "share of communication bubbles in bubble time: a risk"},
    {"comm_transit", &T::comm_transit,
     "collectives move data for less than this share: they stall"},
    {"comm_notify_wait", &T::comm_notify_wait,
     "collectives wait for peers for more than this share: they stall"},
    {"comm_stall_us", &T::comm_stall_us, "a communication stall counts from this on"},
    {"comm_stall_share", &T::comm_stall_share, "and from this share of its step on"},
    {"copy_exposed_us", &T::copy_exposed_us, "exposed copies count from this on"},
    {"copy_exposed_share", &T::copy_exposed_share, "and from this share of their step on"},
    {"outlier_us", &T::outlier_us, "a step stands out from this above its group's median on"},
    {"outlier_share", &T::outlier_share, "and from this share of the step on"},
    {"wait_pollution", &T::wait_pollution, "share of an operator's wait inside communication"},
    {"partial_kernels_low", &T::partial_kernels_low,
     "an edge step is cut with at least this share of the median kernels"},
    {"partial_kernels_high", &T::partial_kernels_high, "and less than this share"},
    {"unrecorded_sync", &T::unrecorded_sync,
     "share of a bubble in a synchronising call: unrecorded work"},
    {"unrecorded_queued", &T::unrecorded_queued,
     "and share of it after the launch of the next kernel"},
    {"graph_opaque_share", &T::graph_opaque_share,
     "share of idle time under graph launches that show hardly any kernels"},
    {"graph_opaque_names", &T::graph_opaque_names, "most kernel names of such a graph launch"},
    {"profiler_overhead", &T::profiler_overhead, "share of the profiler's own work in bubble time"},
    {"profiler_frames", &T::profiler_frames, "Python frames recorded for each kernel: suspect"},
    {"wait_anchor_ratio", &T::wait_anchor_ratio, "wait in total cost of a wait anchor, above"},
    {"wait_anchor_us", &T::wait_anchor_us, "mean duration of a wait anchor, below"},
    {"wait_anchor_rank", &T::wait_anchor_rank, "rank of a wait anchor by mean total cost, at most"},
    {"aicpu_masked", &T::aicpu_masked, "hidden share of an AI CPU operator: masked"},
    {"aicpu_exposed", &T::aicpu_exposed, "hidden share of an AI CPU operator, below: exposed"},
    {"aicpu_risk_us", &T::aicpu_risk_us, "exposed AI CPU time is a risk from this on"},
    {"aicpu_risk_share", &T::aicpu_risk_share, "and from this share of its step on"},
    {"small_op_us", &T::small_op_us, "a kernel below is of the side of a structure"},
    {"group_distance", &T::group_distance, "share of kernels by which steps of a group may differ"},
    {"urgent_stall", &T::urgent_stall,
     "share of a group's time from which a recurring stall is P0"},
    {"worthy_stall", &T::worthy_stall, "and P1; heavy gaps too"},
    {"worth_telling", &T::worth_telling, "share of all time, below: gaps and copies are P3"},
    {"urgent_outlier", &T::urgent_outlier, "share of its step from which an outlier is P0"},
    {"worthy_launch_gaps", &T::worthy_launch_gaps,
     "share of a group's time from which many short gaps are P2"},
    {"worthy_copies", &T::worthy_copies,
     "share of the steps' time from which exposed copies are P1"},
    {"small_group", &T::small_group,
     "share of all time, below: no finding on a group's short gaps"},
    {"cause_least", &T::cause_least, "share of bubble time from which a label is summed up"},
    {"cause_medium", &T::cause_medium, "share of bubble time, below: low confidence"},
    {"cause_high", &T::cause_high, "share of bubble time, below: no high confidence"},
    {"host_sparse", &T::host_sparse, "share of bubbles with host events, below: sparse"},
    {"small_ops_matter", &T::small_ops_matter,
     "share of the device's span from which small kernels matter"},
    {"clocks_disagree", &T::clocks_disagree, "factor from which two clocks disagree"},
    {"gap_cut_factor", &T::gap_cut_factor,
     "times the median gap: a gap from which on cuts a step into structures"},
    {"unstable_groups", &T::unstable_groups, "groups over steps, above: steps differ too much"},
    {"unstable_steps", &T::unstable_steps, "fewest steps of a device that can differ too much"},
});

}  // namespace

std::span<const ThresholdField> threshold_fields() { return kFields; }

bool set_threshold(Thresholds& thresholds, std::string_view name, double value) {
  const auto* field = std::ranges::find(kFields, name, &ThresholdField::name);
  if (field == kFields.end()) return false;
  thresholds.*(field->value) = value;
  return true;
}

Time limit_of(double us, double share, Time step) {
  const double ps = std::max(us * static_cast<double>(kPicosecondsPerMicrosecond),
                             share * static_cast<double>(step.ps));
  // A share set by hand may be absurd; the limit is then out of reach.
  constexpr double kMost = static_cast<double>(kMaxDistanceFromOriginPs);
  return {std::llround(std::clamp(ps, -kMost, kMost))};
}

}  // namespace lockstep::analysis::anomalies
