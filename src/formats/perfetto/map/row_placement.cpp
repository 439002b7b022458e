// From lanes to tracks.
#include "formats/perfetto/map/row_placement.h"

#include <algorithm>
#include <utility>

#include "formats/perfetto/defects.h"
#include "formats/perfetto/wire/text_limits.h"
#include "formats/shared/leaf_spans.h"
#include "trace/collective_names.h"

namespace lockstep::formats::perfetto {
namespace {

constexpr std::string_view kUnknownProcess = "0";

trace::Kind kind_of_device_work(std::string_view name) {
  if (name.starts_with("Memcpy")) return trace::Kind::kMemcpy;
  if (name.starts_with("Memset")) return trace::Kind::kMemset;
  return trace::Kind::kKernel;
}

}  // namespace

shared::CategoryMeaning RowPlacement::meaning(StringId category) {
  const auto i = static_cast<std::size_t>(category);
  if (i >= meanings_.size()) meanings_.resize(i + i / 2 + 16);
  if (!meanings_[i]) meanings_[i] = meaning_in_perfetto(builder_.trace().text(category));
  return *meanings_[i];
}

const LaneRole* RowPlacement::kept(LaneRole role) {
  static const LaneRole kPlain;
  return role == kPlain ? &kPlain : &roles_.emplace_back(std::move(role));
}

void RowPlacement::note_process(StringId id, StringId name) {
  trace::Process& process = builder_.at(builder_.process(builder_.trace().text(id)));
  if (process.name == kEmptyString) process.name = name;
}

// Process, name and role of a track from its line of ancestors.
void RowPlacement::resolve_track(LaneState& lane) {
  const StringPool& strings = builder_.trace().strings;
  bool is_cycle = false;
  const auto line = tracks_.line_of(lane.origin.uuid, is_cycle);
  if (is_cycle) builder_.diagnostics().add(kTrackCycle);
  if (line.empty()) builder_.diagnostics().add(kUnknownTrack);
  std::vector<std::string_view> names;
  std::optional<std::int64_t> tid;
  std::optional<std::int64_t> pid;
  std::vector<std::string_view> below_process;
  for (const TrackFacts* track : line) {
    names.push_back(strings.view(track->name));
    const bool is_process = track->pid && !track->tid;
    if (!pid && !is_process && !names.back().empty()) below_process.push_back(names.back());
    if (!pid && track->tid && (track == line.front() || line.front()->is_counter)) tid = track->tid;
    if (!pid) pid = track->pid;
  }
  lane.role = kept(role_of_lane(names));
  lane.process = builder_.intern(pid ? std::to_string(*pid) : std::string(kUnknownProcess));
  if (!line.empty()) lane.name = line.front()->name;
  if (line.empty() || (line.front()->is_counter && !tid)) {
    below_process.clear();
    if (!line.empty()) below_process.emplace_back("counters");
  }
  std::string path;
  for (auto name = below_process.rbegin(); name != below_process.rend(); ++name) {
    if (!path.empty()) path += '/';
    path += *name;
  }
  if (tid) {
    path = std::to_string(*tid);
    if (pid && lane.name == kEmptyString) lane.name = tracks_.thread_name(*pid, *tid);
  } else if (!lane.role->thread.empty()) {
    path = lane.role->thread;
  } else if (path.empty() || path.size() > kMaxNameBytes) {
    // Every track repeats the names of its ancestors, which may be long.
    path = "track " + std::to_string(lane.origin.uuid);
  }
  lane.path = builder_.intern(path);
  if (pid) note_process(lane.process, tracks_.process_name(*pid));
}

RowPlacement::LaneState& RowPlacement::resolved(std::uint32_t index) {
  LaneState& lane = lanes_[index];
  if (lane.role != nullptr) return lane;
  switch (lane.origin.sort) {
    case LaneOrigin::Sort::kTrack:
      resolve_track(lane);
      break;
    case LaneOrigin::Sort::kThread:
      lane.role = kept({});
      lane.process = builder_.intern(std::to_string(lane.origin.pid));
      lane.path = builder_.intern(std::to_string(lane.origin.tid));
      lane.name = tracks_.thread_name(lane.origin.pid, lane.origin.tid);
      note_process(lane.process, tracks_.process_name(lane.origin.pid));
      break;
    case LaneOrigin::Sort::kGpuQueue:
    case LaneOrigin::Sort::kPairing: {
      LaneRole role;
      role.is_device = true;
      role.device = builder_.trace().text(lane.origin.device);
      role.stream = builder_.trace().text(lane.origin.queue);
      lane.role = kept(std::move(role));
      lane.process = builder_.intern(kUnknownProcess);
      lane.path = lane.origin.queue;
      break;
    }
  }
  return lane;
}

trace::TrackId RowPlacement::host_track(std::uint32_t index) {
  LaneState& lane = resolved(index);
  if (!lane.host) {
    const trace::Trace& trace = builder_.trace();
    lane.host =
        builder_.host_thread(builder_.process(trace.text(lane.process)), trace.text(lane.path));
    trace::Track& track = builder_.at(*lane.host);
    const bool is_id = lane.name == lane.path;
    if (track.name == kEmptyString && !is_id) track.name = lane.name;
  }
  return *lane.host;
}

trace::TrackId RowPlacement::device_track(std::uint32_t index, const DeviceHint* hint) {
  LaneState& lane = resolved(index);
  const LaneRole& role = *lane.role;
  StringId agent{};
  if (hint != nullptr && (role.device.empty() || role.is_copy_to_host)) {
    agent = role.is_copy_to_host ? hint->source_agent : hint->agent;
    if (agent == kEmptyString && !role.is_copy_to_host) agent = hint->target_agent;
  }
  const StringId stream = hint != nullptr && role.stream.empty() ? hint->stream : kEmptyString;
  const std::uint64_t key =
      (std::uint64_t{static_cast<std::uint32_t>(agent)} << 32) | static_cast<std::uint32_t>(stream);
  if (!lane.devices)
    lane.devices = std::make_unique<std::unordered_map<std::uint64_t, trace::TrackId>>();
  const auto [known, is_new] = lane.devices->try_emplace(key);
  if (!is_new) return known->second;
  const trace::Trace& trace = builder_.trace();
  // Words of events, not names of tracks: many tracks can share a long one.
  std::string device(
      cut_name(agent != kEmptyString ? number_at_end(trace.text(agent)) : role.device));
  if (device.empty()) device = "0";
  std::string id = role.stream;
  if (id.empty())
    id = stream != kEmptyString ? cut_name(trace.text(stream)) : trace.text(lane.path);
  const trace::DeviceId device_id = builder_.device(device);
  if (builder_.at(device_id).name == kEmptyString) {
    builder_.at(device_id).name = builder_.intern(role.device_name);
  }
  known->second = builder_.stream(builder_.process(trace.text(lane.process)), device_id, id);
  return known->second;
}

const DeviceHint* RowPlacement::hint_of(std::size_t row) {
  const auto found = std::ranges::lower_bound(hints_, row, {}, &DeviceHint::row);
  return found != hints_.end() && found->row == row ? &*found : nullptr;
}

void RowPlacement::settle_kind(std::size_t row, const LaneRole& role, bool on_device) {
  trace::EventTable& events = builder_.trace().events;
  trace::Kind& kind = events.kind[row];
  const bool is_span = events.shape[row] == trace::Shape::kSpan;
  const bool is_silent = !meaning(events.category[row]).known;
  if (on_device && is_silent && is_span) {
    const std::string_view name = builder_.trace().text(events.name[row]);
    if (role.work == LaneRole::Work::kByName || role.work == LaneRole::Work::kLeaves) {
      kind = kind_of_device_work(name);
    } else if (role.work == LaneRole::Work::kNone) {
      kind = trace::Kind::kAnnotation;
    }
    if (role.work == LaneRole::Work::kLeaves) {
      leaf_rows_[static_cast<std::uint32_t>(events.track[row])].push_back(
          static_cast<std::uint32_t>(row));
    }
  }
  // A mark that somebody set; one that calls itself work has no duration and can be no more.
  const bool is_mark = events.category[row] == kEmptyString || trace::is_device_work(kind);
  if (events.shape[row] == trace::Shape::kInstant && is_mark) kind = trace::Kind::kAnnotation;
}

void RowPlacement::place_row(std::size_t row, const DeviceHint* hint) {
  trace::EventTable& events = builder_.trace().events;
  const auto lane = static_cast<std::uint32_t>(events.track[row]);
  LaneState& state = resolved(lane);
  const shared::CategoryMeaning what = meaning(events.category[row]);
  const bool is_counter = events.shape[row] == trace::Shape::kCounter;
  if (is_counter && events.name[row] == kEmptyString) events.name[row] = state.name;
  const bool on_device = !is_counter && (what.known ? what.side == trace::Track::Side::kDevice
                                                    : state.role->is_device);
  const LaneRole& role = *state.role;
  events.track[row] = on_device ? device_track(lane, hint) : host_track(lane);
  settle_kind(row, role, on_device);
}

void RowPlacement::place(const EventRows& rows) {
  std::erase_if(hints_, [&](DeviceHint& hint) {
    const auto row = rows.moved_to(hint.row);
    if (row) hint.row = *row;
    return !row.has_value();
  });
  const std::size_t count = builder_.trace().events.size();
  for (std::size_t i = rows.first_row(); i < count; ++i) {
    place_row(i, hints_.empty() ? nullptr : hint_of(i));
  }
  keep_leaves();
  note_collectives(rows.first_row());
}

void RowPlacement::keep_leaves() {
  trace::EventTable& events = builder_.trace().events;
  for (auto& [track, rows] : leaf_rows_) {
    for (const std::uint32_t row : shared::rows_around_others(events, std::move(rows))) {
      events.kind[row] = trace::Kind::kAnnotation;
    }
  }
}

void RowPlacement::note_collectives(std::size_t first_row) {
  trace::Trace& trace = builder_.trace();
  trace::EventTable& events = trace.events;
  std::unordered_map<StringId, bool> is_collective;
  for (std::size_t i = first_row; i < events.size(); ++i) {
    if (events.shape[i] != trace::Shape::kSpan || !trace::is_kernel(events.kind[i]) ||
        !trace.on_device(i)) {
      continue;
    }
    const auto [known, is_new] = is_collective.try_emplace(events.name[i]);
    if (is_new) known->second = trace::is_collective_kernel(trace.text(events.name[i]));
    if (events.kind[i] == trace::Kind::kKernel && known->second)
      events.kind[i] = trace::Kind::kCommunication;
    if (events.kind[i] != trace::Kind::kCommunication) continue;
    trace::Collective& made = trace.collectives.emplace_back();
    made.event = trace::EventId{static_cast<std::uint32_t>(i)};
    made.op = trace.strings.intern(trace::collective_op(trace.text(events.name[i])));
  }
}

}  // namespace lockstep::formats::perfetto
