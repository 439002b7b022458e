// Optimal partitioning by absolute deviations, then merging of stretches that are not apart.
#include "algo/statistics/regimes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "algo/statistics/statistics.h"

namespace lockstep::algo {
namespace {

// A stretch must save this many times ln(points) in units of the noise. A stretch that chance
// makes saves a few such units; that it is generous is what the merging is for.
constexpr double kPriceOfStretch = 3.0;
// The median difference of neighbours in a normal series, in standard deviations: 0.6745 * sqrt 2.
constexpr double kMedianDifferenceInSigmas = 0.9539;

// Few values show less than their width: of n, this many times 1 / (n - 1) of it is added. Without
// it, one series of noise in a hundred that has six values falls into two regimes by chance.
constexpr double kUnseenWidth = 2.0;

// Points [begin, end) of the series as it is looked at, with the range of those that are not
// outliers.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t inliers = 0;
  double low = 0;
  double high = 0;
};

// Sum of the distances from the median of numbers that come one by one: two heaps around it.
class RunningDeviation {
 public:
  void add(double value) {
    if (lower_.empty() || value <= lower_.top()) {
      lower_.push(value);
      lower_sum_ += value;
    } else {
      upper_.push(value);
      upper_sum_ += value;
    }
    if (lower_.size() > upper_.size() + 1) {
      move_top(lower_, lower_sum_, upper_, upper_sum_);
    } else if (upper_.size() > lower_.size()) {
      move_top(upper_, upper_sum_, lower_, lower_sum_);
    }
  }

  [[nodiscard]] double sum() const {
    const double odd = lower_.size() > upper_.size() ? lower_.top() : 0;
    return upper_sum_ - (lower_sum_ - odd);
  }

 private:
  template <class From, class To>
  static void move_top(From& from, double& from_sum, To& to, double& to_sum) {
    from_sum -= from.top();
    to_sum += from.top();
    to.push(from.top());
    from.pop();
  }

  std::priority_queue<double> lower_;
  std::priority_queue<double, std::vector<double>, std::greater<>> upper_;
  double lower_sum_ = 0;
  double upper_sum_ = 0;
};

// The absolute floor is added first: where values are that small, their ratios mean nothing.
std::vector<double> logarithms(std::span<const std::int64_t> values, const NoiseFloor& noise) {
  const auto offset = static_cast<double>(std::max<std::int64_t>(noise.absolute, 1));
  std::vector<double> logs(values.size());
  std::ranges::transform(values, logs.begin(), [&](std::int64_t value) {
    return std::log(static_cast<double>(std::max<std::int64_t>(value, 0)) + offset);
  });
  return logs;
}

// Standard deviation of the noise, from the differences of neighbours: a jump is but one of them.
double noise_of(std::span<const double> logs, const NoiseFloor& floor) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < logs.size(); ++i) {
    differences.push_back(std::abs(logs[i] - logs[i - 1]));
  }
  const double sigma = median_of_numbers(differences) / kMedianDifferenceInSigmas;
  return std::max(sigma, std::max(floor.relative, 1e-6));
}

// Ends of the stretches that cost least together, each of at least `min_length` points.
std::vector<std::size_t> least_cost_ends(std::span<const double> logs, std::size_t min_length,
                                         double price) {
  constexpr double kUnreachable = std::numeric_limits<double>::infinity();
  const std::size_t count = logs.size();
  std::vector<double> cost(count + 1, kUnreachable);  // of the first points
  std::vector<std::size_t> from(count + 1, 0);
  cost[0] = 0;
  for (std::size_t begin = 0; begin + min_length <= count; ++begin) {
    if (cost[begin] == kUnreachable) continue;
    RunningDeviation deviation;
    for (std::size_t end = begin + 1; end <= count; ++end) {
      deviation.add(logs[end - 1]);
      const double total = cost[begin] + price + deviation.sum();
      if (end - begin >= min_length && total < cost[end]) {
        cost[end] = total;
        from[end] = begin;
      }
    }
  }
  std::vector<std::size_t> ends;
  for (std::size_t end = count; end > 0; end = from[end]) ends.push_back(end);
  std::ranges::reverse(ends);
  return ends;
}

Stretch measure_stretch(std::span<const std::int64_t> points, std::span<const double> logs,
                        std::size_t begin, std::size_t end, const NoiseFloor& noise) {
  Stretch stretch{begin, end, 0, std::numeric_limits<double>::infinity(),
                  -std::numeric_limits<double>::infinity()};
  const auto outliers = find_outliers(points.subspan(begin, end - begin), noise);
  auto next_outlier = outliers.begin();
  for (std::size_t i = begin; i < end; ++i) {
    if (next_outlier != outliers.end() && next_outlier->index == i - begin) {
      ++next_outlier;
      continue;
    }
    ++stretch.inliers;
    stretch.low = std::min(stretch.low, logs[i]);
    stretch.high = std::max(stretch.high, logs[i]);
  }
  return stretch;
}

