// What the root object of a trace says besides its events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// A root member of our own: {"kind": "boot", "zero_ns": 0}. Timestamps alone are of the epoch or of
// nothing that is known.
inline constexpr std::string_view kClockKey = "lockstepClock";

struct HeaderFacts {
  struct DeviceName {
    std::string id;
    std::string name;  // empty where the entry has none
  };
  // What our writer says of clocks that times cannot tell (kClockKey).
  struct ClockFact {
    Clock kind = Clock::kUnknown;
    std::int64_t zero_ns = 0;  // of that clock at the timestamp 0
  };

  std::vector<trace::Metadata> metadata;  // every member; of those with one key the last
  std::optional<std::int64_t> base_time_ns;
  std::optional<ClockFact> clock;
  std::optional<std::int64_t> rank;
  std::vector<DeviceName> devices;
  bool has_kineto_key = false;

  struct Taken {
    bool is_read = true;  // false when it gives a fact, but not as it must
    bool is_kept = true;  // false when there is no more room for its text
  };
  // Takes one member of the root object.
  [[nodiscard]] Taken take(std::string_view key, std::string_view json);
  // One whose value is too large to be looked at.
  [[nodiscard]] Taken pass_over(std::string_view key);

 private:
  // Leaves in `json` what was read, so that a copy of the trace can be read too.
  [[nodiscard]] bool read_fact(std::string_view key, std::string& json);
  [[nodiscard]] bool keep(std::string key, std::string json);

  std::unordered_map<std::string, std::size_t> index_;  // of a key in `metadata`
  std::size_t kept_bytes_ = 0;
};

}  // namespace lockstep::formats::chrome_json
