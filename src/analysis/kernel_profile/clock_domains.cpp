// Finding of shared counters by their numbers, and a check by their anchors.
#include "analysis/kernel_profile/clock_domains.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep {
namespace {

// Numbers are compared at the time of the first anchors; this far apart they are different
// counters. Those of different clusters were never seen nearer than 10,000.
constexpr double kNearTicks = 300;
// More, where the first anchors lie apart in time: the rates of clusters differ a little.
constexpr double kNearShare = 0.002;
// Of the brackets at one step of the timer, the share that may contradict.
constexpr double kContradictionShare = 0.01;

// What the clock shows at `timer_ns`, seen from nowhere in particular: for comparison only.
double number_at(const AnchoredClock& clock, std::int64_t timer_ns, double ticks_per_ns) {
  const Bracket& first = clock.brackets.front();
  const auto ns = static_cast<double>(timer_ns - clock.base_timer_ns - first.x);
  return static_cast<double>(clock.base_ticks) + static_cast<double>(first.low + first.high) / 2 +
         ns * ticks_per_ns;
}

// The brackets of several clocks on the base of the first, widened by the skew.
AnchoredClock pooled(std::span<const AnchoredClock> clocks,
                     std::span<const std::uint32_t> members) {
  AnchoredClock pool;
  pool.base_timer_ns = clocks[members.front()].base_timer_ns;
  pool.base_ticks = clocks[members.front()].base_ticks;
  pool.is_pooled = true;
  for (const std::uint32_t member : members) {
    const AnchoredClock& clock = clocks[member];
    const std::int64_t ns = clock.base_timer_ns - pool.base_timer_ns;
    const std::int64_t ticks = clock.base_ticks - pool.base_ticks;
    for (const Bracket& bracket : clock.brackets) {
      pool.brackets.push_back(
          {bracket.x + ns, bracket.low + ticks - kSkewTicks, bracket.high + ticks + kSkewTicks});
    }
  }
  return pool;
}

// Neighbours in time between which the counter would have run at an impossible rate.
std::size_t count_jumps(const AnchoredClock& pool) {
  std::size_t jumps = 0;
  for (std::size_t i = 1; i < pool.brackets.size(); ++i) {
    const Bracket& a = pool.brackets[i - 1];
    const Bracket& b = pool.brackets[i];
    const double expected = static_cast<double>(b.x - a.x) * pool.ticks_per_ns;
    const double slack = expected * kRateTolerance;
    if (static_cast<double>(b.high - a.low) < expected - slack ||
        static_cast<double>(b.low - a.high) > expected + slack) {
      ++jumps;
    }
  }
  return jumps;
}

// False where the members do not share a counter after all.
bool settle_pool(AnchoredClock& pool) {
  const auto brackets = static_cast<double>(pool.brackets.size());
  std::size_t contradictions = merge_brackets(pool.brackets) + keep_rising(pool.brackets);
  pool.ticks_per_ns = average_rate(pool.brackets);
  contradictions += count_jumps(pool);
  return static_cast<double>(contradictions) <= brackets * kContradictionShare;
}

class Pooling {
 public:
  Pooling(std::vector<AnchoredClock> clocks, double ticks_per_ns)
      : clocks_(std::move(clocks)), ticks_per_ns_(ticks_per_ns) {
    result_.pool_of_clock.resize(clocks_.size());
  }

  ClockPools run() {
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t i = 0; i < clocks_.size(); ++i) {
      if (clocks_[i].brackets.empty() || clocks_[i].may_jump) {
        leave_alone(i);
      } else {
        candidates.push_back(i);
      }
    }
    if (!candidates.empty()) cut(candidates);
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::int64_t distance_ns(std::uint32_t clock, std::int64_t at) const {
    return std::abs(clocks_[clock].base_timer_ns + clocks_[clock].brackets.front().x - at);
  }

  // Cuts candidates, ordered by their numbers, where two neighbours are far apart.
  void cut(std::vector<std::uint32_t>& candidates) {
    const AnchoredClock& some = clocks_[candidates.front()];
    const std::int64_t at = some.base_timer_ns + some.brackets.front().x;
    const auto number = [&](std::uint32_t i) { return number_at(clocks_[i], at, ticks_per_ns_); };
    const auto is_far = [&](std::uint32_t a, std::uint32_t b) {
      const double ticks =
          static_cast<double>(std::max(distance_ns(a, at), distance_ns(b, at))) * ticks_per_ns_;
      return number(b) - number(a) > kNearTicks + ticks * kNearShare;
    };
    std::ranges::stable_sort(candidates, {}, number);
    std::size_t first = 0;
    for (std::size_t i = 1; i <= candidates.size(); ++i) {
      if (i < candidates.size() && !is_far(candidates[i - 1], candidates[i])) continue;
      join(std::span(candidates).subspan(first, i - first));
      first = i;
    }
  }

  void join(std::span<const std::uint32_t> members) {
    if (members.size() > 1) {
      AnchoredClock pool = pooled(clocks_, members);
      if (settle_pool(pool)) {
        for (const std::uint32_t member : members) set_pool(member);
        result_.pools.push_back(std::move(pool));
        return;
      }
    }
    for (const std::uint32_t member : members) leave_alone(member);
  }

  void leave_alone(std::uint32_t clock) {
    set_pool(clock);
    result_.pools.push_back(std::move(clocks_[clock]));
  }

  void set_pool(std::uint32_t clock) {
    result_.pool_of_clock[clock] = static_cast<std::uint32_t>(result_.pools.size());
  }

  std::vector<AnchoredClock> clocks_;
  double ticks_per_ns_;
  ClockPools result_;
};

}  // namespace

ClockPools pool_clocks(std::vector<AnchoredClock> clocks, double usual_ticks_per_ns) {
  return Pooling(std::move(clocks), usual_ticks_per_ns).run();
}

}  // namespace lockstep
