// Gives the rows of a Perfetto file their tracks and kinds, when all descriptors are known.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/perfetto/decode/track_registry.h"
#include "formats/perfetto/map/event_rows.h"
#include "formats/perfetto/map/lane_roles.h"
#include "formats/shared/rank_builder.h"

namespace lockstep::formats::perfetto {

// Where the events of a lane come from.
struct LaneOrigin {
  enum class Sort : std::uint8_t {
    kTrack,     // a track with a uuid
    kThread,    // the thread of a sequence, in old files
    kGpuQueue,  // of render stages
    kPairing,   // only pairs begins and ends; its rows lie on another lane
  };
  Sort sort = Sort::kTrack;
  std::uint64_t uuid = 0;
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  StringId device{};
  StringId queue{};
};

// What an event says of its own device.
struct DeviceHint {
  std::size_t row = 0;
  StringId agent{};
  StringId source_agent{};
  StringId target_agent{};
  StringId stream{};
};

class RowPlacement {
 public:
  RowPlacement(shared::RankBuilder& builder, const TrackRegistry& tracks)
      : builder_(builder), tracks_(tracks) {}

  void add_lane(const LaneOrigin& origin) { lanes_.emplace_back().origin = origin; }
  void add_hint(const DeviceHint& hint) { hints_.push_back(hint); }
  // The kind of an event by its category alone; cached.
  [[nodiscard]] shared::CategoryMeaning meaning(StringId category);

  // Replaces the lanes in the track column of the rows by tracks, settles kinds, and notes
  // collectives. Rows are those that are left after `rows.compact()`.
  void place(const EventRows& rows);
  // The track on the host side of a lane, for ends of flows.
  [[nodiscard]] trace::TrackId host_track(std::uint32_t lane);

 private:
  struct LaneState {
    LaneOrigin origin;
    const LaneRole* role = nullptr;  // none: not resolved yet
    StringId process{};              // id
    StringId path{};                 // names from below the process to the track
    StringId name{};
    std::optional<trace::TrackId> host;
    // By the hints of its events; most lanes have none.
    std::unique_ptr<std::unordered_map<std::uint64_t, trace::TrackId>> devices;
  };

  LaneState& resolved(std::uint32_t lane);
  void resolve_track(LaneState& lane);
  [[nodiscard]] const LaneRole* kept(LaneRole role);
  void note_process(StringId id, StringId name);
  [[nodiscard]] trace::TrackId device_track(std::uint32_t lane, const DeviceHint* hint);
  [[nodiscard]] const DeviceHint* hint_of(std::size_t row);
  void place_row(std::size_t row, const DeviceHint* hint);
  void settle_kind(std::size_t row, const LaneRole& role, bool on_device);
  void keep_leaves();
  void note_collectives(std::size_t first_row);

  shared::RankBuilder& builder_;
  const TrackRegistry& tracks_;
  // There may be as many lanes as events; few have a role of their own.
  std::deque<LaneState> lanes_;
  std::deque<LaneRole> roles_;
  std::vector<DeviceHint> hints_;                                            // by row, ascending
  std::vector<std::optional<shared::CategoryMeaning>> meanings_;             // by StringId
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> leaf_rows_;  // by track
};

}  // namespace lockstep::formats::perfetto
