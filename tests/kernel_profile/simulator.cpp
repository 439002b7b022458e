// Makes random executions: launches, lanes on multiprocessors, markers, anchors.
#include "simulator.h"

#include <algorithm>

namespace lockstep::sim {
namespace {

constexpr std::int64_t kPsPerNs = 1000;
constexpr std::int64_t kMostSkew = 6;  // cycles between counters that were reset together
constexpr std::int64_t kWrap32 = std::int64_t{1} << 32;

class Simulation {
 public:
  explicit Simulation(const SimOptions& options) : random_(options.seed) {
    world_.options = options;
  }

  TrueExecution run() {
    name_events();
    plan_launches();
    set_clocks();
    for (TrueLane& lane : world_.lanes) record(lane);
    return std::move(world_);
  }

 private:
  [[nodiscard]] const SimOptions& options() const { return world_.options; }

  void name_events() {
    for (std::uint32_t i = 0; i < options().events; ++i) {
      world_.event_names.push_back("stage" + std::to_string(i));
    }
  }

  // Launches of a channel follow each other; channels overlap.
  void plan_launches() {
    std::vector<std::int64_t> free_ps(options().channels, 5'000'000);
    for (std::uint32_t i = 0; i < options().launches; ++i) {
      const std::uint32_t channel = i % options().channels;
      TrueLaunch launch;
      launch.channel = channel;
      launch.number = i / options().channels + 1;
      launch.start_ps = free_ps[channel] + random_.between(0, 20'000'000);
      launch.end_ps = launch.start_ps;
      plan_lanes(i, launch);
      free_ps[channel] = launch.end_ps + random_.between(1'000'000, 50'000'000);
      world_.launches.push_back(launch);
    }
  }

