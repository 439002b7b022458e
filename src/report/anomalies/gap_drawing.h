// A gap in the work of a device, drawn on lines of text: what ran before it, the gap with its
// length, what ran after it, and what else happened then.
//
// The three parts are each to scale by themselves: kernels of microseconds would vanish beside a
// gap of milliseconds. The line above the lanes tells how long each part is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace lockstep::report::anomalies {

struct DrawnSpan {
  Time start;
  Time end;
  std::string_view glyph;  // one column wide
};

struct DrawnLane {
  std::string name;
  std::vector<DrawnSpan> spans;  // later ones are drawn over earlier ones
};

struct GapDrawing {
  Time start;  // of what is drawn; no part before the gap where it is the gap's start
  Time gap_start;
  Time gap_end;
  Time end;
  std::vector<DrawnLane> lanes;
  std::string_view gap_words = "idle";  // before the length of the gap
};

// Lines of at most `width` columns, as far as that is possible.
[[nodiscard]] std::vector<std::string> draw_gap(const GapDrawing& drawing, std::size_t width);

}  // namespace lockstep::report::anomalies
