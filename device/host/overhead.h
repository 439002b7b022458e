// What a marker costs on the device of this machine, in cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::device {

// One form of marker in blocks of so many warps, every one of which marks.
struct MarkerMeasurement {
  std::string variant;  // "shared", "global", "shared_regions", ..., "cuda_profiler"
  std::uint32_t warps = 0;
  // A marker (of regions: an edge), net of the empty loop; the median warp of the device.
  double cycles = 0;
};

struct MarkerOverhead {
  std::string device;
  std::string arch;                        // "sm_90"
  std::string driver;                      // the CUDA that it knows: "13.0"
  std::vector<MarkerMeasurement> markers;  // by variant, then warps
  // init() and finalize() of a lane with 64 records staged in shared memory, by warps.
  std::vector<MarkerMeasurement> frames;
};

// Measures with one block on every multiprocessor; takes about a second. `device` as in
// SessionOptions. Errors: no driver, no device, a device older than compute capability 8.0.
[[nodiscard]] Result<MarkerOverhead> measure_marker_overhead(int device = -1);

}  // namespace lockstep::device
