// Medians that moved, or values far out that became more; drift told from change.
#include "algo/statistics/series_difference.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "algo/statistics/significance.h"
#include "algo/statistics/statistics.h"
#include "algo/statistics/trend.h"

namespace lockstep::algo {
namespace {

using Values = std::span<const std::int64_t>;

// A value is far out beyond this many standard deviations, estimated by the median deviation.
constexpr double kFarOut = 6;
// Of the chance to be wrong that two tests share, what the rank test gets: stalls are rare.
constexpr double kRankShare = 0.8;
// Where the faster sample has more values far out than a stray one, both are mixtures of two kinds
// (prefills among decodes), and the mixture is no property of either kind.
constexpr std::size_t kMaxStray = 1;
// What the number of values far out must reach by itself, before it is adjusted for many rows.
constexpr double kMaxFarOutP = 0.05;
// Two courses are one when what is left of their drift is at most this share of it.
constexpr double kMaxCourseRest = 0.25;
// Pairs at the same place that must agree on the sign.
constexpr double kMinAgreeing = 0.9;
// A course of fewer values is none.
constexpr std::size_t kMinCourse = 12;
// Values far out are apart from the others by at least this share of how far out they are: a course
// that rises bit by bit is drift.
constexpr double kMinFarOutGap = 0.25;
// A trend that chance explains is none to continue.
constexpr double kMaxTrendP = 0.01;
// How far, in standard deviations of the noise, a continued trend may be off.
constexpr double kTrendNoise = 3;

double mean_of(Values values) { return moments(values).mean(); }
double median_of(Values values) { return static_cast<double>(median(values)); }

double noise_of(Values values, std::int64_t centre) {
  return kDeviationToSigma * static_cast<double>(median_deviation(values, centre));
}

bool have_one_sign(double x, double y) { return (x > 0 && y > 0) || (x < 0 && y < 0); }

// Whether b is what a would be had it been taken longer: its trend continued.
bool goes_on(Values a, Values b) {
  const TrendOfSeries trend = find_trend(a);
  if (trend.p > kMaxTrendP) return false;
  const double slope = trend.slope;
  const auto along = [&](Values values, std::size_t first, double level) {
    std::vector<std::int64_t> off;
    for (std::size_t i = 0; i < values.size(); ++i) {
      off.push_back(values[i] - std::llround(level + slope * static_cast<double>(first + i)));
    }
    return off;
  };
  const std::vector<std::int64_t> flat = along(a, 0, 0);
  const std::int64_t level = median(flat);
  const std::vector<std::int64_t> off = along(b, a.size(), static_cast<double>(level));
  const double allowed =
      kMaxCourseRest * static_cast<double>(drift_of(a)) + kTrendNoise * noise_of(flat, level);
  return std::abs(median_of(off)) <= allowed && static_cast<double>(drift_of(off)) <= allowed;
}

// Whether both take one course, one a multiple of the other, and differ all along it.
bool differ_along_one_course(Values a, Values b) {
  const std::size_t size = std::min(a.size(), b.size());
  if (size < kMinCourse) return false;
  a = a.first(size);
  b = b.first(size);
  if (median(a) == 0) return false;
  const double multiple = median_of(b) / median_of(a);
  const double apart = median_of(b) - median_of(a);
  std::vector<std::int64_t> rest;
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < size; ++i) {
    rest.push_back(b[i] - std::llround(multiple * static_cast<double>(a[i])));
    agreeing += have_one_sign(static_cast<double>(b[i] - a[i]), apart) ? 1 : 0;
  }
  const auto drift = static_cast<double>(std::max(drift_of(a), drift_of(b)));
  return static_cast<double>(drift_of(rest)) <= kMaxCourseRest * drift &&
         static_cast<double>(agreeing) >= kMinAgreeing * static_cast<double>(size);
}

// Of few values: whether the mean of the smaller sample is one that the other never had.
bool is_outside(Values a, Values b) {
  const bool is_b_smaller = b.size() <= a.size();
  const auto [least, greatest] = std::ranges::minmax(is_b_smaller ? a : b);
  const double mean = mean_of(is_b_smaller ? b : a);
  return mean < static_cast<double>(least) || mean > static_cast<double>(greatest);
}

// Against the medians having moved.
Doubt doubt_of_medians(Values a, Values b, const DifferenceLimits& limits) {
  const double apart = median_of(b) - median_of(a);
  if (!have_one_sign(apart, mean_of(b) - mean_of(a)) || !limits.allow(median_of(a), median_of(b)))
    return Doubt::kStrayValues;
  return is_beyond_drift(a, b) ? Doubt::kNone : Doubt::kDrift;
}

// How many values are far above what is usual on the faster side, here and there.
struct FarOut {
  double p = 1;
  bool is_any = false;
  bool is_sound = false;
};

// Whether the values more than `usual` above `centre` are a group of their own.
bool stand_apart(Values values, std::int64_t centre, double usual) {
  std::int64_t reached = centre;
  std::vector<std::int64_t> far_out;
  for (const std::int64_t value : values) {
    if (static_cast<double>(value - centre) > usual) {
      far_out.push_back(value);
    } else {
      reached = std::max(reached, value);
    }
  }
  return !far_out.empty() && static_cast<double>(std::ranges::min(far_out) - reached) >=
                                 kMinFarOutGap * static_cast<double>(median(far_out) - centre);
}

FarOut compare_far_out(Values a, Values b, const DifferenceLimits& limits) {
  const bool is_b_slower = mean_of(b) >= mean_of(a);
  const Values fast = is_b_slower ? a : b;
  const Values slow = is_b_slower ? b : a;
  const std::int64_t centre = median(fast);
  const double usual = std::max({kFarOut * noise_of(fast, centre), limits.floor,
                                 limits.share * std::abs(static_cast<double>(centre))});
  const auto count = [&](Values values) {
    return static_cast<std::size_t>(std::ranges::count_if(
        values, [&](std::int64_t value) { return static_cast<double>(value - centre) > usual; }));
  };
  FarOut result;
  result.is_any = count(fast) + count(slow) > 0;
  if (!result.is_any) return result;
  const Values last = fast.last((fast.size() + 1) / 2);
  result.p = fisher(count(fast), fast.size(), count(slow), slow.size());
  // Stalls that the faster run had begun to have, too, are no news of the slower one.
  result.is_sound = count(fast) <= kMaxStray &&
                    count(slow) * fast.size() > count(fast) * slow.size() &&
                    result.p <= kMaxFarOutP && stand_apart(slow, centre, usual) &&
                    fisher(count(last), last.size(), count(slow), slow.size()) <= kMaxFarOutP;
  return result;
}

double log_choose(std::size_t n, std::size_t k) {
  const auto whole = static_cast<double>(n);
  const auto part = static_cast<double>(k);
  return std::lgamma(whole + 1) - std::lgamma(part + 1) - std::lgamma(whole - part + 1);
}

}  // namespace

