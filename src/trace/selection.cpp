// Choosing of events, and packing of what is left.
#include "trace/selection.h"

#include <algorithm>
#include <vector>

namespace lockstep::trace {
namespace {

constexpr std::uint32_t kGone = 0xFFFF'FFFF;

// New indices for the things that stay, in their old order.
std::vector<std::uint32_t> packed_indices(const std::vector<bool>& stays) {
  std::vector<std::uint32_t> index(stays.size(), kGone);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    if (stays[i]) index[i] = next++;
  }
  return index;
}

template <typename T>
void pack(std::vector<T>& things, const std::vector<std::uint32_t>& index) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (index[i] == kGone) continue;
    if (next != i) things[next] = std::move(things[i]);
    ++next;
  }
  things.resize(next);
}

class Keeper {
 public:
  Keeper(Trace& trace, const Selection& selection) : trace_(trace), selection_(selection) {
    for (const Track& track : trace.tracks) track_is_selected_.push_back(is_selected(track));
  }

  void run() {
    choose_events();
    const std::vector<std::uint32_t> events = packed_indices(keeps_);
    pack_links(events);
    pack_steps();
    pack_events(events);
    pack_tracks();
  }

 private:
  [[nodiscard]] bool is_selected(const Track& track) const {
    const Rank& rank = trace_.ranks[index_of(trace_.rank_of(track))];
    if (selection_.ranks && !(rank.number && selection_.ranks->contains(*rank.number)))
      return false;
    if (!selection_.devices || track.side == Track::Side::kHost) return true;
    const StringId id = trace_.devices[index_of(track.device)].id;
    return selection_.devices->contains(std::string(trace_.text(id)));
  }

  [[nodiscard]] bool is_in_slice(RankId rank, Time start, Time end) const {
    std::optional<Time> from = selection_.from;
    std::optional<Time> to = selection_.to;
    if (!selection_.slices.empty()) {
      const auto& slice = selection_.slices[index_of(rank)];
      if (!slice) return false;
      from = slice->from;
      to = slice->to;
    }
    if (to && start >= *to) return false;
    if (!from) return true;
    return end > *from || (start == end && start == *from);
  }

  [[nodiscard]] bool has_kind(std::size_t i) const {
    return !selection_.kinds ||
           (*selection_.kinds)[static_cast<std::size_t>(trace_.events.kind[i])];
  }

  void choose_events() {
    const EventTable& events = trace_.events;
    keeps_.resize(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      keeps_[i] = track_is_selected_[index_of(events.track[i])] && has_kind(i) &&
                  is_in_slice(trace_.rank_of(trace_.track_of(i)), events.start[i], events.end(i));
    }
    choose_launches();
  }

  // Calls live and die with the device work that they launched.
  void choose_launches() {
    std::vector<bool> launches_kept(trace_.events.size());
    std::vector<bool> launches_here(trace_.events.size());  // on selected devices, kept or not
    std::vector<bool> launches(trace_.events.size());
    for (const Flow& flow : trace_.flows) {
      if (flow.kind != Flow::Kind::kLaunch) continue;
      const std::size_t from = index_of(flow.from);
      const std::size_t to = index_of(flow.to);
      launches[from] = true;
      if (keeps_[to]) launches_kept[from] = true;
      if (track_is_selected_[index_of(trace_.events.track[to])]) launches_here[from] = true;
    }
    for (std::size_t i = 0; i < keeps_.size(); ++i) {
      if (launches_kept[i] && has_kind(i)) {
        keeps_[i] = track_is_selected_[index_of(trace_.events.track[i])];
      } else if (launches[i] && !launches_here[i] && selection_.devices) {
        keeps_[i] = false;
      }
    }
  }

  void pack_links(const std::vector<std::uint32_t>& events) {
    std::size_t flows = 0;
    for (const Flow& flow : trace_.flows) {
      const std::uint32_t from = events[index_of(flow.from)];
      const std::uint32_t to = events[index_of(flow.to)];
      if (from == kGone || to == kGone) continue;
      trace_.flows[flows] = flow;
      trace_.flows[flows].from = EventId{from};
      trace_.flows[flows++].to = EventId{to};
    }
    trace_.flows.truncate(flows);
    std::erase_if(trace_.collectives, [&](const Collective& collective) {
      return events[index_of(collective.event)] == kGone;
    });
    for (Collective& collective : trace_.collectives) {
      collective.event = EventId{events[index_of(collective.event)]};
    }
  }

  void pack_steps() {
    std::erase_if(trace_.steps, [&](const Step& step) {
      const std::optional<std::int64_t>& number = trace_.ranks[index_of(step.rank)].number;
      if (selection_.ranks && !(number && selection_.ranks->contains(*number))) return true;
      return !is_in_slice(step.rank, step.start, step.end);
    });
  }

  void pack_events(const std::vector<std::uint32_t>& events) {
    EventTable kept;
    ArgumentTable arguments;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i] == kGone) continue;
      const EventId old{static_cast<std::uint32_t>(i)};
      const EventId made = kept.add(trace_.events.row(old));
      arguments.set(made, trace_.arguments.of(old));
    }
    trace_.events = std::move(kept);
    trace_.arguments = std::move(arguments);
  }

  void pack_tracks() {
    std::vector<bool> tracks(trace_.tracks.size());
    std::vector<bool> processes(trace_.processes.size());
    std::vector<bool> devices(trace_.devices.size());
    std::vector<bool> ranks(trace_.ranks.size());
    for (const TrackId track : trace_.events.track) tracks[index_of(track)] = true;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      if (!tracks[i]) continue;
      const Track& track = trace_.tracks[i];
      processes[index_of(track.process)] = true;
      ranks[index_of(trace_.rank_of(track))] = true;
      if (track.side == Track::Side::kDevice) devices[index_of(track.device)] = true;
    }
    renumber(packed_indices(tracks), packed_indices(processes), packed_indices(devices),
             packed_indices(ranks));
  }

  void renumber(const std::vector<std::uint32_t>& tracks,
                const std::vector<std::uint32_t>& processes,
                const std::vector<std::uint32_t>& devices,
                const std::vector<std::uint32_t>& ranks) {
    // A step whose rank has no event left goes with it.
    std::erase_if(trace_.steps,
                  [&](const Step& step) { return ranks[index_of(step.rank)] == kGone; });
    for (Step& step : trace_.steps) step.rank = RankId{ranks[index_of(step.rank)]};
    for (TrackId& track : trace_.events.track) track = TrackId{tracks[index_of(track)]};
    pack(trace_.tracks, tracks);
    for (Track& track : trace_.tracks) {
      track.process = ProcessId{processes[index_of(track.process)]};
      if (track.side == Track::Side::kDevice)
        track.device = DeviceId{devices[index_of(track.device)]};
    }
    pack(trace_.processes, processes);
    for (Process& process : trace_.processes) process.rank = RankId{ranks[index_of(process.rank)]};
    pack(trace_.devices, devices);
    for (Device& device : trace_.devices) device.rank = RankId{ranks[index_of(device.rank)]};
    pack(trace_.ranks, ranks);
  }

  Trace& trace_;
  const Selection& selection_;
  std::vector<bool> track_is_selected_;
  std::vector<bool> keeps_;  // by event
};

}  // namespace

bool Selection::is_everything() const {
  return !from && !to && slices.empty() && !ranks && !devices && !kinds;
}

void keep_only(Trace& trace, const Selection& selection) {
  if (!selection.is_everything()) Keeper(trace, selection).run();
}

}  // namespace lockstep::trace
