// Roles of lanes by their names.
#include "formats/chrome_json/dialects/lane_roles.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "formats/chrome_json/defects.h"
#include "formats/chrome_json/map/event_mapper.h"
#include "formats/shared/leaf_spans.h"
#include "trace/collective_names.h"

namespace lockstep::formats::chrome_json {
namespace {

bool is_work(LaneRole role) {
  return role == LaneRole::kDeviceStream || role == LaneRole::kDeviceOps;
}

bool is_of_device(LaneRole role) {
  return is_work(role) || role == LaneRole::kDeviceDerived || role == LaneRole::kWarp;
}

trace::Kind kind_of_device_work(std::string_view name) {
  if (name.starts_with("Memcpy")) return trace::Kind::kMemcpy;
  if (name.starts_with("Memset")) return trace::Kind::kMemset;
  return trace::is_collective_kernel(name) ? trace::Kind::kCommunication : trace::Kind::kKernel;
}

// On a TPU lane an event around other events is a loop or a call, not work of its own.
void keep_leaves_as_work(trace::EventTable& events, std::vector<std::uint32_t> rows) {
  for (const std::uint32_t row : shared::rows_around_others(events, std::move(rows))) {
    events.kind[row] = trace::Kind::kAnnotation;
  }
}

// `roles` and `moved` are by track: what it is, and where its events belong.
void give_kinds(MappedFile& file, std::span<const LaneRole> roles,
                std::span<const trace::TrackId> moved) {
  trace::EventTable& events = file.trace.events;
  std::vector<std::vector<std::uint32_t>> op_rows(roles.size());
  for (std::size_t i = file.start.row; i < events.size(); ++i) {
    const std::size_t t = trace::index_of(events.track[i]);
    if (t >= roles.size()) continue;
    const LaneRole role = roles[t];
    if (role == LaneRole::kNone || role == LaneRole::kAsItIs) continue;
    events.track[i] = moved[t];
    if (events.shape[i] != trace::Shape::kSpan) continue;
    if (role == LaneRole::kWarp) file.diagnostics.add(kInKernelTimeline);
    events.kind[i] = is_work(role) ? kind_of_device_work(file.trace.text(events.name[i]))
                                   : trace::Kind::kAnnotation;
    if (role == LaneRole::kDeviceOps) op_rows[t].push_back(static_cast<std::uint32_t>(i));
  }
  for (auto& rows : op_rows) keep_leaves_as_work(events, std::move(rows));
}

void note_collectives(MappedFile& file) {
  trace::Trace& trace = file.trace;
  const trace::EventTable& events = trace.events;
  for (std::size_t i = file.start.row; i < events.size(); ++i) {
    // Events with a category of their own were noted when they were mapped.
    if (events.kind[i] != trace::Kind::kCommunication || events.category[i] != kEmptyString)
      continue;
    trace::Collective collective;
    collective.event = trace::EventId{static_cast<std::uint32_t>(i)};
    collective.op = trace.strings.intern(trace::collective_op(trace.text(events.name[i])));
    trace.collectives.push_back(collective);
  }
}

}  // namespace

LaneRole NamedLanes::role_of(const trace::Trace& trace, const trace::Track& track) const {
  if (track.side == trace::Track::Side::kDevice) return LaneRole::kNone;
  const trace::Process& process = trace.processes[trace::index_of(track.process)];
  const StringId lane = track.name == kEmptyString ? track.id.text : track.name;
  return role_of(trace.text(process.name), trace.text(lane));
}

bool NamedLanes::recognises(const MappedFile& file) const {
  const auto tracks = std::span(file.trace.tracks).subspan(file.start.track);
  return std::ranges::any_of(tracks, [&](const trace::Track& track) {
    return role_of(file.trace, track) != LaneRole::kNone;
  });
}

std::optional<Clock> NamedLanes::clock(const MappedFile& /*file*/) const { return Clock::kSession; }

void NamedLanes::place_lanes(MappedFile& file) const {
  const std::size_t last_track = file.trace.tracks.size();
  std::vector<LaneRole> roles(last_track, LaneRole::kNone);
  std::vector<trace::TrackId> moved(last_track);
  for (std::size_t t = file.start.track; t < last_track; ++t) {
    const trace::TrackId lane{static_cast<std::uint32_t>(t)};
    roles[t] = role_of(file.trace, file.trace.tracks[t]);
    moved[t] = is_of_device(roles[t]) ? file.mapper.tracks().as_device_track(lane) : lane;
  }
  give_kinds(file, roles, moved);
  if (std::ranges::any_of(roles, is_work)) note_collectives(file);
}

}  // namespace lockstep::formats::chrome_json
