// The XSpace writer: the planes of one rank after the other, then when it all started.
#include "formats/xspace/write/xspace_writer.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <protozero/varint.hpp>

#include "formats/xspace/write/flow_index.h"
#include "formats/xspace/write/plane_encoder.h"

namespace lockstep::formats::xspace {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// XSpace has 64 bits for times. Origins that near their ends are no times of anything.
std::int64_t saturated(WideTime ns) {
  return static_cast<std::int64_t>(std::clamp(ns,
                                              WideTime{std::numeric_limits<std::int64_t>::min()},
                                              WideTime{std::numeric_limits<std::int64_t>::max()}));
}

class SpaceWriter {
 public:
  SpaceWriter(const trace::Trace& trace, io::ByteSink& sink)
      : trace_(trace),
        sink_(sink),
        flows_(trace),
        rows_(trace.tracks.size()),
        collectives_(trace.collectives) {
    for (std::uint32_t row = 0; row < trace.events.size(); ++row) {
      rows_[trace::index_of(trace.events.track[row])].push_back(row);
    }
    std::ranges::stable_sort(collectives_, {}, event_of);
    find_contents();
    find_planes();
  }

  Status write();

 private:
  static std::size_t event_of(const trace::Collective& collective) {
    return trace::index_of(collective.event);
  }

  // The tracks of one process on one device, or on the host.
  struct PlaneTracks {
    trace::ProcessId process{};
    std::vector<trace::TrackId> tracks;
  };

  // Indices of what a rank has.
  struct RankContents {
    std::vector<std::uint32_t> processes;
    std::vector<std::uint32_t> devices;
    std::vector<std::uint32_t> steps;
  };

  void find_contents();
  void find_planes();
  void find_bounds();
  [[nodiscard]] Status write_rank(trace::RankId rank);
  [[nodiscard]] Status write_host_planes(trace::RankId rank);
  [[nodiscard]] Status write_device_planes(trace::RankId rank);
  [[nodiscard]] Status write_rank_plane(trace::RankId rank);
  [[nodiscard]] Status write_environment();
  [[nodiscard]] Status put(PlaneEncoder& plane);

  void add_process(PlaneEncoder& plane, trace::ProcessId process);
  void add_track(PlaneEncoder& plane, trace::TrackId track, std::int64_t number);
  void add_event(PlaneEncoder& plane, std::uint32_t row, Time zero);
  void add_collective(PlaneEncoder& plane, EventBuilder& event, std::uint32_t row);
  [[nodiscard]] std::string line_name(const trace::Track& track,
                                      std::span<const std::uint32_t> rows);

  const trace::Trace& trace_;
  io::ByteSink& sink_;
  FlowIndex flows_;
  std::vector<std::vector<std::uint32_t>> rows_;          // by track
  std::vector<trace::Collective> collectives_;            // by event
  std::vector<RankContents> contents_;                    // by rank
  std::vector<std::vector<trace::TrackId>> host_tracks_;  // by process
  std::vector<bool> is_on_device_;                        // by process: has streams
  std::vector<std::vector<PlaneTracks>> device_planes_;   // by device
  bool has_epoch_ = false;
  std::int64_t profile_start_ns_ = 0;
  std::int64_t profile_stop_ns_ = 0;
  std::int64_t next_device_ = 0;
  std::int64_t next_host_ = 0;
};

Status SpaceWriter::write() {
  find_bounds();
  for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
    LOCKSTEP_RETURN_IF_ERROR(write_rank(trace::RankId{r}));
  }
  return has_epoch_ ? write_environment() : Status{};
}

