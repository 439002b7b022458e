// What the formats of ROCm's profilers share: the words for their records, the arguments that
// people know, and the lanes that records lie on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/shared/rank_builder.h"
#include "trace/kind.h"

namespace lockstep::formats::rocm {

extern const DiagnosticKind kDanglingId;

// What the host records of a domain are: "HIP_RUNTIME_API_EXT", "MARKER_CORE_API", "RCCL_API".
[[nodiscard]] trace::Kind kind_of_rocm_domain(std::string_view domain);

// The name of a kernel without the ".kd" that its descriptor has in the code object.
[[nodiscard]] std::string_view kernel_of_symbol(std::string_view symbol);

// The number of a process in its job, as launchers (torchrun, MPI, Slurm) put it into the
// environment; `environment` is a JSON object of strings.
[[nodiscard]] std::optional<std::int64_t> rank_of_environment(std::string_view environment);

// The clock of a rank with this origin: the profilers count from boot, some builds since the epoch.
[[nodiscard]] Clock rocm_clock(WideTime origin);

// One member of a JSON object, when it is a string; empty otherwise.
[[nodiscard]] std::string json_member(std::string_view object, std::string_view key);

using Extent = std::array<std::int64_t, 3>;  // x, y, z

// ROCm counts the grid in work-items, Kineto and CUDA in groups.
[[nodiscard]] Extent groups_of(const Extent& work_items, const Extent& group);

// Collects the arguments of one event.
class ArgumentList {
 public:
  explicit ArgumentList(shared::RankBuilder& builder) : builder_(builder) {}

  void integer(std::string_view key, std::int64_t value);
  void text(std::string_view key, std::string_view value);
  void extent(std::string_view key, const Extent& value);  // [x, y, z]
  void give_to(trace::EventId event);                      // and begins anew

 private:
  shared::RankBuilder& builder_;
  std::vector<trace::Argument> arguments_;
};

// Remembers the tracks of lanes that the file names by numbers, so that a record need not make
// text of them.
class LaneTracks {
 public:
  struct Lane {
    std::int64_t process = 0;
    std::int64_t device = 0;
    std::int64_t lane = 0;
    friend bool operator==(const Lane&, const Lane&) = default;
  };

  template <typename Make>
  trace::TrackId find(const Lane& lane, const Make& make) {
    if (has_last_ && lane == last_) return last_track_;
    auto known = tracks_.find(lane);
    if (known == tracks_.end()) known = tracks_.emplace(lane, make()).first;
    last_ = lane;
    last_track_ = known->second;
    has_last_ = true;
    return last_track_;
  }

 private:
  struct Hash {
    std::size_t operator()(const Lane& lane) const {
      std::uint64_t hash = 0;
      for (const std::int64_t part : {lane.process, lane.device, lane.lane}) {
        hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E37'79B9'7F4A'7C15U;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };

  bool has_last_ = false;
  Lane last_;
  trace::TrackId last_track_{};
  std::unordered_map<Lane, trace::TrackId, Hash> tracks_;
};

}  // namespace lockstep::formats::rocm
