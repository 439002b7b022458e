// Shows a Perfetto file as a viewer would: decodes it with protobuf's own code, keeps the state of
// the sequence, sorts by time and replays begins and ends with one stack per track.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "perfetto_subset.pb.h"

namespace lockstep_test {

// Strings of a JSON annotation begin with "json:".
using Value = std::variant<bool, std::int64_t, double, std::string>;

struct ShownEvent {
  std::string name;
  std::string category;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // of an instant: its begin
  std::uint64_t track_uuid = 0;
  std::size_t depth = 0;
  std::map<std::string, Value> arguments;
  std::vector<std::uint64_t> flow_ids;
};

struct ShownSample {
  std::uint64_t timestamp = 0;
  std::uint64_t track_uuid = 0;
  Value value;
  std::map<std::string, Value> arguments;
};

struct ShownTrace {
  std::map<std::uint64_t, perfetto::TrackDescriptor> tracks;
  std::vector<ShownEvent> slices;  // in the order of their begins
  std::vector<ShownEvent> instants;
  std::vector<ShownSample> samples;
  std::vector<std::string> faults;  // everything that a viewer would drop, guess or complain about

  [[nodiscard]] const ShownEvent& slice(std::string_view name) const;  // the only one of that name
  [[nodiscard]] const perfetto::TrackDescriptor& track_of(const ShownEvent& event) const;
  // "rank 0/GPU 0 NVIDIA H200/stream 7"
  [[nodiscard]] std::string path_of(std::uint64_t track_uuid) const;
};

[[nodiscard]] ShownTrace show(std::string_view bytes);

}  // namespace lockstep_test