// First and last moment of the ranks that count from 1970.
void SpaceWriter::find_bounds() {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const trace::Rank& rank : trace_.ranks) {
    if (rank.origin.clock != Clock::kEpoch) continue;
    has_epoch_ = true;
    first = std::min(first, rank.origin.ns);
    last = std::max(last, rank.origin.ns);
  }
  for (std::size_t row = 0; row < trace_.events.size() && has_epoch_; ++row) {
    const Origin& origin =
        trace_.ranks[trace::index_of(trace_.rank_of(trace_.track_of(row)))].origin;
    if (origin.clock != Clock::kEpoch) continue;
    first = std::min(first, saturated(WideTime{origin.ns} + floor_ns(trace_.events.start[row])));
    last = std::max(last, saturated(WideTime{origin.ns} + floor_ns(trace_.events.end(row)) + 1));
  }
  profile_start_ns_ = first;
  profile_stop_ns_ = last;
}

Status SpaceWriter::write_rank(trace::RankId rank) {
  LOCKSTEP_RETURN_IF_ERROR(write_host_planes(rank));
  LOCKSTEP_RETURN_IF_ERROR(write_device_planes(rank));
  return write_rank_plane(rank);
}

void SpaceWriter::find_contents() {
  contents_.resize(trace_.ranks.size());
  const auto list = [&](const auto& things, auto into) {
    for (std::uint32_t i = 0; i < things.size(); ++i) {
      (contents_[trace::index_of(things[i].rank)].*into).push_back(i);
    }
  };
  list(trace_.processes, &RankContents::processes);
  list(trace_.devices, &RankContents::devices);
  list(trace_.steps, &RankContents::steps);
}

void SpaceWriter::find_planes() {
  host_tracks_.resize(trace_.processes.size());
  is_on_device_.resize(trace_.processes.size());
  device_planes_.resize(trace_.devices.size());
  std::unordered_map<std::uint64_t, std::size_t> plane_of;  // by device and process
  for (std::uint32_t t = 0; t < trace_.tracks.size(); ++t) {
    const trace::Track& track = trace_.tracks[t];
    if (track.device == trace::kNoDevice) {
      host_tracks_[trace::index_of(track.process)].push_back(trace::TrackId{t});
      continue;
    }
    is_on_device_[trace::index_of(track.process)] = true;
    std::vector<PlaneTracks>& planes = device_planes_[trace::index_of(track.device)];
    const std::uint64_t key = (std::uint64_t{static_cast<std::uint32_t>(track.device)} << 32) |
                              static_cast<std::uint32_t>(track.process);
    const auto [known, is_new] = plane_of.try_emplace(key, planes.size());
    if (is_new) planes.push_back({track.process, {}});
    planes[known->second].tracks.push_back(trace::TrackId{t});
  }
}

// Viewers know host planes by "/host:CPU" at the front of their name.
Status SpaceWriter::write_host_planes(trace::RankId rank) {
  for (const std::uint32_t p : contents_[trace::index_of(rank)].processes) {
    const std::vector<trace::TrackId>& tracks = host_tracks_[p];
    if (tracks.empty() && is_on_device_[p]) continue;
    std::string name = "/host:CPU";
    if (trace_.ranks.size() > 1) name += fmt::format(" rank {}", trace::index_of(rank));
    if (next_host_ > 0) {
      name += fmt::format(" process {}", trace_.text(trace_.processes[p].id.text));
    }
    PlaneEncoder plane(trace_, next_host_++, name);
    plane.add_fact(kRankStat, static_cast<std::int64_t>(trace::index_of(rank)));
    add_process(plane, trace::ProcessId{p});
    std::int64_t number = 0;
    for (const trace::TrackId track : tracks) add_track(plane, track, number++);
    LOCKSTEP_RETURN_IF_ERROR(put(plane));
  }
  return {};
}

