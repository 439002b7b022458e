// Values far from the others, judged by the median and the median deviation, which they cannot
// move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::algo {

// What is too small to matter, however regular the data: a difference counts when it is more than
// both parts. Without it, any jitter of nearly constant values would be far from them.
struct NoiseFloor {
  double relative = 0.01;
  std::int64_t absolute = 1;  // in the unit of the values

  [[nodiscard]] double at(double level) const;
};

struct OutlyingValue {
  std::size_t index = 0;
  // Distance from the median in scaled median deviations, negative below it; of all values, or of
  // those that are left where outliers hid each other. Where the floor is above the cut, the floor
  // counts as the cut.
  double score = 0;

  friend bool operator==(const OutlyingValue&, const OutlyingValue&) = default;
};

// The usual cut for modified z scores (Iglewicz and Hoaglin, 1993).
inline constexpr double kOutlierScore = 3.5;
// More values than this share are no outliers but a second level, as of loops that alternate. The
// scale is then the mean distance from the median, which such levels move.
inline constexpr double kMostOutliers = 1.0 / 3.0;
// Among fewer values than this, outliers widen the scale that they are judged by and so hide each
// other: three stalls in ten steps. All are then judged once more, by those that are none.
inline constexpr std::size_t kManyForOutliers = 20;
// With fewer values none is far from "the others".
inline constexpr std::size_t kFewestForOutliers = 5;

// In order of index. Linear.
[[nodiscard]] std::vector<OutlyingValue> find_outliers(std::span<const std::int64_t> values,
                                                       const NoiseFloor& floor);

}  // namespace lockstep::algo
