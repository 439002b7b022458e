// The tree of tracks that a viewer shows: ranks, their processes and devices, and below these the
// threads, streams and counters that hold events.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "formats/perfetto/wire/perfetto_fields.h"
#include "formats/shared/message_builder.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

// One node, ready to be written.
struct TrackDescription {
  struct Process {
    std::int32_t pid = 0;
    std::optional<std::int32_t> sort_index;
    std::string labels;
  };
  struct Thread {
    std::int32_t pid = 0;
    std::int32_t tid = 0;
    std::optional<std::int32_t> sort_index;
  };

  std::uint64_t uuid = 0;
  std::uint64_t parent_uuid = 0;  // 0: none
  std::string name;
  std::string description;
  std::optional<Process> process;
  std::optional<Thread> thread;
  bool is_counter = false;
  bool orders_children = false;       // by their `order`
  std::optional<std::int32_t> order;  // among siblings

  void write_to(shared::MessageBuilder<PacketField>& packet) const;
};

// Numbers for ids of a file: each keeps its own where that is a positive 32-bit number that none
// before it has, and gets one that nobody has otherwise. Viewers take equal numbers for one thing.
[[nodiscard]] std::vector<std::int32_t> unique_numbers(const std::vector<std::string_view>& ids);

class TrackTree {
 public:
  explicit TrackTree(const trace::Trace& trace);

  // Ranks (when there are several), processes with host threads, devices; parents first.
  [[nodiscard]] const std::deque<TrackDescription>& groups() const { return groups_; }

  // A new node for events of `track`. The first lane of a host thread is the thread itself; further
  // lanes, which hold what overlaps, are plain siblings of the same name.
  [[nodiscard]] TrackDescription lane(trace::TrackId track, std::uint32_t lane);
  // A new node for a counter, beside the track that it was sampled on.
  [[nodiscard]] TrackDescription counter(trace::TrackId track, std::uint32_t number,
                                         std::string name);

 private:
  TrackDescription& add_group(std::string name, std::uint64_t parent_uuid);
  void add_ranks();
  void add_processes();
  void add_devices();
  void number_threads();
  [[nodiscard]] std::uint64_t parent_of(const trace::Track& track) const;
  [[nodiscard]] std::string name_of_track(const trace::Track& track) const;
  [[nodiscard]] bool has_device(const trace::Track& track) const;

  const trace::Trace& trace_;
  std::uint64_t next_uuid_ = 1;  // of groups; 0 is the format's own default track
  std::deque<TrackDescription> groups_;
  std::vector<std::uint64_t> rank_uuids_;     // 0 when there is only one rank
  std::vector<std::uint64_t> process_uuids_;  // 0 when only devices use the process
  std::vector<std::uint64_t> device_uuids_;
  std::vector<std::int32_t> pids_;  // by process
  std::vector<std::int32_t> tids_;  // by track
};

}  // namespace lockstep::formats::perfetto
