// Pairs begins and ends of asynchronous work that lie in any lanes of a launch.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "analysis/kernel_profile/regions/lane_regions.h"
#include "base/diagnostics.h"

namespace lockstep::analysis::kernel_profile {

extern const DiagnosticKind kLoneAsyncBegin;
extern const DiagnosticKind kLoneAsyncEnd;

struct TimedAsyncEdge {
  std::uint32_t launch = 0;
  std::uint32_t lane = 0;
  std::uint32_t event = 0;
  std::uint32_t token = 0;
  BandedTime at;
  bool is_begin = false;
  std::uint64_t block = 0;
};

// Of one block, event and token every begin, in order of time, takes the first end that is left
// and not before it; what no block pairs is paired over the launch in the same way. (Blocks of a
// launch run one program, so that their tokens are the same.) Inside a lane that is exact; between
// lanes an end counts as not before a begin when their bands allow it. By begin, then by lanes.
// n log n.
[[nodiscard]] std::vector<AsyncPair> pair_async_edges(std::vector<TimedAsyncEdge> edges,
                                                      Diagnostics& findings);

}  // namespace lockstep::analysis::kernel_profile
