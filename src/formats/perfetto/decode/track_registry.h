// What a file says of its tracks, processes and threads, before or after their events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <protozero/data_view.hpp>

#include "base/string_pool.h"

namespace lockstep::formats::perfetto {

struct TrackFacts {
  std::uint64_t uuid = 0;
  std::uint64_t parent = 0;  // 0: none
  StringId name{};
  std::string description;
  std::optional<std::int64_t> pid;  // of a process or thread track
  std::optional<std::int64_t> tid;  // of a thread track
  bool is_counter = false;
  std::int64_t unit_multiplier = 1;
  bool is_incremental = false;
};

class TrackRegistry {
 public:
  explicit TrackRegistry(StringPool& strings) : strings_(strings) {}

  // Takes a TrackDescriptor; what a later one says replaces what an earlier one said.
  const TrackFacts& take_track(protozero::data_view bytes);
  // The old descriptors of the thread that writes a sequence.
  struct Thread {
    std::optional<std::int64_t> pid;
    std::optional<std::int64_t> tid;
    std::int64_t reference_time_us = 0;
  };
  [[nodiscard]] Thread take_thread(protozero::data_view bytes);
  [[nodiscard]] std::optional<std::int64_t> take_process(protozero::data_view bytes);
  void take_process_tree(protozero::data_view bytes);

  // Names that were too long and were cut.
  [[nodiscard]] std::uint64_t cut_names() const { return cut_names_; }

  [[nodiscard]] const TrackFacts* find(std::uint64_t uuid) const;
  // The track and its ancestors, the nearest first. Stops where a track is its own ancestor.
  [[nodiscard]] std::vector<const TrackFacts*> line_of(std::uint64_t uuid, bool& is_cycle) const;
  [[nodiscard]] StringId process_name(std::int64_t pid) const;
  [[nodiscard]] StringId thread_name(std::int64_t pid, std::int64_t tid) const;

 private:
  [[nodiscard]] StringId intern_name(protozero::data_view text);

  StringPool& strings_;
  std::string scratch_;
  std::uint64_t cut_names_ = 0;
  std::unordered_map<std::uint64_t, TrackFacts> tracks_;
  std::unordered_map<std::int64_t, StringId> process_names_;
  std::map<std::pair<std::int64_t, std::int64_t>, StringId> thread_names_;  // by pid and tid
};

}  // namespace lockstep::formats::perfetto
