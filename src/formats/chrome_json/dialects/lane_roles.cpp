// Roles of lanes by their names.
#include "formats/chrome_json/dialects/lane_roles.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/chrome_json/defects.h"
#include "formats/shared/event_categories.h"
#include "formats/shared/leaf_spans.h"
#include "trace/collective_names.h"

namespace lockstep::formats::chrome_json {
namespace {

enum class Role {
  kNone,
  kHostThread,     // of a known dialect; its events are annotations
  kDeviceStream,   // device work, kind by name
  kDeviceOps,      // TPU: the leaves are the work
  kDeviceDerived,  // repeats the work in another grouping, or marks it
  kWarp,           // inside a kernel
};

struct LaneRole {
  Role role = Role::kNone;
  Dialect dialect = Dialect::kPlain;
};

// "/device:GPU:0 (pid 2)" is a device process of JAX; its lanes are streams and derived lines.
LaneRole jax_role(std::string_view process, std::string_view lane) {
  if (process.starts_with("/host:")) return {Role::kNone, Dialect::kJax};
  if (!process.starts_with("/device:")) return {};
  if (lane.starts_with("Stream #")) return {Role::kDeviceStream, Dialect::kJax};
  const bool is_tpu = process.find("TPU") != std::string_view::npos;
  if (is_tpu && lane == "XLA Ops") return {Role::kDeviceOps, Dialect::kJax};
  return {Role::kDeviceDerived, Dialect::kJax};
}

LaneRole proton_role(std::string_view lane) {
  if (lane.starts_with("GPU Stream ") || lane.starts_with("Graph: Stream ")) {
    return {Role::kDeviceDerived, Dialect::kProton};
  }
  if (lane.starts_with("CPU Thread ")) return {Role::kHostThread, Dialect::kProton};
  const bool is_warp =
      lane.starts_with("warp ") && lane.size() > 5 && lane[5] >= '0' && lane[5] <= '9';
  if (is_warp) return {Role::kWarp, Dialect::kInKernel};
  return {};
}

LaneRole role_of(const trace::Trace& trace, const trace::Track& track) {
  if (track.side == trace::Track::Side::kDevice) return {};
  const trace::Process& process = trace.processes[trace::index_of(track.process)];
  const std::string_view lane = trace.text(track.name == kEmptyString ? track.id.text : track.name);
  const LaneRole jax = jax_role(trace.text(process.name), lane);
  return jax.dialect == Dialect::kPlain ? proton_role(lane) : jax;
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

}  // namespace

Dialect apply_lane_roles(trace::Trace& trace, TrackLookup& tracks, std::size_t first_row,
                         std::size_t first_track, Diagnostics& diagnostics) {
  Dialect dialect = Dialect::kPlain;
  std::vector<LaneRole> roles(trace.tracks.size());
  std::vector<trace::TrackId> moved(trace.tracks.size());
  const std::size_t last_track = trace.tracks.size();
  for (std::size_t t = first_track; t < last_track; ++t) {
    const LaneRole found = role_of(trace, trace.tracks[t]);
    roles[t] = found;
    moved[t] = trace::TrackId{static_cast<std::uint32_t>(t)};
    if (found.dialect != Dialect::kPlain) dialect = found.dialect;
    const bool to_device = found.role != Role::kNone && found.role != Role::kHostThread;
    if (to_device) moved[t] = tracks.as_device_track(trace::TrackId{static_cast<std::uint32_t>(t)});
  }
  if (dialect == Dialect::kPlain) return dialect;

  trace::EventTable& events = trace.events;
  std::vector<std::vector<std::uint32_t>> op_rows(last_track);
  for (std::size_t i = first_row; i < events.size(); ++i) {
    const std::size_t t = trace::index_of(events.track[i]);
    const Role role = roles[t].role;
    if (role == Role::kNone || t >= last_track) continue;
    events.track[i] = moved[t];
    if (events.shape[i] != trace::Shape::kSpan) continue;
    const bool is_work = role == Role::kDeviceStream || role == Role::kDeviceOps;
    if (role == Role::kWarp) diagnostics.add(kInKernelTimeline);
    events.kind[i] =
        is_work ? kind_of_device_work(trace.text(events.name[i])) : trace::Kind::kAnnotation;
    if (role == Role::kDeviceOps) op_rows[t].push_back(static_cast<std::uint32_t>(i));
  }
  for (auto& rows : op_rows) keep_leaves_as_work(events, std::move(rows));
  for (std::size_t i = first_row; i < events.size(); ++i) {
    // Events with a category of their own were noted when they were mapped.
    if (events.kind[i] != trace::Kind::kCommunication || events.category[i] != kEmptyString)
      continue;
    trace::Collective collective;
    collective.event = trace::EventId{static_cast<std::uint32_t>(i)};
    collective.op = trace.strings.intern(trace::collective_op(trace.text(events.name[i])));
    trace.collectives.push_back(collective);
  }
  return dialect;
}

}  // namespace lockstep::formats::chrome_json
