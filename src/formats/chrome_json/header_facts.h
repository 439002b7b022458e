// What the root object of a trace says besides its events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lockstep::chrome_json {

struct HeaderFacts {
  struct DeviceName {
    std::string id;
    std::string name;
  };

  std::vector<Metadata> metadata;  // every member, as it stands
  std::optional<std::int64_t> base_time_ns;
  std::optional<std::int64_t> rank;
  std::vector<DeviceName> devices;
  bool has_kineto_key = false;

  // Takes one member of the root object.
  void take(std::string_view key, std::string_view json);
};

}  // namespace lockstep::chrome_json
