// The health checks.
#include "analysis/summary/health.h"

#include <algorithm>
#include <string>

#include "algo/id_set.h"
#include "algo/intervals/intervals.h"
#include "base/text.h"

namespace lockstep::analysis::summary {

const DiagnosticKind kOutOfOrder{"out_of_order", Severity::kInfo,
                                 "A device event stands in the file after one of its stream that "
                                 "began later; they were sorted."};
const DiagnosticKind kStreamOverlap{
    "stream_overlap", Severity::kInfo,
    "Kernels of one stream overlap (programmatic dependent launch or graphs); busy time is their "
    "union."};
const DiagnosticKind kStreamOverlapLarge{
    "stream_overlap_large", Severity::kInfo,
    "A kernel ends more than 10 us after the whole next one of its stream: durations reach into "
    "later kernels, or branches of a graph share the stream; totals per kernel count such time "
    "twice."};
const DiagnosticKind kDeviceWorkWithoutLaunch{"device_work_without_launch", Severity::kInfo,
                                              "A device event has no launch in the trace: it was "
                                              "queued before the capture began, or the host "
                                              "side was not recorded."};
const DiagnosticKind kLaunchWithoutDeviceWork{
    "launch_without_device_work", Severity::kInfo,
    "A launch call has no device event: the capture ended before it ran, it went into a graph, or "
    "its work was not recorded."};
const DiagnosticKind kMissingDevicePrefix{
    "missing_device_prefix", Severity::kDataLoss,
    "The first launch calls have no device event although later ones do: the profiler lost the "
    "beginning of the device side."};
const DiagnosticKind kGraphLaunch{
    "graph_launch", Severity::kInfo,
    "Device events were launched by graphs: one launch call stands for many of them."};
const DiagnosticKind kNoDeviceEvents{"no_device_events", Severity::kInfo,
                                     "No event is known to be device work: a CPU-only trace, or a "
                                     "device whose lanes lockstep does not "
                                     "know yet."};
const DiagnosticKind kNoKernelsDespiteLaunches{
    "no_kernels_despite_launches", Severity::kDataLoss,
    "Launch calls were recorded but not a single device event: the device side of the capture is "
    "missing."};

namespace {

// Names of kernels may be thousands of bytes long; an example needs only the beginning.
constexpr std::size_t kMaxExampleName = 60;

void add_sightings(const DiagnosticKind& kind, const algo::Sightings& sightings,
                   std::string_view stream, Diagnostics& found) {
  if (sightings.count == 0) return;
  found.add(kind, Place::time(Time{*sightings.first_at}), "stream " + std::string(stream),
            sightings.count);
}

// `first` is where and what the first of them was.
void add_events(const DiagnosticKind& kind, const trace::Trace& trace, trace::EventId first,
                std::uint64_t count, Diagnostics& found) {
  const trace::Event event = trace.events.row(first);
  const std::string name = valid_utf8(demangled(trace.text(event.name)));
  found.add(kind, Place::time(event.start), beginning_of(name, kMaxExampleName), count);
}

void check_rank(const trace::Trace& trace, const LaunchTally& rank, Diagnostics& found) {
  check_any_device_work(rank, found);
  check_work_without_launch(trace, rank, found);
  check_launches_without_work(trace, rank, found);
  check_graph_launches(rank, found);
}

}  // namespace

void check_stream(std::string_view stream, std::vector<algo::Interval>& work, Diagnostics& found) {
  add_sightings(kOutOfOrder, algo::find_out_of_order(work), stream, found);
  algo::sort_by_begin(work);
  add_sightings(kStreamOverlap, algo::find_overlaps(work), stream, found);
  add_sightings(kStreamOverlapLarge, algo::find_contained(work, kLargeOverlapPs), stream, found);
}

void check_work_without_launch(const trace::Trace& trace, const LaunchTally& rank,
                               Diagnostics& found) {
  // A file without any launch flow does not record them; that is not worth a word.
  if (!rank.has_launch_flow || rank.work_without_flow == 0) return;
  add_events(kDeviceWorkWithoutLaunch, trace, rank.first_without_flow, rank.work_without_flow,
             found);
}

void check_launches_without_work(const trace::Trace& trace, const LaunchTally& rank,
                                 Diagnostics& found) {
  const algo::IdSet work(rank.work_correlations);
  if (work.is_empty()) return;
  std::vector<trace::EventId> in_time;
  for (const trace::EventId launch : rank.launches) {
    if (trace.events.correlation[trace::index_of(launch)] != trace::kNoCorrelation)
      in_time.push_back(launch);
  }
  const auto start = [&trace](trace::EventId id) {
    return trace.events.start[trace::index_of(id)];
  };
  if (!std::ranges::is_sorted(in_time, {}, start)) std::ranges::stable_sort(in_time, {}, start);

  const auto has_work = [&](trace::EventId id) {
    return work.contains(trace.events.correlation[trace::index_of(id)]);
  };
  const auto first_with_work = std::ranges::find_if(in_time, has_work);
  auto rest = in_time.begin();
  const auto prefix = static_cast<std::size_t>(first_with_work - in_time.begin());
  if (prefix >= kMinMissingPrefix && first_with_work != in_time.end() && !rank.has_graph_capture) {
    add_events(kMissingDevicePrefix, trace, in_time.front(), prefix, found);
    rest = first_with_work;
  }
  for (; rest != in_time.end(); ++rest) {
    if (has_work(*rest)) continue;
    if (found.count_of(kLaunchWithoutDeviceWork) == 0) {
      add_events(kLaunchWithoutDeviceWork, trace, *rest, 1, found);
    } else {
      found.add(kLaunchWithoutDeviceWork);
    }
  }
}

void check_graph_launches(const LaunchTally& rank, Diagnostics& found) {
  const algo::IdSet graphs(rank.graph_launches);
  if (graphs.is_empty()) return;
  const auto launched = std::ranges::count_if(
      rank.work_correlations, [&graphs](std::int64_t id) { return graphs.contains(id); });
  found.add(kGraphLaunch, Place::none(), {}, static_cast<std::uint64_t>(launched));
}

void check_any_device_work(const LaunchTally& rank, Diagnostics& found) {
  if (rank.work > 0) return;
  if (rank.launches.empty()) {
    found.add(kNoDeviceEvents);
  } else {
    found.add(kNoKernelsDespiteLaunches, Place::none(), {}, rank.launches.size());
  }
}

void check_health(const trace::Trace& trace, TraceTally& tally, Diagnostics& diagnostics) {
  std::vector<Diagnostics> by_rank(trace.ranks.size());
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    check_rank(trace, tally.ranks[i], by_rank[i]);
  }
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const trace::Track& track = trace.tracks[i];
    if (tally.tracks[i].work.empty()) continue;
    check_stream(trace.text(track.id.text), tally.tracks[i].work,
                 by_rank[trace::index_of(trace.rank_of(track))]);
  }
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    diagnostics.absorb(by_rank[i], trace.ranks[i].source);
  }
}

}  // namespace lockstep::analysis::summary
