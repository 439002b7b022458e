// The pairing of a lane in which nothing is odd: what nearly all lanes are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/kernel_profile/regions/lane_timeline.h"
#include "trace/kernel_profile.h"

namespace lockstep::analysis::kernel_profile {

// A lane is plain when its markers come in order of time, every end is that of the innermost open
// region, everything that begins ends, no event is open twice and nesting is shallow. Linear, and
// several times as fast as pairing that expects anything. Keeps its memory.
class PlainPairing {
 public:
  // False where the lane is not plain; `out` then holds a part of it.
  bool pair(std::span<const trace::KernelRecord> records, LaneTimeline& out);

 private:
  struct Open {
    std::uint32_t event = 0;
    std::uint32_t region = 0;
    std::uint64_t record = 0;
  };
  bool begin(const trace::KernelRecord& record, std::uint64_t index,
             std::vector<LaneRegion>& regions);
  bool end(const trace::KernelRecord& record, std::uint64_t index, std::uint32_t event,
           std::vector<LaneRegion>& regions);

  std::vector<Open> open_;
};

}  // namespace lockstep::analysis::kernel_profile
