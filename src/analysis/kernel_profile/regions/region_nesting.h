// A region of one lane, and which regions enclose or cross which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::analysis::kernel_profile {

enum class RegionStatus : std::uint8_t {
  kOk,
  kUnmatchedBegin,  // no end followed: it is drawn to the lane's end
  kUnmatchedEnd,    // no begin came before: it is drawn from the lane's begin
  kClipped,         // the other edge was dropped (full buffer or ring)
};

struct LaneRegion {
  std::int64_t begin = 0;  // ticks
  std::int64_t end = 0;
  std::uint32_t event = 0;
  std::uint32_t depth = 0;  // regions of this lane that enclose it
  std::uint32_t payload = 0;
  std::uint32_t markers = 0;  // of this lane that cost time inside it: all after its begin, its end
                              // among them
  bool has_payload = false;
  bool is_crossing = false;  // overlaps another region without one enclosing the other
  RegionStatus status = RegionStatus::kOk;
};

// Where the edges of a region stand in the lane's program; no two edges stand at one place.
struct RegionEdges {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Sets depth and is_crossing of regions in any order, and sorts them. A region that took time is
// enclosed by those that begin no later and end no earlier (of equal ones, by the one that began
// first); one that took none stands where the program had it. n log n. Keeps its memory.
class RegionNesting {
 public:
  // `edges` by region, sorted along. Without known begins (records of whole regions are written at
  // the end) those are set here: of regions that begin at one tick the longer began first, of equal
  // ones the last to end, and those without length came one after the other.
  void nest(std::vector<LaneRegion>& regions, std::vector<RegionEdges>& edges, bool knows_begins);

 private:
  struct Item {
    LaneRegion region;
    RegionEdges edges;
  };
  void set_begins();
  // False where it found a region that crosses, or one without length.
  bool nest_by_stack();
  void nest_by_counting();
  void set_depths_of_empty();
  void mark_crossed_from_left();
  void mark_crossed_from_right();
  void count_markers();

  std::vector<Item> items_;
  std::vector<std::int64_t> ends_;  // sorted
  std::vector<std::int64_t> tree_;
};

}  // namespace lockstep::analysis::kernel_profile
