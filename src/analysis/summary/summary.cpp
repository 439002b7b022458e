// Puts the parts of a summary together.
#include "analysis/summary/summary.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analysis/summary/device_table.h"
#include "analysis/summary/event_pass.h"
#include "analysis/summary/health.h"
#include "analysis/summary/name_tables.h"

namespace lockstep::analysis::summary {
namespace {

// Ranks on one clock were rebased to one origin; others cannot be given as one.
void add_origin(const std::vector<trace::Rank>& ranks, Summary& summary) {
  if (ranks.empty()) return;
  const Origin& first = ranks.front().origin;
  const auto has_clock = [&](const trace::Rank& rank) { return rank.origin.clock == first.clock; };
  const auto has_zero = [&](const trace::Rank& rank) { return rank.origin.ns == first.ns; };
  if (!std::ranges::all_of(ranks, has_clock)) return;
  summary.clock = first.clock;
  if (std::ranges::all_of(ranks, has_zero)) summary.origin_ns = first.ns;
}

// Ranks that count from one zero have a span together; of several zeros the longest span counts,
// because times of different clocks have no distance.
WideTime longest_span(std::span<const trace::Rank> ranks, std::span<const Extent> extents) {
  std::map<std::pair<Clock, std::int64_t>, Extent> by_zero;
  WideTime longest = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    Extent& together = by_zero[{ranks[r].origin.clock, ranks[r].origin.ns}];
    together.include(extents[r]);
    longest = std::max(longest, together.length());
  }
  return longest;
}

void add_track_counts(const trace::Trace& trace, const TraceTally& tally, Summary& summary) {
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const TrackTally& track = tally.tracks[i];
    if (trace.tracks[i].side == trace::Track::Side::kDevice) {
      summary.kernels += track.kernels;
    } else {
      summary.host_events += track.events - track.derived;
      summary.host_threads += track.has_span ? 1 : 0;
    }
  }
}

bool is_all_launched(std::span<const LaunchTally> ranks) {
  const auto has_work = [](const LaunchTally& rank) { return rank.work > 0; };
  return std::ranges::any_of(ranks, has_work) &&
         std::ranges::all_of(ranks, [](const LaunchTally& rank) {
           return rank.work == 0 || (rank.has_launch_flow && rank.work_without_flow == 0);
         });
}

}  // namespace

Diagnostics check(const trace::Trace& trace) {
  TraceTally tally = tally_events(trace);
  Diagnostics diagnostics = trace.diagnostics;
  check_health(trace, tally, diagnostics);
  return diagnostics;
}

Summary summarize(const trace::Trace& trace, const SummaryOptions& options) {
  TraceTally tally = tally_events(trace);
  Summary summary;
  add_origin(trace.ranks, summary);
  summary.events = trace.events.size();
  summary.by_kind = tally.by_kind;
  summary.flows = trace.flows.size();
  summary.is_all_launched = is_all_launched(tally.ranks);
  summary.span = longest_span(trace.ranks, tally.spans);
  summary.device_span = longest_span(trace.ranks, tally.device_spans);
  add_track_counts(trace, tally, summary);

  summary.steps = list_steps(trace);
  summary.annotations = list_annotations(trace, tally);
  summary.collectives = list_collectives(trace);
  KernelTable kernels = kernel_table(trace, tally.kernels, options.top);
  summary.top_kernels = std::move(kernels.top);
  summary.kernel_names = kernels.names;
  for (const KernelTally& kernel : tally.kernels) summary.kernel_time += kernel.total;

  // The checks see the order of the file, so they come before the sorting for the unions; they sort
  // themselves, so what goes by kind comes before them.
  const std::vector<DeviceBusy> busy = busy_of_devices(trace, tally.tracks);
  summary.diagnostics = trace.diagnostics;
  check_health(trace, tally, summary.diagnostics);
  summary.ranks = summarize_ranks(trace, busy, tally.tracks);
  for (const RankSummary& rank : summary.ranks) {
    for (const DeviceSummary& device : rank.devices) summary.device_busy += device.busy;
  }
  return summary;
}

}  // namespace lockstep::analysis::summary
