// Unions of device work by stream and by device.
#include "analysis/summary/device_table.h"

#include <algorithm>
#include <limits>

#include "algo/intervals/intervals.h"
#include "analysis/summary/natural_order.h"

namespace lockstep::analysis::summary {
namespace {

// Tracks with events, by device. A device without any has no entry to show.
std::vector<std::vector<std::size_t>> tracks_by_device(const trace::Trace& trace,
                                                       const std::vector<TrackTally>& tracks) {
  std::vector<std::vector<std::size_t>> by_device(trace.devices.size());
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const trace::Track& track = trace.tracks[i];
    if (track.side != trace::Track::Side::kDevice || track.device == trace::kNoDevice) continue;
    if (tracks[i].events > 0) by_device[trace::index_of(track.device)].push_back(i);
  }
  return by_device;
}

// What the work of some kinds covers on a device.
template <typename IsWanted>
WideTime busy_with(const std::vector<std::size_t>& track_indices,
                   const std::vector<TrackTally>& tracks, IsWanted is_wanted) {
  std::vector<std::vector<algo::Interval>> coverings;
  for (const std::size_t t : track_indices) {
    const TrackTally& track = tracks[t];
    std::vector<algo::Interval>& wanted = coverings.emplace_back();
    for (std::size_t i = 0; i < track.work.size(); ++i) {
      if (is_wanted(track.work_kinds[i])) wanted.push_back(track.work[i]);
    }
    algo::reduce_to_covering(wanted);
  }
  return WideTime{algo::total_length(algo::merge_coverings(std::move(coverings)))};
}

DeviceSummary summarize_device(const trace::Trace& trace, const trace::Device& device,
                               const std::vector<std::size_t>& track_indices,
                               const DeviceBusy& busy, std::vector<TrackTally>& tracks) {
  DeviceSummary summary;
  summary.id = trace.text(device.id);
  summary.name = trace.text(device.name);
  summary.kernel_busy = busy.kernels;
  summary.compute_busy = busy.computing;
  summary.communication_busy = busy.communicating;
  std::vector<std::vector<algo::Interval>> coverings;
  for (const std::size_t i : track_indices) {
    coverings.push_back(std::move(tracks[i].work));
    algo::reduce_to_covering(coverings.back());
    summary.kernels += tracks[i].kernels;
    summary.streams.push_back({std::string(trace.text(trace.tracks[i].id.text)),
                               std::string(trace.text(trace.tracks[i].name)), tracks[i].kernels,
                               WideTime{algo::total_length(coverings.back())}});
  }
  summary.busy = WideTime{algo::total_length(algo::merge_coverings(std::move(coverings)))};
  std::ranges::stable_sort(summary.streams, comes_before, &StreamSummary::id);
  return summary;
}

}  // namespace

std::vector<DeviceBusy> busy_of_devices(const trace::Trace& trace,
                                        const std::vector<TrackTally>& tracks) {
  std::vector<DeviceBusy> busy(trace.devices.size());
  const auto by_device = tracks_by_device(trace, tracks);
  for (std::size_t i = 0; i < by_device.size(); ++i) {
    const auto is_communication = [](trace::Kind kind) {
      return kind == trace::Kind::kCommunication;
    };
    const auto is_computing = [](trace::Kind kind) {
      return trace::is_kernel(kind) && kind != trace::Kind::kCommunication;
    };
    busy[i].communicating = busy_with(by_device[i], tracks, is_communication);
    busy[i].computing = busy_with(by_device[i], tracks, is_computing);
    // One union less where they cannot overlap.
    busy[i].kernels = busy[i].communicating == 0
                          ? busy[i].computing
                          : busy_with(by_device[i], tracks, trace::is_kernel);
  }
  return busy;
}

std::vector<RankSummary> summarize_ranks(const trace::Trace& trace,
                                         const std::vector<DeviceBusy>& busy,
                                         std::vector<TrackTally>& tracks) {
  std::vector<RankSummary> ranks(trace.ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const trace::Rank& rank = trace.ranks[i];
    ranks[i] = {rank.number, {}, rank.number_from, rank.source, rank.format, rank.parts};
  }
  const auto by_device = tracks_by_device(trace, tracks);
  for (std::size_t i = 0; i < by_device.size(); ++i) {
    if (by_device[i].empty()) continue;
    const trace::Device& device = trace.devices[i];
    ranks[trace::index_of(device.rank)].devices.push_back(
        summarize_device(trace, device, by_device[i], busy[i], tracks));
  }
  for (RankSummary& rank : ranks) {
    std::ranges::stable_sort(rank.devices, comes_before, &DeviceSummary::id);
  }
  std::ranges::stable_sort(ranks, {}, [](const RankSummary& rank) {
    return rank.number.value_or(std::numeric_limits<std::int64_t>::max());
  });
  return ranks;
}

}  // namespace lockstep::analysis::summary