  void plan_lanes(std::uint32_t launch_index, TrueLaunch& launch) {
    for (std::uint32_t block = 0; block < options().blocks; ++block) {
      const auto sm = static_cast<std::uint32_t>(random_.next() % options().multiprocessors);
      const std::int64_t block_start = launch.start_ps + random_.between(0, 3'000'000);
      for (std::uint32_t group = 0; group < options().groups; ++group) {
        TrueLane lane;
        lane.launch = launch_index;
        lane.block = block;
        lane.group = group;
        lane.sm = lane.sm_end = sm;
        lane.start_ps = block_start + random_.between(0, 200'000);
        plan_markers(lane);
        // Nothing tells of a lane that moved and never came to its end.
        lane.is_finalized = !random_.chance(options().not_finalized);
        if (lane.is_finalized && random_.chance(options().migration)) migrate(lane);
        launch.end_ps = std::max(launch.end_ps, lane.end_ps);
        world_.lanes.push_back(std::move(lane));
      }
    }
  }

  void migrate(TrueLane& lane) {
    lane.sm_end = (lane.sm + 1) % options().multiprocessors;
    lane.migration_ps = random_.between(lane.start_ps, lane.end_ps);
  }

  // Markers come after the two anchors of the lane's begin and before those of its end.
  void plan_markers(TrueLane& lane) {
    const std::int64_t anchors_ps = 4 * options().timer_tick_ns * kPsPerNs;
    std::int64_t at = lane.start_ps + anchors_ps;
    const auto markers = random_.between(2, options().max_markers);
    std::vector<std::uint32_t> open;
    while (static_cast<std::int64_t>(lane.markers.size()) < markers || !open.empty()) {
      at += random_.between(40'000, options().max_pause_ns * kPsPerNs);
      const bool is_late = static_cast<std::int64_t>(lane.markers.size()) >= markers;
      TrueMarker marker = options().has_regions ? region(at) : edge(at, is_late, open);
      at = std::max(marker.at_ps, marker.end_ps);
      if (marker.type != trace::RecordType::kInstant && random_.chance(options().lost_marker))
        continue;
      lane.markers.push_back(marker);
    }
    lane.end_ps = at + anchors_ps + 1'000'000;
  }

  TrueMarker region(std::int64_t at) {
    TrueMarker marker;
    marker.type = trace::RecordType::kRegion;
    marker.at_ps = at;
    marker.end_ps = at + random_.between(30'000, options().max_pause_ns * kPsPerNs);
    marker.event = any_event();
    marker.payload = static_cast<std::uint32_t>(random_.next());
    marker.has_payload = true;
    return marker;
  }

  TrueMarker edge(std::int64_t at, bool is_late, std::vector<std::uint32_t>& open) {
    TrueMarker marker;
    marker.at_ps = at;
    if (!open.empty() && (is_late || random_.chance(0.5))) {
      marker.type = trace::RecordType::kEnd;
      marker.event = open.back();
      open.pop_back();
    } else if (random_.chance(0.1)) {
      marker.type = trace::RecordType::kInstant;
      marker.event = any_event();
    } else {
      marker.type = trace::RecordType::kBegin;
      marker.event = any_event();
      open.push_back(marker.event);
    }
    return marker;
  }

  std::uint32_t any_event() {
    return static_cast<std::uint32_t>(random_.next() % options().events);
  }

  void set_clocks() {
    std::int64_t until = 0;
    for (const TrueLaunch& launch : world_.launches) until = std::max(until, launch.end_ps);
    until += 10'000'000;
    world_.timer.tick_ns = options().timer_tick_ns;
    world_.timer.origin_ns = 1'700'000'000'000'000'000 + random_.between(0, kWrap32) / 1024 * 1024;
    if (options().wraps_timer) {
      const std::int64_t half_ns = until / 2 / kPsPerNs / 1024 * 1024;
      world_.timer.origin_ns = world_.timer.origin_ns / kWrap32 * kWrap32 - half_ns;
    }
    for (std::uint32_t i = 0; i < options().multiprocessors; ++i) {
      if (i % options().cluster == 0) {
        // Seconds apart.
        std::int64_t offset = random_.between(1'000'000'000, 20'000'000'000);
        if (options().wraps_counters) offset = (i + 1) * kWrap32 - near_wrap(until);
        world_.counters.emplace_back(offset, until, options().wander, random_);
      } else {
        world_.counters.push_back(world_.counters[i - i % options().cluster]);
        world_.counters.back().add_skew(random_.between(-kMostSkew, kMostSkew));
      }
    }
  }

  std::int64_t near_wrap(std::int64_t until_ps) {
    return random_.between(0, 2 * until_ps / kPsPerNs);
  }

  void record(TrueLane& lane) {
    std::int64_t at = add_anchor(lane, lane.start_ps);
    at = add_anchor(lane, at);
    if (options().anchor_interval_ns > 0) {
      for (const TrueMarker& marker : lane.markers) {
        const std::int64_t reached = std::max(marker.at_ps, marker.end_ps);
        if (reached - at < options().anchor_interval_ns * kPsPerNs) continue;
        at = add_anchor(lane, reached);
      }
    }
    if (!lane.is_finalized) return;
    at = add_anchor(lane, lane.end_ps - 3 * options().timer_tick_ns * kPsPerNs);
    add_anchor(lane, at);
  }

  // Polls the timer from `from_ps` on until it steps; returns when that was.
  std::int64_t add_anchor(TrueLane& lane, std::int64_t from_ps) {
    const std::int64_t step_ps = world_.timer.next_step_ps(from_ps);
    const std::int64_t cycles = world_.cycles(lane, step_ps);
    const std::int64_t width = random_.between(options().read_cycles / 2, options().read_cycles);
    const std::int64_t before = cycles - random_.between(0, width);
    lane.anchors.push_back({world_.timer.read_ns(step_ps), before, before + width});
    return step_ps;
  }

  TrueExecution world_;
  Random random_;
};

}  // namespace

std::int64_t TrueExecution::cycles(const TrueLane& lane, std::int64_t at_ps) const {
  const bool has_moved = lane.sm_end != lane.sm && at_ps >= lane.migration_ps;
  return counters[has_moved ? lane.sm_end : lane.sm].read(at_ps);
}

double TrueExecution::highest_ghz() const {
  double highest = 0;
  for (const TrueCounter& counter : counters) highest = std::max(highest, counter.highest_ghz());
  return highest;
}

TrueExecution simulate(const SimOptions& options) { return Simulation(options).run(); }

KeptMarkers kept_markers(const TrueLane& lane, const SimOptions& options) {
  const std::size_t seen = lane.markers.size();
  const std::size_t count = std::min<std::size_t>(seen, options.capacity);
  return {options.is_ring ? seen - count : 0, count};
}

}  // namespace lockstep::sim
