// Anchors that were taken on an H200 (fixtures/thin_anchors.py says how they are written).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/kernel_profile.h"

namespace lockstep::sim {

struct AnchorCase {
  std::uint32_t warps = 0;
  std::string load;  // "fma", "mma"
  std::int64_t total_ns = 0;
  trace::KernelProfile profile;  // a lane per multiprocessor, without records
};

// Empty where the file is not there or not such a file.
[[nodiscard]] std::vector<AnchorCase> read_anchor_cases(const std::string& path);

}  // namespace lockstep::sim
