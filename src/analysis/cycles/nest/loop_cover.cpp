// Weighted interval scheduling on what loops save; bodies first, by increasing period.
#include "analysis/cycles/nest/loop_cover.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace lockstep::analysis::cycles {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNeverChosen = std::numeric_limits<std::uint32_t>::max();

// The schedule of one window. Positions are counted from the begin of the window.
//
// A run may hold its iterations at several places. Three of them are tried: as early as possible,
// as late as a better neighbour before it wants, and one iteration fewer at either end.
class Schedule {
 public:
  Schedule(std::span<const LoopCandidate> candidates, std::span<const std::uint32_t> overheads)
      : candidates_(candidates), overheads_(overheads) {}

  // Over [lo, hi) with the candidates [first, last) that begin in it, of periods below `limit`.
  void run(std::uint32_t lo, std::uint32_t hi, std::size_t first, std::size_t last,
           std::uint32_t limit) {
    reset(lo, hi, first, last, limit);
    std::size_t next = first;
    for (std::uint32_t x = 0; x <= hi - lo; ++x) {
      if (x > 0 && saved_[x] <= saved_[x - 1]) {
        saved_[x] = saved_[x - 1];
        ending_[x] = kNone;
      }
      for (; next < last && candidates_[next].start == lo + x; ++next) try_early(next, x);
      for (std::uint32_t c = late_[x]; c != kNone; c = next_late_[c]) try_late(first + c, x);
      for (std::uint32_t c = fewer_[x]; c != kNone; c = next_fewer_[c]) try_fewer(first + c, x);
    }
  }

  // The most that chosen loops save that lie together in some stretch of `length` kernels.
  [[nodiscard]] std::uint32_t saved_in(std::uint32_t length) {
    ends_.clear();
    std::uint32_t best = 0;
    std::uint32_t sum = 0;  // of the loops ends_[last], ..., ends_.back(), from right to left
    std::size_t last = 0;
    for (auto x = static_cast<std::uint32_t>(saved_.size() - 1); x > 0;) {
      if (ending_[x] == kNone) {
        --x;
        continue;
      }
      ends_.push_back(x);
      sum += saved_by(x);
      x = from_[x];
      for (; ends_[last] > x + length; ++last) sum -= saved_by(ends_[last]);
      best = std::max(best, sum);
    }
    return best;
  }

  [[nodiscard]] std::vector<PlacedLoop> chosen() const {
    std::vector<PlacedLoop> loops;
    for (auto x = static_cast<std::uint32_t>(saved_.size() - 1); x > 0;) {
      if (ending_[x] == kNone) {
        --x;
        continue;
      }
      const LoopCandidate& candidate = candidates_[ending_[x]];
      const std::uint32_t start = from_[x];
      loops.push_back({candidate, lo_ + start, (x - start) / candidate.period});
      x = start;
    }
    std::reverse(loops.begin(), loops.end());
    return loops;
  }

 private:
  void reset(std::uint32_t lo, std::uint32_t hi, std::size_t first, std::size_t last,
             std::uint32_t limit) {
    lo_ = lo;
    hi_ = hi;
    first_ = first;
    limit_ = limit;
    const std::size_t size = std::size_t{hi - lo} + 1;
    saved_.assign(size, 0);
    ending_.assign(size, kNone);
    from_.resize(size);
    late_.assign(size, kNone);
    fewer_.assign(size, kNone);
    next_late_.resize(last - first);
    next_fewer_.resize(last - first);
  }

  // What the loop that ends at a place saves.
  [[nodiscard]] std::uint32_t saved_by(std::uint32_t end) const {
    return saved_[end] - saved_[from_[end]];
  }

  void try_early(std::size_t c, std::uint32_t x) {
    const LoopCandidate& candidate = candidates_[c];
    const std::uint32_t period = candidate.period;
    if (period >= limit_) return;
    const std::uint32_t length = length_of(candidate);
    const std::uint32_t complete = length / period;
    if (complete < 2) return;
    offer(c, x, complete);
    if (complete > 2) offer(c, x, complete - 1);
    const std::uint32_t slack = length - complete * period;
    if (slack > 0) push(late_, next_late_, c, x + slack);
    if (complete > 2) push(fewer_, next_fewer_, c, x + slack + period);
  }

