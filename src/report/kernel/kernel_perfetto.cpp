// Launches become ranks, clusters and blocks devices, lanes tracks: the groups that the writer has.
#include "report/kernel/kernel_perfetto.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "base/text.h"
#include "formats/perfetto/write/perfetto_writer.h"

namespace lockstep::report::kernel {
namespace {

constexpr std::string_view kRegionCategory = "region";
constexpr std::string_view kInstantCategory = "instant";
constexpr std::string_view kAsyncCategory = "async";
constexpr std::string_view kLaunchCategory = "launch";

class KernelTraceBuilder {
 public:
  explicit KernelTraceBuilder(const KernelReport& report) : report_(report) {}

  trace::Trace build() {
    add_launches();
    std::uint64_t last = 0;
    for (const trace::KernelLane& lane : report_.profile.lanes) last = std::max(last, lane.block);
    number_width_ = std::to_string(last).size();
    lane_tracks_.resize(report_.profile.lanes.size());
    for (const analysis::kernel_profile::LaneResult& lane : report_.summary.lanes) add_lane(lane);
    for (const analysis::kernel_profile::AsyncPair& pair : report_.summary.async_pairs)
      add_async(pair);
    return std::move(trace_);
  }

 private:
  // The writer needs a rank even where there is no launch.
  void add_launches() {
    const auto launches = static_cast<std::uint32_t>(report_.profile.launches.size());
    for (std::uint32_t i = 0; i < std::max(launches, 1U); ++i) {
      trace::Rank rank;
      if (i < launches) rank.source = launch_words(report_.launch(i));
      rank.format = report_.profile.format;
      rank.origin = {report_.summary.time.origin_ns, Clock::kUnknown};
      trace_.ranks.push_back(std::move(rank));
      trace::Process process;
      process.rank = trace::RankId{i};
      process.id = {intern(fmt::format("{}", i + 1)), true};
      process.name = intern("kernel");
      trace_.processes.push_back(process);
    }
    for (const analysis::kernel_profile::LaunchResult& result : report_.summary.launches)
      add_launch(result);
  }

  [[nodiscard]] static std::string launch_words(const trace::KernelLaunch& launch) {
    const std::string name = launch.kernel.empty() ? "" : " " + demangled(launch.kernel);
    return fmt::format("launch {}{}", launch.id, name);
  }

  void add_launch(const analysis::kernel_profile::LaunchResult& result) {
    const trace::DeviceId device = add_device(result.launch, device_name());
    const trace::TrackId track = add_track(result.launch, device, "launches");
    const trace::KernelLaunch& launch = report_.launch(result.launch);
    const trace::EventId event =
        add_event(track, launch_words(launch), kLaunchCategory, result.start,
                  analysis::kernel_profile::time_between(result.start, result.end));
    std::vector<trace::Argument> arguments;
    if (launch.grid.count() > 0) arguments.push_back(text("grid", extent_words(launch.grid)));
    if (launch.threads.count() > 0) {
      arguments.push_back(text("block", extent_words(launch.threads)));
    }
    arguments.push_back(number("lanes", static_cast<std::int64_t>(result.lanes_seen)));
    trace_.arguments.set(event, arguments);
  }

  [[nodiscard]] std::string device_name() const {
    return report_.profile.device.empty() ? "kernel" : report_.profile.device;
  }

  trace::DeviceId add_device(std::uint32_t launch, std::string_view name) {
    const trace::DeviceId id{static_cast<std::uint32_t>(trace_.devices.size())};
    trace_.devices.push_back({trace::RankId{launch}, intern(name), StringId{}});
    return id;
  }

  trace::TrackId add_track(std::uint32_t launch, trace::DeviceId device, std::string_view name) {
    const trace::TrackId id{static_cast<std::uint32_t>(trace_.tracks.size())};
    trace::Track track;
    track.process = trace::ProcessId{launch};
    track.side = trace::Track::Side::kDevice;
    track.device = device;
    track.id = {intern(name), false};
    track.name = track.id.text;
    track.sort_index = trace::index_of(id);
    trace_.tracks.push_back(track);
    return id;
  }

  // Blocks of one cluster follow each other only along x, so clusters are counted by their corner.
  [[nodiscard]] std::optional<std::uint64_t> cluster_of(const trace::KernelLane& lane) const {
    const trace::KernelLaunch& launch = report_.launch(lane.launch);
    if (launch.cluster.count() < 2 || launch.grid.count() == 0) return std::nullopt;
    const std::uint64_t x = lane.block % launch.grid.x / launch.cluster.x;
    const std::uint64_t y = lane.block / launch.grid.x % launch.grid.y / launch.cluster.y;
    const std::uint64_t z = lane.block / launch.grid.x / launch.grid.y / launch.cluster.z;
    const std::uint64_t columns = (launch.grid.x + launch.cluster.x - 1) / launch.cluster.x;
    const std::uint64_t rows = (launch.grid.y + launch.cluster.y - 1) / launch.cluster.y;
    return (z * rows + y) * columns + x;
  }

  // Viewers order groups by their name: numbers are as wide as that of the last block.
  trace::DeviceId group_of(const trace::KernelLane& lane) {
    const std::optional<std::uint64_t> cluster = cluster_of(lane);
    const std::size_t width = number_width_;
    const std::string name = cluster ? fmt::format("cluster {:>{}}", *cluster, width)
                             : lane.sm >= 0
                                 ? fmt::format("block {:>{}} on SM {}", lane.block, width, lane.sm)
                                 : fmt::format("block {:>{}}", lane.block, width);
    const std::pair key(lane.launch, cluster.value_or(lane.block));
    const auto [entry, is_new] = groups_.try_emplace(key);
    if (is_new) entry->second = add_device(lane.launch, name);
    return entry->second;
  }

