// Modified z scores with a floor under their scale.
#include "algo/statistics/outliers.h"

#include <algorithm>
#include <cmath>

#include "algo/statistics/statistics.h"

namespace lockstep::algo {
namespace {

// Times this, the mean distance from the median estimates the standard deviation of a normal
// distribution: sqrt(pi / 2).
constexpr double kMeanDistanceToSigma = 1.2533;

double distance(std::int64_t value, std::int64_t centre) {
  return static_cast<double>(value) - static_cast<double>(centre);
}

double mean_distance(std::span<const std::int64_t> values, std::int64_t centre) {
  double sum = 0;
  for (const std::int64_t value : values) sum += std::abs(distance(value, centre));
  return sum / static_cast<double>(values.size());
}

std::vector<OutlyingValue> beyond(std::span<const std::int64_t> values, std::int64_t centre,
                                  double cut) {
  std::vector<OutlyingValue> outliers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double away = distance(values[i], centre);
    if (std::abs(away) > cut) outliers.push_back({i, kOutlierScore * away / cut});
  }
  return outliers;
}

}  // namespace

double NoiseFloor::at(double level) const {
  return std::max(relative * std::abs(level), static_cast<double>(absolute));
}

std::vector<OutlyingValue> find_outliers(std::span<const std::int64_t> values,
                                         const NoiseFloor& floor) {
  if (values.size() < kFewestForOutliers) return {};
  const std::int64_t centre = median(values);
  const double least_cut = floor.at(static_cast<double>(centre));
  const double sigma = kDeviationToSigma * static_cast<double>(median_deviation(values, centre));
  auto outliers = beyond(values, centre, std::max(kOutlierScore * sigma, least_cut));
  if (static_cast<double>(outliers.size()) <= kMostOutliers * static_cast<double>(values.size())) {
    return outliers;
  }
  const double wide_sigma = kMeanDistanceToSigma * mean_distance(values, centre);
  return beyond(values, centre, std::max(kOutlierScore * wide_sigma, least_cut));
}

}  // namespace lockstep::algo