  // Inside the window, and no longer than the body that it is measured for.
  [[nodiscard]] std::uint32_t length_of(const LoopCandidate& candidate) const {
    return std::min(std::min(candidate.end, hi_) - candidate.start, limit_);
  }

  // What the loop costs beyond its kernels, with its share of the exceptions.
  [[nodiscard]] std::uint32_t overhead(std::size_t c, std::uint32_t complete) const {
    const LoopCandidate& candidate = candidates_[c];
    if (candidate.exceptions == 0 || overheads_[c] == kNeverChosen) return overheads_[c];
    const std::uint32_t all = candidate.complete();
    return overheads_[c] + static_cast<std::uint32_t>(
                               (std::uint64_t{candidate.exceptions} * complete + all - 1) / all);
  }

  void push(std::vector<std::uint32_t>& heads, std::vector<std::uint32_t>& nexts, std::size_t c,
            std::uint32_t x) const {
    nexts[c - first_] = heads[x];
    heads[x] = static_cast<std::uint32_t>(c - first_);
  }

  void try_late(std::size_t c, std::uint32_t x) {
    const std::uint32_t earliest = candidates_[c].start - lo_;
    const std::uint32_t start = first_with(saved_[x], earliest, x);
    if (start == earliest) return;
    offer(c, start, length_of(candidates_[c]) / candidates_[c].period);
  }

  void try_fewer(std::size_t c, std::uint32_t x) {
    const std::uint32_t period = candidates_[c].period;
    const std::uint32_t start = first_with(saved_[x], x - period + 1, x);
    offer(c, start, length_of(candidates_[c]) / period - 1);
  }

  // The first place in [from, to] from which on this much is saved; saved_ never falls.
  [[nodiscard]] std::uint32_t first_with(std::uint32_t value, std::uint32_t from,
                                         std::uint32_t to) const {
    const auto begin = saved_.begin() + from;
    return static_cast<std::uint32_t>(std::lower_bound(begin, saved_.begin() + to + 1, value) -
                                      saved_.begin());
  }

  void offer(std::size_t c, std::uint32_t start, std::uint32_t complete) {
    const std::uint32_t length = complete * candidates_[c].period;
    const std::uint32_t cost = overhead(c, complete);
    if (length <= cost) return;
    const std::uint32_t value = saved_[start] + length - cost;
    const std::uint32_t end = start + length;
    if (value < saved_[end] || (value == saved_[end] && !wins_tie(c, start, end))) return;
    saved_[end] = value;
    ending_[end] = static_cast<std::uint32_t>(c);
    from_[end] = start;
  }

  // Of loops that save the same: the smaller period, then the one that begins earlier.
  [[nodiscard]] bool wins_tie(std::size_t c, std::uint32_t start, std::uint32_t end) const {
    if (ending_[end] == kNone) return false;
    const std::uint32_t other = candidates_[ending_[end]].period;
    if (candidates_[c].period != other) return candidates_[c].period < other;
    return start < from_[end];
  }

  std::span<const LoopCandidate> candidates_;
  std::span<const std::uint32_t> overheads_;
  std::uint32_t lo_ = 0;
  std::uint32_t hi_ = 0;
  std::size_t first_ = 0;
  std::uint32_t limit_ = 0;
  std::vector<std::uint32_t> saved_;   // by place: the most that loops ending there or before save
  std::vector<std::uint32_t> ending_;  // by place: the loop that ends there in the best schedule
  std::vector<std::uint32_t> from_;    // ... and where it begins
  std::vector<std::uint32_t> late_;    // by place: lists of candidates to look at again there
  std::vector<std::uint32_t> fewer_;
  std::vector<std::uint32_t> next_late_;
  std::vector<std::uint32_t> next_fewer_;
  std::vector<std::uint32_t> ends_;
};