bool DifferenceLimits::allow(double a, double b) const {
  const double apart = std::abs(b - a);
  return apart > floor && apart > share * std::max(std::abs(a), std::abs(b));
}

double fisher(std::size_t hits_a, std::size_t size_a, std::size_t hits_b, std::size_t size_b) {
  const std::size_t hits = hits_a + hits_b;
  const double all = log_choose(size_a + size_b, hits);
  const auto log_p = [&](std::size_t x) {
    return log_choose(size_a, x) + log_choose(size_b, hits - x) - all;
  };
  constexpr double kRounding = 1e-9;  // so that what is equally likely counts
  const double seen = log_p(hits_a) + kRounding;
  double p = 0;
  const std::size_t least = hits > size_b ? hits - size_b : 0;
  for (std::size_t x = least; x <= std::min(hits, size_a); ++x) {
    if (log_p(x) <= seen) p += std::exp(log_p(x));
  }
  return std::min(p, 1.0);
}

bool is_beyond_drift(Values a, Values b) {
  const bool are_apart = std::abs(median(b) - median(a)) > 2 * std::max(drift_of(a), drift_of(b));
  if (!are_apart && !differ_along_one_course(a, b)) return false;
  return !goes_on(a, b) && !goes_on(b, a);
}

SeriesDifference compare_series(Values a, Values b, const DifferenceLimits& limits) {
  const std::size_t size = std::min(a.size(), b.size());
  SeriesDifference result{difference_p(a, b, limits.floor), false, Doubt::kFewValues};
  if (size < kMinClaimSize) return result;
  result.doubt = Doubt::kTooSmall;
  if (!limits.allow(mean_of(a), mean_of(b))) return result;
  result.doubt = doubt_of_medians(a, b, limits);
  result.is_sound = result.doubt == Doubt::kNone;
  if (size < kMinRankTestSide) {
    if (!result.is_sound || is_outside(a, b)) return result;
    return {result.p, false, Doubt::kFewValues};
  }
  const FarOut far_out = compare_far_out(a, b, limits);
  if (!far_out.is_any) return result;
  const bool is_by_number = !result.is_sound && far_out.is_sound;
  const double p = is_by_number ? far_out.p / (1 - kRankShare) : *result.p / kRankShare;
  return {std::min(1.0, p), result.is_sound || is_by_number,
          is_by_number ? Doubt::kNone : result.doubt};
}

}  // namespace lockstep::algo
