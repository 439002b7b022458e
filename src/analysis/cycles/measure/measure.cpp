// Times of iterations, and their statistics.
#include "analysis/cycles/measure/measure.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "algo/statistics/regimes.h"
#include "algo/statistics/statistics.h"
#include "algo/statistics/trend.h"
#include "analysis/cycles/measure/positions.h"

namespace lockstep::analysis::cycles {
namespace {

// What all loops of one id are in the stream.
struct Occurrences {
  std::uint32_t instances = 0;
  std::uint64_t kernels = 0;
};

std::uint64_t kernels_in(const NestLoop& loop) {
  std::uint64_t kernels = 0;
  for (const LoopInstance& instance : loop.instances) {
    for (const Iteration& iteration : instance.iterations) kernels += iteration.size();
  }
  return kernels;
}

std::map<std::uint32_t, Occurrences> occurrences_by_id(const Nest& nest) {
  std::map<std::uint32_t, Occurrences> all;
  for (const NestLoop& loop : nest.loops) {
    Occurrences& occurrences = all[loop.id];
    occurrences.instances += static_cast<std::uint32_t>(loop.instances.size());
    occurrences.kernels += kernels_in(loop);
  }
  return all;
}

Time latest_end(const KernelStream& stream, Iteration iteration) {
  Time latest = stream.starts[iteration.start];
  for (std::size_t i = iteration.start; i < iteration.end; ++i) {
    latest = std::max(latest, stream.ends[i]);
  }
  return latest;
}

// Kernels overlap by so much only in files that are wrong; then it is as long as a Time can be.
Time clamped(WideTime sum) {
  constexpr WideTime kLongest = std::numeric_limits<std::int64_t>::max();
  return {static_cast<std::int64_t>(std::min(sum, kLongest))};
}

IterationTime measure_iteration(const KernelStream& stream, Iteration kernels, Time window_end) {
  IterationTime time;
  time.kernels = kernels;
  time.start = stream.starts[kernels.start];
  time.wall = window_end - time.start;
  WideTime sum = 0;
  Time reached = time.start;
  for (std::size_t i = kernels.start; i < kernels.end; ++i) {
    sum += stream.duration(i).ps;
    const Time begin = std::max(stream.starts[i], reached);
    const Time end = std::min(stream.ends[i], window_end);
    if (end <= begin) continue;
    time.busy += end - begin;
    reached = end;
  }
  time.kernel_sum = clamped(sum);
  return time;
}

std::vector<IterationTime> measure_iterations(const KernelStream& stream, const NestLoop& loop) {
  std::size_t count = 0;
  for (const LoopInstance& instance : loop.instances) count += instance.iterations.size();
  std::vector<IterationTime> times;
  times.reserve(count);
  for (const LoopInstance& instance : loop.instances) {
    const auto& iterations = instance.iterations;
    for (std::size_t i = 0; i < iterations.size(); ++i) {
      const Time window_end = i + 1 < iterations.size() ? stream.starts[iterations[i + 1].start]
                                                        : latest_end(stream, iterations[i]);
      times.push_back(measure_iteration(stream, iterations[i], window_end));
    }
  }
  return times;
}

Spread spread_of(std::vector<std::int64_t>& values) {
  if (values.empty()) return {};
  const algo::OrderStatistics order = algo::order_statistics(values);
  return {{order.p50}, {order.p95}, {order.min}, {order.max}};
}

void measure_spreads(Loop& loop, std::span<const std::uint32_t> comparable,
                     std::vector<std::int64_t>& values) {
  const auto spread = [&](auto figure) {
    values.clear();
    for (const IterationTime& time : loop.iterations) values.push_back(figure(time).ps);
    return spread_of(values);
  };
  const auto spread_of_comparable = [&](auto figure) {
    values.clear();
    for (const std::uint32_t i : comparable) values.push_back(figure(loop.iterations[i]).ps);
    return spread_of(values);
  };
  loop.wall = spread_of_comparable([](const IterationTime& time) { return time.wall; });
  loop.busy = spread([](const IterationTime& time) { return time.busy; });
  loop.kernel_sum = spread([](const IterationTime& time) { return time.kernel_sum; });
  loop.idle = spread_of_comparable([](const IterationTime& time) { return time.wall - time.busy; });
}

std::optional<Trend> trend_of(std::span<const std::int64_t> walls) {
  if (walls.size() < kFewestForTrend) return std::nullopt;
  const algo::TrendOfSeries found = algo::find_trend(walls);
  const auto middle = static_cast<double>(algo::median(walls));
  const double moved = found.slope * static_cast<double>(walls.size());
  return Trend{found.slope, found.p, found.p < kTrendLevel, middle > 0 ? moved / middle : 0};
}

// Regimes, and the outliers inside each: an iteration that is slow among fast ones may be like all
// others of a slow regime. Iterations that do not compare belong to the regime before them.
void measure_series(Loop& loop, std::span<const std::uint32_t> comparable,
                    std::vector<std::int64_t>& walls) {
  walls.clear();
  for (const std::uint32_t i : comparable) walls.push_back(loop.iterations[i].wall.ps);
  loop.trend = trend_of(walls);
  algo::RegimeOptions options;
  options.noise = kIterationNoise;
  for (const algo::RegimeOfSeries& regime : algo::find_regimes(walls, options)) {
    const auto next = regime.end < comparable.size()
                          ? comparable[regime.end]
                          : static_cast<std::uint32_t>(loop.iterations.size());
    loop.regimes.push_back({comparable[regime.begin], next - 1, Time{regime.median}});
    const auto part = std::span(walls).subspan(regime.begin, regime.end - regime.begin);
    for (const algo::OutlyingValue& outlier : algo::find_outliers(part, kIterationNoise)) {
      const std::size_t at = regime.begin + outlier.index;
      loop.outliers.push_back({comparable[at], Time{walls[at]}, outlier.score});
    }
  }
}

// Of every iteration of every instance, its number in the instance.
std::vector<std::uint32_t> places_of(const NestLoop& loop) {
  std::vector<std::uint32_t> places;
  for (const LoopInstance& instance : loop.instances) {
    for (std::uint32_t i = 0; i < instance.iterations.size(); ++i) places.push_back(i);
  }
  return places;
}

// Tells outliers that come back at the same place of most instances from those that do not.
void find_odd_places(const NestLoop& found, Loop& loop) {
  const std::vector<std::uint32_t> places = places_of(found);
  std::map<std::uint32_t, std::uint32_t> outliers;  // by place
  for (Outlier& outlier : loop.outliers) {
    outlier.place = places[outlier.iteration];
    ++outliers[outlier.place];
  }
  if (found.instances.size() < kFewestForOddPlace) return;
  std::map<std::uint32_t, std::vector<std::int64_t>> walls;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (outliers.contains(places[i])) walls[places[i]].push_back(loop.iterations[i].wall.ps);
  }
  for (const auto& [place, count] : outliers) {
    const std::vector<std::int64_t>& there = walls.at(place);
    const bool is_odd =
        there.size() >= kFewestForOddPlace && 2 * std::size_t{count} >= there.size();
    if (is_odd) loop.odd_places.push_back({place, count, Time{algo::median(there)}});
  }
  for (Outlier& outlier : loop.outliers) {
    outlier.is_recurring =
        std::ranges::binary_search(loop.odd_places, outlier.place, {}, &OddPlace::place);
  }
}

std::uint32_t cut_off_iterations(const NestLoop& loop) {
  std::uint32_t partial = 0;
  for (const LoopInstance& instance : loop.instances) {
    partial += (instance.partial_before > 0 ? 1U : 0U) + (instance.partial_after > 0 ? 1U : 0U);
  }
  return partial;
}

Loop measure_loop(const KernelStream& stream, const NestLoop& found, const Occurrences& all,
                  const StringPool& strings, std::vector<std::int64_t>& scratch) {
  Loop loop;
  loop.instances = all.instances;
  loop.coverage = static_cast<double>(all.kernels) / static_cast<double>(stream.size());
  loop.partial = cut_off_iterations(found);
  loop.iterations = measure_iterations(stream, found);
  if (loop.iterations.empty()) return loop;
  loop.complete = static_cast<std::uint32_t>(found.instances.front().iterations.size());
  const IterationTime& last = loop.iterations[loop.complete - 1];
  loop.start = loop.iterations.front().start;
  loop.end = last.start + last.wall;
  const std::vector<std::uint32_t> comparable = comparable_iterations(found);
  measure_spreads(loop, comparable, scratch);
  measure_series(loop, comparable, scratch);
  find_odd_places(found, loop);
  loop.positions = measure_positions(stream, found, strings);
  return loop;
}

}  // namespace