// What describing each candidate costs beyond its kernels and exceptions: by increasing period, so
// that the loops inside a body are known; equal bodies are worked out once.
class Overheads {
 public:
  Overheads(std::span<const LoopCandidate> candidates, const algo::SequenceHash& hash,
            double pass_tolerance)
      : candidates_(candidates), hash_(hash), overheads_(candidates.size(), kLoopCost) {
    std::vector<std::uint32_t> order(candidates.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return candidates[a].period < candidates[b].period;
    });
    Schedule schedule(candidates_, overheads_);
    std::uint32_t period = 0;
    for (const std::uint32_t c : order) {
      // Costs are only shared between loops of one period.
      if (candidates[c].period != period) known_.clear();
      period = candidates[c].period;
      const std::uint32_t body = cost_of_body(c, schedule);
      overheads_[c] = kLoopCost + body;
      if (is_too_loose(candidates[c], body, pass_tolerance)) overheads_[c] = kNeverChosen;
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> all() const { return overheads_; }

 private:
  [[nodiscard]] std::uint32_t cost_of_body(std::size_t c, Schedule& schedule) {
    const LoopCandidate& candidate = candidates_[c];
    if (candidate.period < kShortestBodyWithLoops) return candidate.period;
    if (candidate.level != SymbolLevel::kName) return measured_cost(c, schedule);
    const std::uint64_t print = hash_.fingerprint(candidate.root, candidate.period);
    const auto [found, is_new] = known_.try_emplace(print, 0);
    if (is_new) found->second = measured_cost(c, schedule);
    return found->second;
  }

  // Over two periods, wherever in them the body is best begun: that is free of the accident of
  // where the run begins. A loop across two bodies counts in one of them only.
  [[nodiscard]] std::uint32_t measured_cost(std::size_t c, Schedule& schedule) const {
    const std::uint32_t start = candidates_[c].start;
    const std::uint32_t period = candidates_[c].period;
    const std::uint32_t end = start + 2 * period;
    const auto first = std::lower_bound(
        candidates_.begin(), candidates_.end(), start,
        [](const LoopCandidate& candidate, std::uint32_t x) { return candidate.start < x; });
    const auto last = std::lower_bound(
        first, candidates_.end(), end,
        [](const LoopCandidate& candidate, std::uint32_t x) { return candidate.start < x; });
    schedule.run(start, end, static_cast<std::size_t>(first - candidates_.begin()),
                 static_cast<std::size_t>(last - candidates_.begin()), period);
    return period - std::min(period - 1, schedule.saved_in(period));
  }

  // Passes of two phases are alike by role and nothing else: a body that is mostly loops must have
  // the same names.
  [[nodiscard]] static bool is_too_loose(const LoopCandidate& candidate, std::uint32_t body,
                                         double tolerance) {
    const bool holds_loops = body < candidate.period - candidate.period / kMostlyLoops;
    return holds_loops &&
           candidate.exceptions > tolerance * candidate.complete() * candidate.period;
  }

  static constexpr std::uint32_t kShortestBodyWithLoops = 4;
  static constexpr std::uint32_t kMostlyLoops = 3;

  std::span<const LoopCandidate> candidates_;
  const algo::SequenceHash& hash_;
  std::vector<std::uint32_t> overheads_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by fingerprint of the body
};

}  // namespace

std::vector<PlacedLoop> choose_loops(std::span<const LoopCandidate> candidates,
                                     const algo::SequenceHash& hash, double pass_tolerance) {
  if (candidates.empty()) return {};
  const Overheads overheads(candidates, hash, pass_tolerance);
  Schedule schedule(candidates, overheads.all());
  const auto size = static_cast<std::uint32_t>(hash.symbols().size());
  schedule.run(0, size, 0, candidates.size(), size + 1);
  return schedule.chosen();
}

}  // namespace lockstep::analysis::cycles
