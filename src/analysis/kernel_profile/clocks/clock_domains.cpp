// Finding of shared counters by their numbers, and a check by their anchors.
#include "analysis/kernel_profile/clocks/clock_domains.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/kernel_profile/clocks/clock_knots.h"

namespace lockstep::analysis::kernel_profile {
namespace {

// Numbers are compared at the time of the first anchors; this far apart they are different
// counters. Those of different clusters were never seen nearer than 10,000.
constexpr double kNearTicks = 300;
// More, where the first anchors lie apart in time: the rates of clusters differ a little.
constexpr double kNearShare = 0.002;
// The share of brackets that may contradict a pool.
constexpr double kContradictionShare = 0.01;

// What the clock shows at `timer_ns`, seen from nowhere in particular: for comparison only.
double number_at(const AnchoredClock& clock, std::int64_t timer_ns, double ticks_per_ns) {
  const algo::Bracket& first = clock.brackets.front();
  const auto ns = static_cast<double>(timer_ns - clock.base_timer_ns - first.x);
  return static_cast<double>(clock.base_ticks) + static_cast<double>(first.low + first.high) / 2 +
         ns * ticks_per_ns;
}

// The brackets of several clocks on the base of the first, by time.
AnchoredClock pooled(std::span<const AnchoredClock> clocks,
                     std::span<const std::uint32_t> members) {
  AnchoredClock pool;
  pool.base_timer_ns = clocks[members.front()].base_timer_ns;
  pool.base_ticks = clocks[members.front()].base_ticks;
  pool.skews.resize(members.size());
  std::vector<std::pair<algo::Bracket, std::uint32_t>> all;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const AnchoredClock& clock = clocks[members[i]];
    const std::int64_t ns = clock.base_timer_ns - pool.base_timer_ns;
    const std::int64_t ticks = clock.base_ticks - pool.base_ticks;
    for (const algo::Bracket& bracket : clock.brackets) {
      all.push_back({{bracket.x + ns, bracket.low + ticks, bracket.high + ticks}, i});
    }
  }
  std::ranges::stable_sort(all, {}, [](const auto& entry) { return entry.first.x; });
  for (const auto& [bracket, member] : all) {
    pool.brackets.push_back(bracket);
    pool.member_of_bracket.push_back(member);
  }
  pool.ticks_per_ns = average_rate(pool.brackets);
  return pool;
}

// Gaps over which the counter would have run at an impossible rate.
std::size_t count_jumps(const AnchoredClock& pool) {
  std::size_t jumps = 0;
  for (std::size_t i = 0; i + 1 < pool.knots.size(); ++i) {
    const ClockKnot& a = pool.knots[i];
    const ClockKnot& b = pool.knots[i + 1];
    const double expected = pool.gap_ns(i) * pool.ticks_per_ns;
    const double slack =
        expected * kRateTolerance + a.half_width_ticks + b.half_width_ticks + kNearTicks;
    if (std::abs(b.ticks - a.ticks - expected) > slack) ++jumps;
  }
  return jumps;
}

// False where the members do not share a counter after all.
bool settle_pool(AnchoredClock& pool, double usual_ticks_per_ns) {
  return tie_knots(pool, usual_ticks_per_ns) <= kContradictionShare && count_jumps(pool) == 0;
}

// Numbers of clocks without a narrow bracket say nothing.
bool is_comparable(const AnchoredClock& clock) {
  if (clock.may_jump || clock.brackets.empty()) return false;
  const algo::Bracket& first = clock.brackets.front();
  return static_cast<double>(first.high - first.low) < kNearTicks;
}

bool are_far(const AnchoredClock& a, const AnchoredClock& b) {
  return std::abs(a.base_timer_ns - b.base_timer_ns) > kLongestLaunchNs / 2 ||
         std::abs(a.base_ticks - b.base_ticks) > algo::kMaxBracketDistance / 2;
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
      const bool is_first = candidates.empty();
      if (!is_comparable(clocks_[i]) ||
          (!is_first && are_far(clocks_[i], clocks_[candidates.front()]))) {
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
      if (settle_pool(pool, ticks_per_ns_)) {
        for (std::uint32_t i = 0; i < members.size(); ++i) set_pool(members[i], i);
        result_.pools.push_back(std::move(pool));
        return;
      }
    }
    for (const std::uint32_t member : members) leave_alone(member);
  }

  void leave_alone(std::uint32_t clock) {
    set_pool(clock, 0);
    result_.pools.push_back(std::move(clocks_[clock]));
    tie_knots(result_.pools.back(), ticks_per_ns_);
  }

  void set_pool(std::uint32_t clock, std::uint32_t member) {
    result_.pool_of_clock[clock] = {static_cast<std::uint32_t>(result_.pools.size()), member};
  }

  std::vector<AnchoredClock> clocks_;
  double ticks_per_ns_;
  ClockPools result_;
};

}  // namespace

ClockPools pool_clocks(std::vector<AnchoredClock> clocks, double usual_ticks_per_ns) {
  return Pooling(std::move(clocks), usual_ticks_per_ns).run();
}

}  // namespace lockstep::analysis::kernel_profile