std::vector<std::uint32_t> comparable_iterations(const NestLoop& loop) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t first = 0;
  for (const LoopInstance& instance : loop.instances) {
    const auto count = static_cast<std::uint32_t>(instance.iterations.size());
    const std::uint32_t compared = count < kFewestToCompare ? count : count - 1;
    for (std::uint32_t i = 0; i < compared; ++i) numbers.push_back(first + i);
    first += count;
  }
  return numbers;
}

std::vector<Loop> measure_loops(const KernelStream& stream, const Nest& nest,
                                const StringPool& strings) {
  const std::map<std::uint32_t, Occurrences> occurrences = occurrences_by_id(nest);
  std::vector<std::int64_t> scratch;
  std::vector<Loop> loops;
  loops.reserve(nest.loops.size());
  for (const NestLoop& loop : nest.loops) {
    loops.push_back(measure_loop(stream, loop, occurrences.at(loop.id), strings, scratch));
  }
  return loops;
}

std::uint32_t covered_kernels(const Nest& nest) {
  std::uint64_t kernels = 0;
  for (const NestLoop& loop : nest.loops) {
    if (loop.parent == kNoLoop) kernels += kernels_in(loop);
  }
  return static_cast<std::uint32_t>(kernels);
}

}  // namespace lockstep::analysis::cycles