double width_of(const Stretch& stretch) {
  const double unseen =
      kUnseenWidth / static_cast<double>(std::max<std::size_t>(stretch.inliers, 2) - 1);
  return (stretch.high - stretch.low) * (1 + unseen);
}

// How far apart neighbours are, in what they must be apart at least: 1 is just enough.
double apartness(const Stretch& a, const Stretch& b, std::size_t min_inliers,
                 const RegimeOptions& options) {
  if (std::min(a.inliers, b.inliers) < min_inliers) return 0;
  const bool is_rise = b.low > a.high;
  const double upper = is_rise ? b.low : a.low;
  const double lower = is_rise ? a.high : b.high;
  // Both logarithms have the same offset: their difference is that of the values.
  if (std::exp(upper) - std::exp(lower) <= static_cast<double>(options.noise.absolute)) return 0;
  const double gap = upper - lower;
  const double width = std::max(width_of(a), width_of(b));
  const double needed = std::max(std::log1p(options.min_gap), options.min_gap_to_width * width);
  return gap / needed;
}

// The series that the search looks at.
struct Points {
  BlockMedians blocks;
  std::vector<double> logs;
  std::size_t min_length = 0;  // of a stretch, in points
};

void merge_neighbours(std::vector<Stretch>& stretches, const Points& points,
                      const RegimeOptions& options) {
  while (stretches.size() > 1) {
    std::size_t closest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < stretches.size(); ++i) {
      const double apart = apartness(stretches[i], stretches[i + 1], points.min_length, options);
      if (apart < least) {
        least = apart;
        closest = i;
      }
    }
    if (least > 1 && stretches.size() <= options.max_regimes) return;
    stretches[closest] =
        measure_stretch(points.blocks.medians, points.logs, stretches[closest].begin,
                        stretches[closest + 1].end, options.noise);
    stretches.erase(stretches.begin() + static_cast<std::ptrdiff_t>(closest) + 1);
  }
}

// The border in [first, last] that leaves the least deviation from the medians on its two sides.
std::size_t best_border(std::span<const std::int64_t> values, std::size_t first, std::size_t last,
                        std::int64_t before, std::int64_t after) {
  const auto distance = [](std::int64_t a, std::int64_t b) {
    return std::abs(static_cast<double>(a) - static_cast<double>(b));
  };
  double change = 0;  // of the cost, as values pass from the right side to the left one
  double least = 0;
  std::size_t best = first;
  for (std::size_t border = first; border < last; ++border) {
    change += distance(values[border], before) - distance(values[border], after);
    if (change < least) {
      least = change;
      best = border + 1;
    }
  }
  return best;
}

// Stretches of points as stretches of values, with borders inside blocks where they belong there.
std::vector<RegimeOfSeries> place_borders(std::span<const std::int64_t> values,
                                          std::span<const Stretch> stretches, std::size_t block) {
  std::vector<RegimeOfSeries> regimes;
  for (const Stretch& stretch : stretches) {
    const std::size_t end = std::min(stretch.end * block, values.size());
    const std::size_t begin = stretch.begin * block;
    regimes.push_back({begin, end, median(values.subspan(begin, end - begin))});
  }
  if (block == 1) return regimes;
  for (std::size_t i = 0; i + 1 < regimes.size(); ++i) {
    const std::size_t border = regimes[i].end;
    const std::size_t last = std::min(border + block, values.size());
    const std::size_t placed =
        best_border(values, border - block, last, regimes[i].median, regimes[i + 1].median);
    regimes[i].end = placed;
    regimes[i + 1].begin = placed;
  }
  for (RegimeOfSeries& regime : regimes) {
    regime.median = median(values.subspan(regime.begin, regime.end - regime.begin));
  }
  return regimes;
}

}  // namespace

std::vector<RegimeOfSeries> find_regimes(std::span<const std::int64_t> values,
                                         const RegimeOptions& options) {
  if (values.empty()) return {};
  const std::size_t shortest = std::max<std::size_t>(options.min_length, 1);
  if (values.size() < 2 * shortest) return {{0, values.size(), median(values)}};
  Points points;
  points.blocks = block_medians(values, kMaxRegimePoints);
  points.logs = logarithms(points.blocks.medians, options.noise);
  // Three blocks: one that holds a border is no regime, and borders move by a block on each side.
  const std::size_t block = points.blocks.block;
  points.min_length =
      block == 1 ? shortest : std::max<std::size_t>(3, (shortest + block - 1) / block);
  const double price = kPriceOfStretch * noise_of(points.logs, options.noise) *
                       std::log(static_cast<double>(points.logs.size()));
  std::vector<Stretch> stretches;
  for (const std::size_t end : least_cost_ends(points.logs, points.min_length, price)) {
    const std::size_t begin = stretches.empty() ? 0 : stretches.back().end;
    stretches.push_back(
        measure_stretch(points.blocks.medians, points.logs, begin, end, options.noise));
  }
  merge_neighbours(stretches, points, options);
  return place_borders(values, stretches, block);
}

}  // namespace lockstep::algo