  [[nodiscard]] std::string track_name(const trace::KernelLane& lane) const {
    const std::string group = lane.name.empty() ? fmt::format("group {}", lane.group) : lane.name;
    return cluster_of(lane) ? fmt::format("block {} {}", lane.block, group) : group;
  }

  void add_lane(const analysis::kernel_profile::LaneResult& result) {
    const trace::KernelLane& lane = report_.lane(result.lane);
    const trace::TrackId track = add_track(lane.launch, group_of(lane), track_name(lane));
    lane_tracks_[result.lane] = track;
    const bool has_cycles = trace::counts_cycles(lane.clock);
    for (const analysis::kernel_profile::TimedRegion& timed : result.regions)
      add_region(track, timed, has_cycles);
    for (const analysis::kernel_profile::TimedInstant& timed : result.instants) {
      const trace::EventId event = add_point(track, report_.profile.event_name(timed.instant.event),
                                             kInstantCategory, timed.at.time);
      if (timed.instant.has_payload) {
        trace_.arguments.set(event, std::vector{number("payload", timed.instant.payload)});
      }
    }
  }

  void add_region(trace::TrackId track, const analysis::kernel_profile::TimedRegion& timed,
                  bool has_cycles) {
    const analysis::kernel_profile::LaneRegion& region = timed.region;
    const trace::EventId event = add_event(track, report_.profile.event_name(region.event),
                                           kRegionCategory, timed.start.time, timed.duration);
    std::vector<trace::Argument> arguments;
    if (has_cycles) arguments.push_back(number("cycles", timed.ticks));
    if (region.has_payload) arguments.push_back(number("payload", region.payload));
    if (timed.start.uncertainty != analysis::kernel_profile::kUnknownUncertainty) {
      arguments.push_back(number("uncertainty_ps", timed.start.uncertainty.ps));
    }
    if (region.status != analysis::kernel_profile::RegionStatus::kOk) {
      arguments.push_back(text("status", name_of(region.status)));
    }
    trace_.arguments.set(event, arguments);
  }

  void add_async(const analysis::kernel_profile::AsyncPair& pair) {
    const std::optional<trace::TrackId> from = lane_tracks_[pair.begin_lane];
    const std::optional<trace::TrackId> to = lane_tracks_[pair.end_lane];
    if (!from || !to) return;
    const std::string name = report_.profile.event_name(pair.event);
    const std::vector token = {number("token", pair.token)};
    const trace::EventId work =
        add_event(in_flight_track(pair.begin_lane), name, kAsyncCategory, pair.begin.time,
                  analysis::kernel_profile::time_between(pair.begin.time, pair.end.time));
    const trace::EventId begin = add_point(*from, "begin " + name, kAsyncCategory, pair.begin.time);
    const trace::EventId end = add_point(*to, "end " + name, kAsyncCategory, pair.end.time);
    for (const trace::EventId event : {work, begin, end}) trace_.arguments.set(event, token);
    trace_.flows.push_back({begin, end, trace::Flow::Kind::kOther, intern(kAsyncCategory)});
  }

  // Beside the lane that begins the work.
  trace::TrackId in_flight_track(std::uint32_t lane) {
    const auto [entry, is_new] = in_flight_.try_emplace(lane);
    if (is_new) {
      const trace::Track beside = trace_.tracks[trace::index_of(*lane_tracks_[lane])];
      entry->second = add_track(report_.lane(lane).launch, beside.device,
                                fmt::format("{} in flight", trace_.text(beside.name)));
      trace_.tracks.back().sort_index = beside.sort_index;
    }
    return entry->second;
  }

  trace::EventId add_event(trace::TrackId track, std::string_view name, std::string_view category,
                           Time start, Time duration) {
    return add(track, name, category, start, duration, trace::Shape::kSpan);
  }
  trace::EventId add_point(trace::TrackId track, std::string_view name, std::string_view category,
                           Time at) {
    return add(track, name, category, at, Time{}, trace::Shape::kInstant);
  }
  trace::EventId add(trace::TrackId track, std::string_view name, std::string_view category,
                     Time start, Time duration, trace::Shape shape) {
    trace::Event event;
    event.start = start;
    event.duration = duration;
    event.name = intern(name);
    event.category = intern(category);
    event.track = track;
    event.kind = trace::Kind::kAnnotation;
    event.shape = shape;
    return trace_.events.add(event);
  }

  trace::Argument number(std::string_view key, std::int64_t value) {
    return trace::Argument::integer(intern(key), value);
  }
  trace::Argument text(std::string_view key, std::string_view value) {
    return trace::Argument::string(intern(key), intern(value));
  }
  StringId intern(std::string_view words) { return trace_.strings.intern(words); }

  const KernelReport& report_;
  trace::Trace trace_;
  std::vector<std::optional<trace::TrackId>> lane_tracks_;  // by lane
  std::map<std::pair<std::uint32_t, std::uint64_t>, trace::DeviceId> groups_;
  std::map<std::uint32_t, trace::TrackId> in_flight_;
  std::size_t number_width_ = 1;  // of the last block's
};

}  // namespace

trace::Trace kernel_trace(const KernelReport& report) { return KernelTraceBuilder(report).build(); }

Status write_kernel_perfetto(const KernelReport& report, io::ByteSink& sink) {
  return formats::perfetto::write_perfetto(kernel_trace(report), sink);
}

}  // namespace lockstep::report::kernel
