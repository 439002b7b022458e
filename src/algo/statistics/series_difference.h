// Whether one run of a loop is slower than another: the tests of significance.h, and what they take
// for granted and a run of iterations does not give: no drift, no stray iteration that moves the
// mean, enough values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lockstep::algo {

// Differences within these are none, whatever a test says.
struct DifferenceLimits {
  double share = 0;  // of the larger value
  double floor = 0;  // in the unit of the values; also what is unknown of each of few values

  [[nodiscard]] bool allow(double a, double b) const;  // whether the two are farther apart
};

// Why a difference is not sound.
enum class Doubt : std::uint8_t {
  kNone,
  kFewValues,    // too few, or few that reach into those of the other side
  kTooSmall,     // within the limits
  kStrayValues,  // the mean moved by some values, most did not
  kDrift,        // either side drifts by as much
};

struct SeriesDifference {
  std::optional<double> p;  // two-sided; nothing where a side has fewer than two values
  // Neither drift, nor a stray value, nor chance in a handful of values explains the difference of
  // the means, and most values agree with its sign.
  bool is_sound = false;
  Doubt doubt = Doubt::kNone;  // of one that is not
};

// Samples are in the order in which they were taken. From kMinRankTestSide values on, one of two
// things may be sound: the medians moved (p of the rank test), or more of the values are far out
// (stalls; Fisher's test of their number). Where any value is far out both are asked, and share the
// chance to be wrong: p of the first counts 1.25 times, that of the second 5 times.
[[nodiscard]] SeriesDifference compare_series(std::span<const std::int64_t> a,
                                              std::span<const std::int64_t> b,
                                              const DifferenceLimits& limits);

// Fewer values on a side claim nothing.
inline constexpr std::size_t kMinClaimSize = 4;

// Whether the difference of the medians is more than what either sample drifts by itself. Either it
// is more than two runs one after the other would be apart, that is twice drift_of. Or both take
// the same course, so that values at the same place can be compared (attention over a cache that
// grows): b is a multiple of a, nearly all pairs agree on the sign, and neither sample is how the
// other would go on.
[[nodiscard]] bool is_beyond_drift(std::span<const std::int64_t> a,
                                   std::span<const std::int64_t> b);

// Fisher's exact test: `hits_a` of `size_a` against `hits_b` of `size_b`, two-sided.
[[nodiscard]] double fisher(std::size_t hits_a, std::size_t size_a, std::size_t hits_b,
                            std::size_t size_b);

}  // namespace lockstep::algo
