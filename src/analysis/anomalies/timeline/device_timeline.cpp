// Merges the streams of a device, which are in order already.
#include "analysis/anomalies/timeline/device_timeline.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace lockstep::analysis::anomalies {
namespace {

using DevicePlace = std::pair<trace::RankId, trace::DeviceId>;

bool runs_before(const trace::Trace& trace, const DeviceWork& a, const DeviceWork& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.end != b.end) return a.end < b.end;
  if (a.name != b.name) return trace.text(a.name) < trace.text(b.name);
  return a.track < b.track;
}

DeviceWork work_of(const trace::Trace& trace, trace::EventId event, trace::EventId launched_by) {
  const std::size_t i = trace::index_of(event);
  return {trace.events.start[i], trace.events.end(i), event, launched_by, trace.events.track[i],
          trace.events.name[i],  trace.events.kind[i]};
}

// Of few streams, merging is cheaper; of hundreds, it would move each kernel as often.
constexpr std::size_t kFewStreams = 4;

void merge_streams(const trace::Trace& trace, std::vector<const cycles::KernelStream*> streams,
                   DeviceTimeline& timeline) {
  const auto before = [&](const DeviceWork& a, const DeviceWork& b) {
    return runs_before(trace, a, b);
  };
  std::ranges::stable_sort(streams, {}, [](const cycles::KernelStream* s) { return s->size(); });
  std::size_t all = 0;
  for (const cycles::KernelStream* stream : streams) all += stream->size();
  std::vector<DeviceWork>& kernels = timeline.kernels;
  kernels.reserve(all);
  for (const cycles::KernelStream* stream : streams) {
    const auto middle = static_cast<std::ptrdiff_t>(kernels.size());
    for (std::size_t i = 0; i < stream->size(); ++i)
      kernels.push_back(work_of(trace, stream->events[i], stream->launched_by[i]));
    if (streams.size() <= kFewStreams)
      std::inplace_merge(kernels.begin(), kernels.begin() + middle, kernels.end(), before);
  }
  if (streams.size() > kFewStreams) std::ranges::sort(kernels, before);
}

void name_device(const cycles::KernelStream& stream, DeviceTimeline& timeline) {
  timeline.rank = stream.rank;
  timeline.device = stream.device;
  timeline.rank_number = stream.rank_number;
  timeline.device_id = stream.device_id;
  timeline.source = stream.source;
  timeline.is_told_by_rank = stream.is_told_by_rank;
}

// Copies and sets go to their device.
void read_copies(const trace::Trace& trace, const std::map<DevicePlace, DeviceTimeline*>& places) {
  const trace::EventTable& events = trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const trace::Kind kind = events.kind[i];
    if (kind != trace::Kind::kMemcpy && kind != trace::Kind::kMemset) continue;
    const trace::Track& track = trace.track_of(i);
    if (events.shape[i] != trace::Shape::kSpan || track.side != trace::Track::Side::kDevice)
      continue;
    const auto found = places.find({trace.rank_of(track), track.device});
    if (found == places.end()) continue;
    found->second->copies.push_back(
        work_of(trace, trace::EventId{static_cast<std::uint32_t>(i)}, trace::kNoEvent));
  }
}

template <typename Wanted>
std::vector<algo::Interval> covering_of(const std::vector<DeviceWork>& works, Wanted wanted) {
  std::vector<algo::Interval> pieces;
  for (const DeviceWork& work : works) {
    if (!wanted(work) || work.end <= work.start) continue;
    if (!pieces.empty() && work.start.ps <= pieces.back().end) {
      pieces.back().end = std::max(pieces.back().end, work.end.ps);
    } else {
      pieces.push_back({work.start.ps, work.end.ps});
    }
  }
  return pieces;
}

void fill_coverings(DeviceTimeline& timeline) {
  const auto all = [](const DeviceWork&) { return true; };
  const auto talks = [](const DeviceWork& work) {
    return work.kind == trace::Kind::kCommunication;
  };
  timeline.busy = covering_of(timeline.kernels, all);
  timeline.communicating = covering_of(timeline.kernels, talks);
  timeline.computing = timeline.communicating.empty()
                           ? timeline.busy
                           : covering_of(timeline.kernels, std::not_fn(talks));
  timeline.any_busy =
      timeline.copies.empty()
          ? timeline.busy
          : algo::merge_coverings({timeline.busy, covering_of(timeline.copies, all)});
}

}  // namespace

std::vector<DeviceTimeline> device_timelines(const trace::Trace& trace,
                                             std::span<const cycles::KernelStream* const> streams) {
  std::vector<DevicePlace> order;
  std::map<DevicePlace, std::vector<const cycles::KernelStream*>> by_place;
  for (const cycles::KernelStream* stream : streams) {
    const DevicePlace place(stream->rank, stream->device);
    if (!by_place.contains(place)) order.push_back(place);
    by_place[place].push_back(stream);
  }
  std::vector<DeviceTimeline> timelines(order.size());
  std::map<DevicePlace, DeviceTimeline*> places;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<const cycles::KernelStream*>& of_device = by_place[order[i]];
    name_device(*of_device.front(), timelines[i]);
    merge_streams(trace, of_device, timelines[i]);
    places[order[i]] = &timelines[i];
  }
  read_copies(trace, places);
  for (DeviceTimeline& timeline : timelines) {
    std::ranges::sort(timeline.copies, [&](const DeviceWork& a, const DeviceWork& b) {
      return runs_before(trace, a, b);
    });
    fill_coverings(timeline);
  }
  return timelines;
}

std::vector<DeviceTimeline> device_timelines(const trace::Trace& trace) {
  const std::vector<cycles::KernelStream> streams = cycles::kernel_streams(trace);
  std::vector<const cycles::KernelStream*> pointers;
  for (const cycles::KernelStream& stream : streams) pointers.push_back(&stream);
  return device_timelines(trace, pointers);
}

}  // namespace lockstep::analysis::anomalies
