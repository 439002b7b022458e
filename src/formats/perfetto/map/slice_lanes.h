// Distributes slices that may overlap over lanes on which they nest, and puts their begins and ends
// in an order that a viewer with one stack per lane replays without loss.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace lockstep::formats::perfetto {

struct Slice {
  std::int64_t begin = 0;  // [begin, end), begin <= end
  std::int64_t end = 0;
  std::uint32_t row = 0;  // names the slice, and breaks ties
};

// One packet to be: a slice begins or ends on a lane.
struct SliceEdge {
  std::int64_t time = 0;
  std::uint32_t row = 0;
  std::uint32_t lane = 0;
  bool is_begin = false;
};

// Takes the slices by (begin, longest first, row). Each goes to the first lane where it follows
// everything or lies inside the innermost slice that is still open; lanes are numbered in the order
// of their first use. `on_edge` gets the edges by time, on each lane properly nested, also at equal
// times: ends before the begins of what follows, outer begins first, inner ends first.
// O(n log n) for any input.
void assign_lanes(std::vector<Slice> slices, const std::function<void(const SliceEdge&)>& on_edge);

}  // namespace lockstep::formats::perfetto
