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

// Judged by the median and the median deviation of `others`.
std::vector<OutlyingValue> far_from(std::span<const std::int64_t> values,
                                    std::span<const std::int64_t> others, const NoiseFloor& floor) {
  const std::int64_t centre = median(others);
  const double sigma = kDeviationToSigma * static_cast<double>(median_deviation(others, centre));
  return beyond(values, centre,
                std::max(kOutlierScore * sigma, floor.at(static_cast<double>(centre))));
}

std::vector<OutlyingValue> far_from_two_levels(std::span<const std::int64_t> values,
                                               const NoiseFloor& floor) {
  const std::int64_t centre = median(values);
  const double sigma = kMeanDistanceToSigma * mean_distance(values, centre);
  return beyond(values, centre,
                std::max(kOutlierScore * sigma, floor.at(static_cast<double>(centre))));
}

std::vector<std::int64_t> without(std::span<const std::int64_t> values,
                                  std::span<const OutlyingValue> outliers) {
  std::vector<std::int64_t> others;
  auto next = outliers.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (next != outliers.end() && next->index == i) {
      ++next;
    } else {
      others.push_back(values[i]);
    }
  }
  return others;
}

}  // namespace

double NoiseFloor::at(double level) const {
  return std::max(relative * std::abs(level), static_cast<double>(absolute));
}

std::vector<OutlyingValue> find_outliers(std::span<const std::int64_t> values,
                                         const NoiseFloor& floor) {
  if (values.size() < kFewestForOutliers) return {};
  const auto are_too_many = [&](const std::vector<OutlyingValue>& found) {
    return static_cast<double>(found.size()) > kMostOutliers * static_cast<double>(values.size());
  };
  const std::vector<OutlyingValue> outliers = far_from(values, values, floor);
  if (are_too_many(outliers)) return far_from_two_levels(values, floor);
  if (outliers.empty() || values.size() >= kManyForOutliers) return outliers;
  const std::vector<OutlyingValue> again = far_from(values, without(values, outliers), floor);
  return again.size() > outliers.size() && !are_too_many(again) ? again : outliers;
}

}  // namespace lockstep::algo
