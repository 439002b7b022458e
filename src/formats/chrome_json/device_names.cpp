// Naming of devices.
#include "formats/chrome_json/device_names.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace lockstep::formats::chrome_json {
namespace {

// The name that every entry has; empty when they differ or one has none.
std::string_view only_name(const HeaderFacts& facts) {
  if (facts.devices.empty()) return {};
  const std::string_view first = facts.devices.front().name;
  const bool is_shared = std::ranges::all_of(
      facts.devices, [&](const HeaderFacts::DeviceName& device) { return device.name == first; });
  return is_shared ? first : std::string_view();
}

}  // namespace

void name_devices(trace::Trace& trace, std::size_t first_device, std::size_t first_track,
                  const HeaderFacts& facts) {
  std::unordered_map<std::string_view, std::string_view> names;
  for (const HeaderFacts::DeviceName& device : facts.devices) names[device.id] = device.name;
  const std::string_view only = only_name(facts);
  for (std::size_t d = first_device; d < trace.devices.size(); ++d) {
    trace::Device& device = trace.devices[d];
    const auto known = names.find(trace.text(device.id));
    device.name = trace.strings.intern(known != names.end() ? known->second : only);
  }
  for (std::size_t t = first_track; t < trace.tracks.size(); ++t) {
    const trace::Track& track = trace.tracks[t];
    if (track.side != trace::Track::Side::kDevice) continue;
    trace::Device& device = trace.devices[trace::index_of(track.device)];
    const StringId process = trace.processes[trace::index_of(track.process)].name;
    // A header that has the device without a name says that it has none.
    const bool is_listed = names.contains(trace.text(device.id));
    if (device.name == kEmptyString && !is_listed && trace.text(process).starts_with("/device:")) {
      device.name = process;
    }
  }
}

}  // namespace lockstep::formats::chrome_json
