// Whether two samples differ beyond chance, and what that is worth when many are asked about.
//
// Values are whole numbers (picoseconds). All p are two-sided; nothing where a sample has fewer
// than two values, for then nothing is known about its spread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::algo {

// Mann and Whitney's rank test: no assumption on the shape of the distributions. Exact (over all
// ways to deal the ranks, ties included) up to kExactRankTestSize values on both sides together,
// else normal with corrections for ties and continuity.
[[nodiscard]] std::optional<double> mann_whitney(std::span<const std::int64_t> a,
                                                 std::span<const std::int64_t> b);
inline constexpr std::size_t kExactRankTestSize = 30;

// Welch's t-test: means of roughly normal samples with unlike spreads. `resolution` is the step of
// the clock that measured: rounding to it hides a variance of resolution^2 / 12, which is added,
// so that two values on one tick are not taken for a certain measurement.
[[nodiscard]] std::optional<double> welch(std::span<const std::int64_t> a,
                                          std::span<const std::int64_t> b, double resolution);

// The rank test where both sides have enough values for it to speak, else Welch's: with n values a
// side the rank test cannot go below 2 / C(2n, n), which after adjusting for a thousand rows calls
// nothing significant for n < 12.
[[nodiscard]] std::optional<double> difference_p(std::span<const std::int64_t> a,
                                                 std::span<const std::int64_t> b,
                                                 double resolution);
inline constexpr std::size_t kMinRankTestSide = 12;

// How far the middle of a sample moved while it was taken: the distance between the medians of its
// first and second half. The tests above take values for independent; a run that drifts by itself
// (a clock that warms up, a loop over tensors of unlike sizes) breaks that, and a difference
// between two runs that is no larger than the drift of either is no news. 0 below four values.
[[nodiscard]] std::int64_t drift_of(std::span<const std::int64_t> sample);

// Benjamini and Hochberg's step-up: rows whose adjusted p is at most q hold at most a share q of
// false ones on average. Holm's bound on even one false row would hide most of the true ones when
// a comparison has a thousand rows; a reader who looks at a list can live with one in twenty.
// Rows of one iteration are positively dependent (a slow clock slows all), which this allows.
[[nodiscard]] std::vector<double> adjust_for_many(std::span<const double> p);

}  // namespace lockstep::algo
