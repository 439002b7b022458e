// Lets loops grow over iterations that are not quite alike: a pass with one kernel more, the last
// layer without its residual. What grows together becomes one loop, with its exceptions counted.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/nest/likeness.h"
#include "analysis/cycles/nest/loop_candidates.h"

namespace lockstep::analysis::cycles {

struct GrowthTolerance {
  Likeness pass;        // by name
  double layer = 0.25;  // edit distance by role, of the period
  // Layers go on behind one that differs; not where the user asks for repetitions of one level.
  bool layers_go_on = true;
};

// `loops` of one level of `stretch`, in order. The largest grows first; loops that another one has
// grown over are gone afterwards. True where any grew.
bool grow_loops(const Stretch& stretch, const GrowthTolerance& tolerance,
                std::vector<FoundLoop>& loops);

// The same for one of them; those that it has grown over are gone, but still in the list.
bool grow_loop(const Stretch& stretch, const GrowthTolerance& tolerance,
               std::vector<FoundLoop>& loops, std::size_t index);

// Lays the iterations of one of them anew, so that one begins with kernel `first`, which lies in
// it. What it then overlaps is still there.
void lay_loop(const Stretch& stretch, const GrowthTolerance& tolerance,
              std::vector<FoundLoop>& loops, std::size_t index, std::uint32_t first);

}  // namespace lockstep::analysis::cycles
