// Moments of each position, for some thousand positions at a time.
#include "analysis/cycles/measure/positions.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "algo/statistics/statistics.h"
#include "analysis/cycles/nest/body_map.h"

namespace lockstep::analysis::cycles {
namespace {

// Positions that are summed in one walk over the iterations: their sums fit a cache, and a body of
// millions of kernels needs no sums of millions.
constexpr std::uint32_t kPositionsAtATime = 4096;

// Names seen at a position. Nearly always it is the body's name alone.
class NameCount {
 public:
  explicit NameCount(std::uint32_t body_name) : body_name_(body_name) {}

  void add(std::uint32_t name) {
    if (name == body_name_) {
      ++body_count_;
      return;
    }
    const auto known = std::ranges::find(others_, name, &Other::first);
    if (known == others_.end()) {
      others_.emplace_back(name, 1);
    } else {
      ++known->second;
    }
  }

  // Of several the body's, then the one that appears first in the stream.
  [[nodiscard]] std::uint32_t most_frequent() const {
    Other best{body_name_, body_count_};
    for (const Other& other : others_) {
      const bool is_earlier = best.first != body_name_ && other.first < best.first;
      if (other.second > best.second || (other.second == best.second && is_earlier)) best = other;
    }
    return best.first;
  }

 private:
  using Other = std::pair<std::uint32_t, std::uint64_t>;

  std::uint32_t body_name_;
  std::uint64_t body_count_ = 0;
  std::vector<Other> others_;
};

struct PositionSums {
  explicit PositionSums(std::uint32_t body_name) : names(body_name) {}

  void add(const KernelStream& stream, std::size_t kernel) {
    const Time duration = stream.duration(kernel);
    min = durations.count() == 0 ? duration : std::min(min, duration);
    max = durations.count() == 0 ? duration : std::max(max, duration);
    durations.add(duration.ps);
    names.add(stream.names[kernel]);
  }

  NameCount names;
  algo::Moments durations;
  Time min;
  Time max;
};

void add_iterations(const KernelStream& stream, const NestLoop& loop,
                    const std::vector<OddIteration>& odd, std::uint32_t first,
                    std::vector<PositionSums>& sums) {
  auto next_odd = odd.begin();
  std::size_t number = 0;
  for (const LoopInstance& instance : loop.instances) {
    for (const Iteration& iteration : instance.iterations) {
      if (next_odd != odd.end() && next_odd->number == number) {
        for (std::size_t k = 0; k < sums.size(); ++k) {
          const std::uint32_t kernel = next_odd->kernels[first + k];
          if (kernel != kNoKernel) sums[k].add(stream, kernel);
        }
        ++next_odd;
      } else {
        const std::size_t start = std::size_t{iteration.start} + first;
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(stream, start + k);
      }
      ++number;
    }
  }
}

WideTime kernel_time(const KernelStream& stream, const NestLoop& loop) {
  WideTime sum = 0;
  for (const LoopInstance& instance : loop.instances) {
    for (const Iteration& iteration : instance.iterations) {
      for (std::size_t i = iteration.start; i < iteration.end; ++i) sum += stream.duration(i).ps;
    }
  }
  return sum;
}

Position position_of(const PositionSums& sums, const KernelStream& stream,
                     const StringPool& strings, WideTime total) {
  const KernelSymbol& symbol = stream.symbols[sums.names.most_frequent()];
  Position position;
  position.name = symbol.text;
  position.raw_name = strings.view(symbol.name);
  position.role = symbol.facts.role;
  position.count = sums.durations.count();
  position.sum = sums.durations.sum();
  position.mean_ps = sums.durations.mean();
  position.stddev_ps = sums.durations.stddev();
  position.min = sums.min;
  position.max = sums.max;
  if (total > 0) {
    position.share = static_cast<double>(position.sum) / static_cast<double>(total);
  }
  return position;
}

}  // namespace

std::vector<Position> measure_positions(const KernelStream& stream, const NestLoop& loop,
                                        const StringPool& strings) {
  const std::vector<OddIteration> odd = map_odd_iterations(stream, loop);
  const WideTime total = kernel_time(stream, loop);
  std::vector<Position> positions;
  positions.reserve(loop.period);
  std::vector<PositionSums> sums;
  for (std::uint32_t first = 0; first < loop.period; first += kPositionsAtATime) {
    const std::uint32_t last = std::min(loop.period, first + kPositionsAtATime);
    sums.clear();
    for (std::uint32_t k = first; k < last; ++k) {
      sums.emplace_back(stream.names[loop.body_start + k]);
    }
    add_iterations(stream, loop, odd, first, sums);
    for (const PositionSums& sum : sums) {
      positions.push_back(position_of(sum, stream, strings, total));
    }
  }
  return positions;
}

}  // namespace lockstep::analysis::cycles
