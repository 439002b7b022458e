// What a marker costs on a machine, for people and as JSON: schema lockstep.kernel-overhead/1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/layout/page.h"

namespace lockstep::report::kernel {

// The variant that a kernel has by default: saturating cursor, staged in shared memory.
inline constexpr std::string_view kDefaultMarker = "shared";
inline constexpr std::string_view kOverheadSchema = "lockstep.kernel-overhead/1";

// One variant of markers in blocks of so many warps, each marking.
struct MarkerCost {
  std::string variant;  // "shared", "global", "cuda_profiler", ...
  std::uint32_t warps = 0;
  double cycles = 0;  // a marker, net of the loop around it
};

struct MarkerCosts {
  std::string device;
  std::string arch;    // "sm_90"
  std::string driver;  // "13.0"
  std::vector<MarkerCost> markers;
  std::vector<MarkerCost> frames;  // init and finalize of a lane together
};

// A row a variant, a column a number of warps.
[[nodiscard]] layout::Page kernel_overhead_page(const MarkerCosts& costs);
[[nodiscard]] std::string kernel_overhead_text(const MarkerCosts& costs,
                                               const layout::TextStyle& style);
[[nodiscard]] std::string kernel_overhead_markdown(const MarkerCosts& costs);
[[nodiscard]] std::string kernel_overhead_json(const MarkerCosts& costs);

}  // namespace lockstep::report::kernel
