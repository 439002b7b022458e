// Snapshots, and the way from one clock to another.
#include "formats/perfetto/decode/clock_map.h"

#include <algorithm>
#include <deque>
#include <limits>

#include <protozero/pbf_message.hpp>

#include "formats/perfetto/wire/perfetto_fields.h"

namespace lockstep::formats::perfetto {
namespace {

constexpr std::uint32_t kFirstSequenceClock = 64;
constexpr std::uint32_t kLastSequenceClock = 127;
// Real snapshots have six clocks or fewer.
constexpr std::size_t kMaxClocksOfSnapshot = 64;
// How often a way that is not there is looked for again when new snapshots come.
constexpr int kMaxSearches = 100;

struct ClockReading {
  std::uint32_t id = 0;
  std::uint64_t timestamp = 0;
  bool is_incremental = false;
  std::uint64_t unit_ns = 1;
};

ClockReading reading_of(protozero::data_view bytes) {
  ClockReading reading;
  protozero::pbf_message<ClockField> clock(bytes);
  while (clock.next()) {
    if (clock.wire_type() != protozero::pbf_wire_type::varint) {
      clock.skip();
      continue;
    }
    switch (clock.tag()) {
      case ClockField::kId:
        reading.id = clock.get_uint32();
        break;
      case ClockField::kTimestamp:
        reading.timestamp = clock.get_uint64();
        break;
      case ClockField::kIsIncremental:
        reading.is_incremental = clock.get_bool();
        break;
      case ClockField::kUnitMultiplierNs:
        reading.unit_ns = std::max<std::uint64_t>(clock.get_uint64(), 1);
        break;
      default:
        clock.skip();
    }
  }
  return reading;
}

std::optional<std::int64_t> scaled(std::uint64_t timestamp, std::uint64_t unit_ns) {
  std::uint64_t ns = 0;
  if (__builtin_mul_overflow(timestamp, unit_ns, &ns)) return std::nullopt;
  if (ns > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(ns);
}

}  // namespace

ClockKey clock_key(std::uint32_t clock, std::uint32_t sequence) {
  const bool is_scoped = clock >= kFirstSequenceClock && clock <= kLastSequenceClock;
  return is_scoped ? (std::uint64_t{sequence} << 32) | clock : clock;
}

void ClockMap::take(protozero::data_view bytes, std::uint32_t sequence) {
  // All of it is read before any of it counts: a damaged snapshot must leave no half behind.
  std::vector<ClockReading> readings;
  std::uint32_t primary = 0;
  protozero::pbf_message<ClockSnapshotField> snapshot(bytes);
  while (snapshot.next()) {
    if (snapshot.tag() == ClockSnapshotField::kPrimaryClock &&
        snapshot.wire_type() == protozero::pbf_wire_type::varint) {
      primary = snapshot.get_uint32();
    } else if (snapshot.tag() == ClockSnapshotField::kClocks &&
               snapshot.wire_type() == protozero::pbf_wire_type::length_delimited) {
      const ClockReading reading = reading_of(snapshot.get_view());
      if (readings.size() < kMaxClocksOfSnapshot) readings.push_back(reading);
    } else {
      snapshot.skip();
    }
  }
  if (!primary_ && primary != 0) primary_ = primary;
  std::vector<ClockKey> members;
  for (const ClockReading& reading : readings) {
    const auto ns = scaled(reading.timestamp, reading.unit_ns);
    const ClockKey key = clock_key(reading.id, sequence);
    if (!ns || std::ranges::find(members, key) != members.end()) continue;
    ClockFacts& facts = clocks_[key];
    facts.readings.push_back({snapshots_, *ns});
    facts.is_incremental = reading.is_incremental;
    facts.unit_ns = reading.unit_ns;
    facts.last_ns = *ns;
    members.push_back(key);
  }
  clocks_of_snapshot_.push_back(std::move(members));
  ++snapshots_;
}

std::optional<std::int64_t> ClockMap::resolve(ClockKey clock, std::uint64_t timestamp) {
  const auto found = clocks_.find(clock);
  if (found == clocks_.end()) return scaled(timestamp, 1);
  ClockFacts& facts = found->second;
  const auto ns = scaled(timestamp, facts.unit_ns);
  if (!ns || !facts.is_incremental) return ns;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(facts.last_ns, *ns, &sum)) return std::nullopt;
  facts.last_ns = sum;
  return sum;
}

const ClockMap::Pair& ClockMap::pair(ClockKey from, ClockKey to) {
  Pair& pair = pairs_[{from, to}];
  const std::vector<Reading>& a = clocks_.at(from).readings;
  const std::vector<Reading>& b = clocks_.at(to).readings;
  while (pair.used_from < a.size() && pair.used_to < b.size()) {
    const Reading& at_a = a[pair.used_from];
    const Reading& at_b = b[pair.used_to];
    if (at_a.snapshot == at_b.snapshot) {
      // A clock that was set back has no order to search in; the later reading is passed over.
      if (pair.points.empty() || pair.points.back().first <= at_a.ns) {
        pair.points.emplace_back(at_a.ns, at_b.ns);
      }
      ++pair.used_from;
      ++pair.used_to;
    } else if (at_a.snapshot < at_b.snapshot) {
      ++pair.used_from;
    } else {
      ++pair.used_to;
    }
  }
  return pair;
}

std::optional<std::int64_t> ClockMap::step(ClockKey from, ClockKey to, std::int64_t ns) {
  const auto& points = pair(from, to).points;
  if (points.empty()) return std::nullopt;
  auto point =
      std::ranges::upper_bound(points, ns, {}, &std::pair<std::int64_t, std::int64_t>::first);
  if (point != points.begin()) --point;
  std::int64_t distance = 0;
  std::int64_t moved = 0;
  if (__builtin_sub_overflow(ns, point->first, &distance)) return std::nullopt;
  if (__builtin_add_overflow(point->second, distance, &moved)) return std::nullopt;
  return moved;
}

std::vector<ClockKey> ClockMap::find_path(ClockKey from, ClockKey to) const {
  std::unordered_map<ClockKey, ClockKey> came_from = {{from, from}};
  std::vector<bool> seen_snapshot(clocks_of_snapshot_.size());
  std::deque<ClockKey> queue = {from};
  while (!queue.empty() && !came_from.contains(to)) {
    const ClockKey at = queue.front();
    queue.pop_front();
    const auto facts = clocks_.find(at);
    if (facts == clocks_.end()) continue;
    for (const Reading& reading : facts->second.readings) {
      if (seen_snapshot[reading.snapshot]) continue;
      seen_snapshot[reading.snapshot] = true;
      for (const ClockKey next : clocks_of_snapshot_[reading.snapshot]) {
        if (came_from.try_emplace(next, at).second) queue.push_back(next);
      }
    }
  }
  if (!came_from.contains(to)) return {};
  std::vector<ClockKey> path = {to};
  while (path.back() != from) path.push_back(came_from.at(path.back()));
  std::ranges::reverse(path);
  return path;
}

const std::vector<ClockKey>& ClockMap::path(ClockKey from, ClockKey to) {
  Path& path = paths_[{from, to}];
  const bool may_search = path.searches == 0 || path.searched_at != snapshots_;
  if (path.clocks.empty() && may_search && path.searches < kMaxSearches) {
    path.clocks = find_path(from, to);
    path.searched_at = snapshots_;
    ++path.searches;
  }
  return path.clocks;
}

std::optional<std::int64_t> ClockMap::convert(ClockKey from, ClockKey to, std::int64_t ns) {
  if (from == to) return ns;
  const std::vector<ClockKey>& way = path(from, to);
  if (way.empty()) return std::nullopt;
  std::optional<std::int64_t> at = ns;
  for (std::size_t i = 1; i < way.size() && at; ++i) at = step(way[i - 1], way[i], *at);
  return at;
}

}  // namespace lockstep::formats::perfetto
