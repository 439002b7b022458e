// Writes into a channel's buffer what a profiled kernel would, for tests on machines without a GPU.
#pragma once

#include <cstdint>

#include "lockstep/profile_layout.h"

namespace lockstep::testing {

struct SimulatedLaunch {
  std::uint32_t blocks = 1;
  std::uint32_t groups = 1;
  std::uint32_t events = 4;  // that every lane passes; begins and ends in turn
  std::uint32_t flags = 0;   // profile::LaneFlags: kRing, kRegionRecords
  bool is_finalized = true;
  std::uint64_t grid_id = 0;           // 0: the number of the launch
  std::uint32_t multiprocessors = 4;   // block b runs on b % multiprocessors
  std::uint32_t interior_anchors = 1;  // that every lane takes
};

// The clock of event `event` of a lane; anchors lie around it.
[[nodiscard]] profile::u32 simulated_clock(std::uint64_t block, std::uint32_t group,
                                           std::uint64_t event);

// `memory` is the buffer where this process can write it.
void run_simulated_kernel(char* memory, const SimulatedLaunch& launch);

}  // namespace lockstep::testing
