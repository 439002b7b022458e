// What the names of tracks say of the events on them, for the profilers that are known to us.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/shared/event_categories.h"

namespace lockstep::formats::perfetto {

struct LaneRole {
  enum class Work : std::uint8_t {
    kByCategory,  // the events say what they are, or are host events
    kByName,      // device work; copies, sets and collectives are told by name
    kLeaves,      // as kByName, but an event around others is no work of its own (TPU)
    kNone,        // on a device, but repeats or groups the work of other tracks
  };
  bool is_device = false;
  Work work = Work::kByCategory;
  bool is_copy_to_host = false;  // the device is the source of the copy, which its event names
  std::string device;            // its id; empty when only the events know
  std::string device_name;
  std::string stream;
  std::string thread;  // of a host track that says its number in its name

  friend bool operator==(const LaneRole&, const LaneRole&) = default;
};

// `names`: the track, its parent, its parent's parent and so on.
//   rocprofv3          COMPUTE AGENT [4] STREAM [0] (GPU); COMPUTE GPU [0] QUEUE [1] GPU;
//                      COPY to AGENT [4] STREAM [0] (GPU); STREAM [ 3 ]; THREAD 1 (4711)
//   XProf              XLA Ops, Stream #7(...) and others below /device:TPU:0
//   lockstep           stream 7 below GPU 0 NVIDIA H200, should the header of the file be lost
[[nodiscard]] LaneRole role_of_lane(std::span<const std::string_view> names);

// The table of categories of rocprofv3 in front of the one that formats share.
[[nodiscard]] shared::CategoryMeaning meaning_in_perfetto(std::string_view category);

// "4" for "GPU-4", "Agent 4", "4"; the whole text when it does not end in a number.
[[nodiscard]] std::string_view number_at_end(std::string_view text);

}  // namespace lockstep::formats::perfetto
