// Buffers of profilers that record cycles: Proton's scratch memory (a part per block, a ring per
// warp) and Mosaic's (a fixed number of words per warp group).
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "sim_writers.h"

namespace lockstep::sim {
namespace {

class Words {
 public:
  void add(std::uint32_t word) { words_.push_back(word); }
  void add64(std::uint64_t value) {
    add(static_cast<std::uint32_t>(value));
    add(static_cast<std::uint32_t>(value >> 32));
  }
  [[nodiscard]] std::string bytes() const {
    std::string out(words_.size() * sizeof(std::uint32_t), '\0');
    std::memcpy(out.data(), words_.data(), out.size());
    return out;
  }

 private:
  std::vector<std::uint32_t> words_;
};

std::string meta_of(const TrueExecution& execution, const std::string& more) {
  std::string names;
  for (const std::string& name : execution.event_names) {
    names += (names.empty() ? "\"" : ", \"") + name + "\"";
  }
  return "{\"groups\": " + std::to_string(execution.options.groups) +
         ", \"clock_ghz\": " + std::to_string(execution.highest_ghz()) +
         ", \"timer_ns\": " + std::to_string(execution.timer.tick_ns) + ", \"names\": [" + names +
         "]" + more + "}";
}

// Neither has instants, and Mosaic's names no ends that were lost.
std::vector<TrueMarker> edges_of(const TrueLane& lane) {
  std::vector<TrueMarker> edges;
  std::ranges::copy_if(lane.markers, std::back_inserter(edges), [](const TrueMarker& marker) {
    return marker.type == trace::RecordType::kBegin || marker.type == trace::RecordType::kEnd;
  });
  return edges;
}

constexpr std::uint32_t kPreamble = 0xDEAD'BEEF;
constexpr std::uint64_t kProtonClockMask = (std::uint64_t{1} << 43) - 1;

std::pair<std::uint32_t, std::uint32_t> proton_entry(const TrueExecution& execution,
                                                     const TrueLane& lane,
                                                     const TrueMarker& marker) {
  const auto clock =
      static_cast<std::uint64_t>(execution.cycles(lane, marker.at_ps)) & kProtonClockMask;
  const std::uint32_t end = marker.type == trace::RecordType::kEnd ? 1 : 0;
  return {end << 31 | marker.event << 23 | static_cast<std::uint32_t>(clock >> 32),
          static_cast<std::uint32_t>(clock)};
}

// A ring: entry i lies at i modulo the room, so that the last ones are left.
void add_proton_ring(const TrueExecution& execution, std::size_t lane_index, std::uint32_t room,
                     SimFile& file, Words& words) {
  const TrueLane& lane = execution.lanes[lane_index];
  const std::vector<TrueMarker> edges = edges_of(lane);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ring(room);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ring[i % room] = proton_entry(execution, lane, edges[i]);
  }
  for (const auto& [tag, clock] : ring) {
    words.add(tag);
    words.add(clock);
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min<std::size_t>(edges.size(), room));
  file.lanes.push_back({.true_lane = lane_index,
                        .seen = edges.size(),
                        .markers = {edges.end() - kept, edges.end()}});
}

}  // namespace

SimFile write_proton(const TrueExecution& execution) {
  const SimOptions& options = execution.options;
  const std::uint32_t room = std::min<std::uint32_t>(options.capacity, 2 * options.max_markers);
  SimFile file;
  Words words;
  for (std::uint32_t block = 0; block < options.blocks; ++block) {
    const std::size_t first = std::size_t{block} * options.groups;
    std::int64_t begin = execution.lanes[first].start_ps;
    std::int64_t end = 0;
    for (std::uint32_t group = 0; group < options.groups; ++group) {
      begin = std::min(begin, execution.lanes[first + group].start_ps);
      end = std::max(end, execution.lanes[first + group].end_ps);
    }
    words.add(kPreamble);
    words.add(block);
    words.add(execution.lanes[first].sm);
    words.add(options.groups * room * 8);
    words.add64(static_cast<std::uint64_t>(execution.timer.read_ns(begin)));
    words.add64(static_cast<std::uint64_t>(execution.timer.read_ns(end)));
    words.add64(static_cast<std::uint64_t>(execution.timer.read_ns(end + 500'000)));
    for (std::uint32_t group = 0; group < options.groups; ++group) {
      words.add(static_cast<std::uint32_t>(2 * edges_of(execution.lanes[first + group]).size()));
    }
    for (std::uint32_t group = 0; group < options.groups; ++group) {
      add_proton_ring(execution, first + group, room, file, words);
    }
    if (options.groups % 2 != 0) words.add(0);  // parts are multiples of 8 bytes
  }
  file.format = "proton";
  file.bytes = words.bytes();
  file.meta = meta_of(execution, "");
  return file;
}

SimFile write_mosaic(const TrueExecution& execution) {
  const SimOptions& options = execution.options;
  const std::uint32_t room = std::min<std::uint32_t>(options.capacity, 2 * options.max_markers);
  SimFile file;
  Words words;
  for (std::size_t i = 0; i < std::size_t{options.blocks} * options.groups; ++i) {
    const TrueLane& lane = execution.lanes[i];
    const std::vector<TrueMarker> edges = edges_of(lane);
    const std::size_t kept = std::min<std::size_t>(edges.size(), room);
    words.add(static_cast<std::uint32_t>(execution.timer.read_ns(lane.start_ps)));
    words.add(lane.sm);
    words.add(static_cast<std::uint32_t>(2 * edges.size()));
    for (std::size_t k = 0; k < room; ++k) {
      const bool is_used = k < kept;
      const bool is_end = is_used && edges[k].type == trace::RecordType::kEnd;
      words.add(is_used ? edges[k].event | (is_end ? 1U << 31 : 0U) : 0);
      words.add(is_used ? static_cast<std::uint32_t>(execution.cycles(lane, edges[k].at_ps)) : 0);
    }
    file.lanes.push_back(
        {.true_lane = i,
         .seen = edges.size(),
         .markers = {edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(kept)}});
  }
  file.format = "mosaic";
  file.bytes = words.bytes();
  file.meta = meta_of(execution, ", \"lane_words\": " + std::to_string(3 + 2 * room));
  return file;
}

}  // namespace lockstep::sim
