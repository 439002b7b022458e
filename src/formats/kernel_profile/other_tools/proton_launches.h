// Which launch a scope of Proton's Chrome trace belongs to. The file has no numbers of launches.
//
// Proton writes launches one after the other, in each the blocks by multiprocessor and number, in
// each block the warps: where that order starts again, the next launch begins. Other tools put
// events in an order of their own, mostly that of their times. Then blocks tell: each runs once a
// launch, on one multiprocessor, and takes a time of its own to end, so that after a gap in which
// no block of the kernel is inside a scope, blocks that come back otherwise are those of the next.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "formats/kernel_profile/other_tools/proton_place.h"

namespace lockstep::formats::kernel_profile {

// One scope of one warp. Texts are of the document.
struct ProtonScope {
  ProtonBlock block;
  std::uint32_t warp = 0;
  std::uint32_t line = 0;
  std::string_view name;
  std::int64_t begin = 0;  // in ticks
  std::int64_t length = 0;
  std::uint32_t stack = 0;         // equal ones were launched by the same call stack
  std::uint64_t finalization = 0;  // how long the end of the block took; 0: not said
  double megahertz = 0;            // 0: not said, and times are of no timer
  std::uint64_t row = 0;           // in the file

  [[nodiscard]] auto place() const { return std::tuple(block.core, block.cta, warp); }
  [[nodiscard]] std::int64_t end() const { return begin + length; }
};

struct ProtonLaunches {
  std::vector<std::uint32_t> of_scope;
  bool is_in_order = true;  // the events are as Proton wrote them
  bool is_told = true;      // false: some launches may be several
};

[[nodiscard]] ProtonLaunches tell_launches(std::span<const ProtonScope> scopes);

}  // namespace lockstep::formats::kernel_profile
