// Rank test, Welch's test, Benjamini-Hochberg.
#include "algo/statistics/significance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "algo/statistics/statistics.h"

namespace lockstep::algo {
namespace {

// Halves of fewer than two values say nothing about drift.
constexpr std::size_t kMinDriftSize = 4;

// Twice the rank of every value of a then b (equal values share the middle one), so that ranks are
// whole numbers; and the sum over ties of t^3 - t.
struct Ranks {
  std::vector<std::uint32_t> doubled;
  double tie_term = 0;
};

Ranks rank(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::vector<std::int64_t> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return all[i]; });
  Ranks ranks;
  ranks.doubled.resize(all.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && all[order[last]] == all[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i) {
      ranks.doubled[order[i]] = static_cast<std::uint32_t>(first + last + 1);
    }
    const auto ties = static_cast<double>(last - first);
    ranks.tie_term += ties * ties * ties - ties;
    first = last;
  }
  return ranks;
}

// Over all ways to choose `chosen` of the ranks: the share whose sum is at least as far from the
// middle as that of the first `chosen`.
double exact_rank_p(std::span<const std::uint32_t> doubled, std::size_t chosen) {
  const auto total = std::accumulate(doubled.begin(), doubled.end(), std::size_t{0});
  const auto seen = std::accumulate(
      doubled.begin(), doubled.begin() + static_cast<std::ptrdiff_t>(chosen), std::size_t{0});
  // ways[k][s]: choices of k ranks with sum s
  const std::size_t width = total + 1;
  std::vector<double> ways((chosen + 1) * width, 0.0);
  ways[0] = 1;
  std::size_t reach = 0;
  for (std::size_t i = 0; i < doubled.size(); ++i) {
    reach += doubled[i];
    for (std::size_t k = std::min(i + 1, chosen); k >= 1; --k) {
      const double* from = &ways[(k - 1) * width];
      double* to = &ways[k * width + doubled[i]];
      for (std::size_t s = 0; s + doubled[i] <= reach; ++s) to[s] += from[s];
    }
  }
  // Distances from the mean, times the number of values: whole numbers, so equal ones are equal.
  const auto distance = [&](std::size_t sum) {
    const auto left = static_cast<std::int64_t>(sum * doubled.size());
    return std::abs(left - static_cast<std::int64_t>(total * chosen));
  };
  double far = 0;
  double all = 0;
  for (std::size_t s = 0; s <= total; ++s) {
    const double count = ways[chosen * width + s];
    all += count;
    if (distance(s) >= distance(seen)) far += count;
  }
  return far / all;
}

double normal_rank_p(const Ranks& ranks, std::size_t size_a) {
  const auto n = static_cast<double>(size_a);
  const auto all = static_cast<double>(ranks.doubled.size());
  const double m = all - n;
  double doubled_sum = 0;
  for (std::size_t i = 0; i < size_a; ++i) doubled_sum += ranks.doubled[i];
  const double u = doubled_sum / 2 - n * (n + 1) / 2;
  const double variance = n * m / 12 * (all + 1 - ranks.tie_term / (all * (all - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
  return std::erfc(distance / std::sqrt(variance) / std::numbers::sqrt2);
}

struct SampleMoments {
  double mean = 0;
  double variance = 0;  // of the population that the sample is from
};

// Seen from `base`, so that large times of a small spread lose nothing.
SampleMoments sample_moments(std::span<const std::int64_t> sample, std::int64_t base) {
  const auto n = static_cast<double>(sample.size());
  double sum = 0;
  for (const std::int64_t value : sample) sum += static_cast<double>(value - base);
  const double mean = sum / n;
  double squares = 0;
  for (const std::int64_t value : sample) {
    const double off = static_cast<double>(value - base) - mean;
    squares += off * off;
  }
  return {mean, squares / (n - 1)};
}

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr int kMaxTerms = 500;
  constexpr double kEnough = 1e-15;
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return fraction;
}

// The regularised incomplete beta function I_x(a, b), 0 < x < 1.
double incomplete_beta(double a, double b, double x) {
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

std::optional<double> mann_whitney(std::span<const std::int64_t> a,
                                   std::span<const std::int64_t> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const Ranks ranks = rank(a, b);
  if (a.size() + b.size() > kExactRankTestSize) return normal_rank_p(ranks, a.size());
  return exact_rank_p(ranks.doubled, a.size());
}

std::optional<double> welch(std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                            double resolution) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const SampleMoments of_a = sample_moments(a, a.front());
  const SampleMoments of_b = sample_moments(b, a.front());
  const double hidden = resolution * resolution / 12;
  const double error_a = (of_a.variance + hidden) / n;
  const double error_b = (of_b.variance + hidden) / m;
  const double error = error_a + error_b;
  const double distance = of_a.mean - of_b.mean;
  if (distance == 0) return 1;
  if (error == 0) return 0;
  const double t2 = distance * distance / error;
  const double freedom =
      error * error / (error_a * error_a / (n - 1) + error_b * error_b / (m - 1));
  const double x = freedom / (freedom + t2);
  if (x >= 1) return 1;
  if (x <= 0) return 0;
  return incomplete_beta(freedom / 2, 0.5, x);
}

std::optional<double> difference_p(std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                                   double resolution) {
  if (std::min(a.size(), b.size()) >= kMinRankTestSide) return mann_whitney(a, b);
  return welch(a, b, resolution);
}

std::int64_t drift_of(std::span<const std::int64_t> sample) {
  if (sample.size() < kMinDriftSize) return 0;
  const std::size_t half = sample.size() / 2;
  return std::abs(median(sample.last(half)) - median(sample.first(half)));
}

std::vector<double> adjust_for_many(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (std::size_t rank = p.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    least = std::min(least, p[i] * static_cast<double>(p.size()) / static_cast<double>(rank));
    adjusted[i] = least;
  }
  return adjusted;
}

}  // namespace lockstep::algo