// Dense numbers over all ranks: viewers fold what lies above 499 into one row. The streams of two
// processes on one device are two planes.
Status SpaceWriter::write_device_planes(trace::RankId rank) {
  for (const std::uint32_t d : contents_[trace::index_of(rank)].devices) {
    const trace::Device& device = trace_.devices[d];
    std::vector<PlaneTracks> planes = std::move(device_planes_[d]);
    if (planes.empty()) planes.emplace_back();  // an idle device is there all the same
    for (const PlaneTracks& of_process : planes) {
      PlaneEncoder plane(trace_, next_device_, fmt::format("/device:GPU:{}", next_device_));
      ++next_device_;
      plane.add_fact(kRankStat, static_cast<std::int64_t>(trace::index_of(rank)));
      plane.add_fact(kDeviceStat, trace_.text(device.id));
      if (device.name != kEmptyString) plane.add_fact(kGpuNameStat, trace_.text(device.name));
      if (!of_process.tracks.empty()) add_process(plane, of_process.process);
      std::int64_t number = 0;
      for (const trace::TrackId track : of_process.tracks) add_track(plane, track, number++);
      LOCKSTEP_RETURN_IF_ERROR(put(plane));
    }
  }
  return {};
}

Status SpaceWriter::write_rank_plane(trace::RankId id) {
  const trace::Rank& rank = trace_.ranks[trace::index_of(id)];
  PlaneEncoder plane(trace_, 0, fmt::format("{}{}", kRankPlanePrefix, trace::index_of(id)));
  plane.add_fact(kRankStat, static_cast<std::int64_t>(trace::index_of(id)));
  if (rank.number) plane.add_fact(kRankNumberStat, *rank.number);
  plane.add_fact(kOriginStat, rank.origin.ns);
  plane.add_fact(kClockStat, name_of(rank.origin.clock));
  for (const trace::Metadata& entry : rank.metadata) {
    plane.add_fact(std::string(kMetadataStatPrefix) + entry.key, entry.json);
  }
  const std::int64_t start_ns = rank.origin.clock == Clock::kEpoch ? profile_start_ns_ : 0;
  plane.begin_line({0, "Steps", {}, saturated(WideTime{rank.origin.ns} - start_ns)});
  for (const std::uint32_t s : contents_[trace::index_of(id)].steps) {
    const trace::Step& step = trace_.steps[s];
    plane.add_event(plane.event_metadata(trace_.text(step.name)), [&](EventBuilder& event) {
      event.add_int64(EventField::kOffsetPs, step.start.ps);
      event.add_int64(EventField::kDurationPs, (step.end - step.start).ps);
    });
  }
  plane.end_line();
  return put(plane);
}

Status SpaceWriter::write_environment() {
  PlaneEncoder plane(trace_, 0, kTaskEnvironment);
  plane.add_fact(kProfileStartTime, profile_start_ns_);
  plane.add_fact(kProfileStopTime, profile_stop_ns_);
  return put(plane);
}

Status SpaceWriter::put(PlaneEncoder& plane) {
  const std::string& bytes = plane.finish();
  std::string head;
  head += static_cast<char>(bytes_field(SpaceField::kPlanes));
  protozero::add_varint_to_buffer(&head, bytes.size());
  LOCKSTEP_RETURN_IF_ERROR(sink_.write(head));
  return sink_.write(bytes);
}

void SpaceWriter::add_process(PlaneEncoder& plane, trace::ProcessId id) {
  const trace::Process& process = trace_.processes[trace::index_of(id)];
  const std::string_view text = trace_.text(process.id.text);
  const auto number = whole_number(text);
  if (number && std::to_string(*number) == text) {
    plane.add_fact(kProcessIdStat, *number);
  } else {
    plane.add_fact(kProcessIdStat, text);
  }
  if (process.name != kEmptyString) plane.add_fact(kProcessNameStat, trace_.text(process.name));
  if (process.labels != kEmptyString) {
    plane.add_fact(kProcessLabelsStat, trace_.text(process.labels));
  }
  if (process.sort_index) plane.add_fact(kProcessSortStat, *process.sort_index);
}

// "Stream #7(Compute,Memcpy)"; a lane without work, of a name rather than a number, by that name.
std::string SpaceWriter::line_name(const trace::Track& track, std::span<const std::uint32_t> rows) {
  const std::string_view id = trace_.text(track.id.text);
  if (track.side == trace::Track::Side::kHost) return std::string(id);
  std::set<std::string_view> words;
  for (const std::uint32_t row : rows) {
    const trace::Kind kind = trace_.events.kind[row];
    if (trace::is_kernel(kind)) words.insert("Compute");
    if (kind == trace::Kind::kMemcpy) words.insert("Memcpy");
    if (kind == trace::Kind::kMemset) words.insert("Memset");
  }
  if (words.empty() && !id.empty() && !whole_number(id) && !id.starts_with("Stream #")) {
    return std::string(id);
  }
  return fmt::format("Stream #{}({})", id, fmt::join(words, ","));
}

