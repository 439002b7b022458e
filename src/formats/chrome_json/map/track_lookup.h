// Finds or makes the track of an event from the process and thread ids that the file wrote.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/chrome_json/parse/event_batch.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// The same pid and tid may be a host thread and a device stream at once (a process 0 and a GPU 0),
// so the side is part of the key. "7" and 7 are the same id.
class TrackLookup {
 public:
  TrackLookup(trace::Trace& trace, trace::RankId rank) : trace_(trace), rank_(rank) {}

  [[nodiscard]] trace::TrackId track(const Token& pid, const Token& tid, trace::Track::Side side);
  // Names a lane whose side is not known yet, as flow events do; see tracks_of_lanes().
  [[nodiscard]] std::uint32_t lane(const Token& pid, const Token& tid);
  // Once all events are read: the track of every lane, on the preferred side when it has both.
  [[nodiscard]] std::vector<std::optional<trace::TrackId>> tracks_of_lanes(
      trace::Track::Side preferred) const;
  [[nodiscard]] trace::ProcessId process(const Token& pid);
  // Makes a host track a device track, or names the device track that has its ids already.
  [[nodiscard]] trace::TrackId as_device_track(trace::TrackId host_track);
  [[nodiscard]] trace::TrackId as_device_track(trace::TrackId host_track, trace::DeviceId device);
  // The host track with the same thread id in another process, which stands for this one from now
  // on; made when it is new.
  [[nodiscard]] trace::TrackId move_host_track(trace::TrackId host_track, trace::ProcessId owner);
  // The process with this id, made when it is new.
  [[nodiscard]] trace::ProcessId process_with_id(std::string_view id);
  // The device with this id, made when it is new.
  [[nodiscard]] trace::DeviceId device(StringId id);

  // Names from metadata events; they may come before or after the events that they name.
  void name_process(const Token& pid, std::string_view name);
  void label_process(const Token& pid, std::string_view labels);
  void sort_process(const Token& pid, std::int64_t index);
  void name_thread(const Token& pid, const Token& tid, std::string_view name);
  void sort_thread(const Token& pid, const Token& tid, std::int64_t index);
  // Gives the tracks their names, once all events are read.
  void apply_names();

  // Ids that are neither text nor anything else that JSON has.
  [[nodiscard]] const std::set<StringId>& broken_ids() const { return broken_ids_; }

 private:
  // A host track, a device track, or a lane.
  enum class Sort : std::uint8_t { kHost, kDevice, kLane };
  struct Recent {
    std::uint64_t pid = 0;  // packed
    std::uint64_t tid = 0;
    Sort sort = Sort::kHost;
    std::uint32_t value = 0;
    bool valid = false;
  };
  struct ThreadFacts {
    StringId name{};
    std::optional<std::int64_t> sort_index;
  };

  [[nodiscard]] Recent* recent(const Token& pid, const Token& tid, Sort sort);
  [[nodiscard]] std::uint32_t lane_of(const Token& pid, const Token& tid);
  [[nodiscard]] trace::TrackId find_or_make(const Token& pid, const Token& tid,
                                            trace::Track::Side side);
  [[nodiscard]] StringId intern_id(const Token& id);
  [[nodiscard]] std::uint64_t thread_key(trace::ProcessId process, StringId tid) const;

  trace::Trace& trace_;
  trace::RankId rank_;
  // Consecutive events mostly share their track; these save the hashing.
  std::array<Recent, 16> recent_;
  std::set<StringId> broken_ids_;
  std::unordered_map<std::uint32_t, trace::ProcessId> processes_;  // by StringId of the pid
  std::unordered_map<std::uint32_t, trace::DeviceId> devices_;
  std::array<std::unordered_map<std::uint64_t, trace::TrackId>, 2> tracks_;  // by side
  std::unordered_map<std::uint64_t, std::uint32_t> lanes_;
  std::vector<std::uint64_t> lane_keys_;
  std::unordered_map<std::uint64_t, ThreadFacts> thread_facts_;
};

}  // namespace lockstep::formats::chrome_json
