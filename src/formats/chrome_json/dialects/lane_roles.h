// What the names of lanes say where categories say nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/chrome_json/dialects/dialect.h"

namespace lockstep::formats::chrome_json {

enum class LaneRole : std::uint8_t {
  kNone,           // of another dialect
  kAsItIs,         // of this one, with nothing to change
  kHostThread,     // its events are annotations
  kDeviceStream,   // device work, kind by name
  kDeviceOps,      // TPU: the leaves are the work
  kDeviceDerived,  // repeats the work in another grouping, or marks it
  kWarp,           // inside a kernel
};

// A dialect that is told by the names of its lanes, and counts from the start of its session.
class NamedLanes : public Dialect {
 public:
  [[nodiscard]] bool recognises(const MappedFile& file) const override;
  [[nodiscard]] std::optional<Clock> clock(const MappedFile& file) const override;
  // Moves lanes to the device side and gives their events kinds.
  void place_lanes(MappedFile& file) const override;

 private:
  // Of a host lane, by the name of its process and its own.
  [[nodiscard]] virtual LaneRole role_of(std::string_view process, std::string_view lane) const = 0;
  [[nodiscard]] LaneRole role_of(const trace::Trace& trace, const trace::Track& track) const;
};

}  // namespace lockstep::formats::chrome_json