void SpaceWriter::add_track(PlaneEncoder& plane, trace::TrackId id, std::int64_t number) {
  const trace::Track& track = trace_.tracks[trace::index_of(id)];
  const std::vector<std::uint32_t>& rows = rows_[trace::index_of(id)];
  const Origin& origin = trace_.ranks[trace::index_of(trace_.rank_of(track))].origin;
  std::int64_t first_ns = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t start = floor_ns(trace_.events.start[rows[i]]);
    first_ns = i == 0 ? start : std::min(first_ns, start);
  }
  const std::int64_t start_ns = origin.clock == Clock::kEpoch ? profile_start_ns_ : 0;
  PlaneEncoder::LineHead head;
  head.id = whole_number(trace_.text(track.id.text)).value_or(number);
  const std::string name = line_name(track, rows);
  head.name = name;
  head.display_name = trace_.text(track.name);
  head.timestamp_ns = saturated(WideTime{origin.ns} + first_ns - start_ns);
  plane.begin_line(head);
  for (const std::uint32_t row : rows) {
    add_event(plane, row, Time{first_ns * kPicosecondsPerNanosecond});
  }
  plane.end_line();
}

void SpaceWriter::add_event(PlaneEncoder& plane, std::uint32_t row, Time zero) {
  const trace::EventTable& events = trace_.events;
  const std::uint64_t metadata = plane.event_metadata(events.name[row], events.category[row],
                                                      events.kind[row], events.shape[row]);
  plane.add_event(metadata, [&](EventBuilder& event) {
    event.add_int64(EventField::kOffsetPs, (events.start[row] - zero).ps);
    event.add_int64(EventField::kDurationPs, events.duration[row].ps);
    if (events.correlation[row] != trace::kNoCorrelation) {
      plane.add_column(event, "correlation_id", events.correlation[row]);
    }
    for (const trace::Argument& argument : trace_.arguments.of(trace::EventId{row})) {
      plane.add_argument(event, argument);
    }
    for (const FlowIndex::End& end : flows_.of(row)) {
      plane.add_flow(event, flows_.mark_of(end), FlowIndex::value_of(end));
    }
    if (events.kind[row] == trace::Kind::kCommunication) add_collective(plane, event, row);
  });
}

void SpaceWriter::add_collective(PlaneEncoder& plane, EventBuilder& event, std::uint32_t row) {
  const auto found = std::ranges::lower_bound(collectives_, std::size_t{row}, {}, event_of);
  if (found == collectives_.end() || event_of(*found) != row) return;
  plane.add_column(event, "collective_op", found->op);
  if (found->group != kEmptyString) plane.add_column(event, "collective_group", found->group);
  if (found->dtype != kEmptyString) plane.add_column(event, "collective_dtype", found->dtype);
  const auto add = [&](std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) plane.add_column(event, name, *value);
  };
  const auto ps = [](const std::optional<Time>& time) {
    return time ? std::optional(time->ps) : std::nullopt;
  };
  add("collective_sequence", found->sequence);
  add("collective_elements_in", found->elements_in);
  add("collective_elements_out", found->elements_out);
  add("collective_bytes", found->bytes);
  add("collective_transit_ps", ps(found->transit));
  add("collective_wait_ps", ps(found->wait));
  add("collective_idle_ps", ps(found->idle));
}

}  // namespace

Status write_xspace(const trace::Trace& trace, io::ByteSink& sink) {
  if (trace.ranks.empty()) return Error{ErrorCode::kInternal, "the trace has no rank", {}, {}};
  return SpaceWriter(trace, sink).write();
}

}  // namespace lockstep::formats::xspace
