// What a file says of its processes beyond what a trace keeps: all names, labels and orders that
// they were given, where a trace has the last, and the numbers of devices in the arguments of
// events. Where files were merged these tell which process was whose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

class ProcessNotes {
 public:
  struct Said {
    std::vector<StringId> names;  // of each only a few that differ: enough to see that they do
    std::vector<StringId> labels;
    std::vector<std::int64_t> sort_indices;
  };
  // The device that all events of a track name; `differs` where they name several.
  struct DeviceNumber {
    std::int64_t number = kNone;
    bool differs = false;

    [[nodiscard]] bool is_known() const { return number != kNone && !differs; }
    static constexpr std::int64_t kNone = -1;
  };

  // What is said of it now.
  void add(trace::ProcessId process, const trace::Process& now) {
    Said& said = said_[static_cast<std::uint32_t>(process)];
    if (now.name != kEmptyString) add_new(said.names, now.name);
    if (now.labels != kEmptyString) add_new(said.labels, now.labels);
    if (now.sort_index) add_new(said.sort_indices, *now.sort_index);
  }
  void add_device(trace::TrackId track, std::int64_t number) {
    const std::size_t at = trace::index_of(track);
    if (devices_.size() <= at) devices_.resize(at + at / 2 + 16);
    DeviceNumber& known = devices_[at];
    if (known.number == DeviceNumber::kNone) known.number = number;
    known.differs |= known.number != number;
  }

  [[nodiscard]] const Said& of(trace::ProcessId process) const {
    static const Said kNothing;
    const auto found = said_.find(static_cast<std::uint32_t>(process));
    return found == said_.end() ? kNothing : found->second;
  }
  [[nodiscard]] DeviceNumber device_of(trace::TrackId track) const {
    const std::size_t at = trace::index_of(track);
    return at < devices_.size() ? devices_[at] : DeviceNumber{};
  }

 private:
  static constexpr std::size_t kEnough = 4;

  template <typename T>
  static void add_new(std::vector<T>& all, T value) {
    if (all.size() < kEnough && std::ranges::find(all, value) == all.end()) all.push_back(value);
  }

  std::unordered_map<std::uint32_t, Said> said_;
  std::vector<DeviceNumber> devices_;  // by track
};

}  // namespace lockstep::formats::chrome_json
