// Steps from both ends of a loop, one tolerant iteration at a time.
#include "analysis/cycles/nest/loop_growth.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "algo/sequences/edit_distance.h"

namespace lockstep::analysis::cycles {
namespace {

// Beyond its own repetition a layer loop takes one iteration on each side, no more: roles alone are
// weak evidence.
constexpr std::uint32_t kLayerSteps = 1;

// What may lie under a growing loop: nothing, or loops of less than half its period (the layers of
// a pass), or loops of about its own period (the passes on the other side of an exception).
enum class Ground { kFree, kKin, kBlocked };

class Growth {
 public:
  Growth(const Stretch& stretch, const GrowthTolerance& tolerance, std::vector<FoundLoop>& loops,
         std::size_t self)
      : stretch_(stretch),
        loops_(loops),
        self_(self),
        loop_(loops[self]),
        right_(self + 1),
        left_(self) {
    by_role_ = !loop_.holds_loop && tells_by_role();
    likeness_ = tolerance.pass;
    // Loops that hold none have little to tell a kernel that was added from one of their own.
    if (!loop_.holds_loop) likeness_.added = likeness_.replaced;
    const double share = by_role_ ? tolerance.layer : likeness_.replaced;
    limit_ = std::min(kMostEdits, static_cast<std::uint32_t>(share * loop_.period));
    reach_ = by_role_ ? limit_ : std::max(limit_, most_edits(likeness_, loop_.period));
    level_ = by_role_ ? SymbolLevel::kRole : SymbolLevel::kName;
  }

  bool run() {
    if (limit_ == 0) return false;
    // A run that the begin of the capture cut off has borders by accident: what its remainder lacks
    // need not be an iteration.
    if (by_role_ && loop_.run_start == 0) return false;
    const FoundLoop seed = loop_;
    grow();
    if (!by_role_) try_other_borders(seed);
    if (loop_.run_end - loop_.run_start == loop_.period) adopt_usual_period();
    if (loop_.iterations == seed.iterations) return false;
    if (level_ == SymbolLevel::kName) settle_body(stretch_.stream.names, loop_);
    return true;
  }

  // Lays the iterations so that one begins with kernel `first`, which lies in the loop, and grows
  // again from there.
  void lay_from(std::uint32_t first) {
    const std::uint32_t period = loop_.period;
    const std::uint32_t in_run =
        loop_.run_start + (first + period - loop_.run_start % period) % period;
    if (in_run + period <= loop_.run_end) {
      first = in_run;
    } else {
      if (first + period > loop_.end() && first >= loop_.start() + period) first -= period;
      if (first + period > stretch_.hi) return;
      loop_.run_start = first;
      loop_.run_end = first + period;
    }
    lay(first);
    settle_body(stretch_.stream.names, loop_);
  }

 private:
  // An iteration next to the loop, and how far it is from the body.
  struct Step {
    Iteration iteration;
    std::uint32_t distance = 0;  // by name, which is what exceptions count
  };

  [[nodiscard]] std::vector<std::uint32_t> symbols(std::uint32_t lo, std::uint32_t hi) const {
    return stretch_.stream.sequence(level_, lo, hi);
  }

  // Roles say little of a short body, and nothing of one whose kernels nobody knows.
  [[nodiscard]] bool tells_by_role() const {
    if (loop_.period < kShortestTolerantPeriod) return false;
    for (std::uint32_t i = 0; i < loop_.period; ++i) {
      if (is_heavy(stretch_.stream.symbol(loop_.body_start + i).facts.role)) return true;
    }
    return false;
  }

  [[nodiscard]] Ground ground_of(const FoundLoop& other) const {
    const std::uint32_t period = loop_.period;
    if (2 * other.period <= period + limit_) return Ground::kFree;
    const std::uint32_t apart =
        other.period > period ? other.period - period : period - other.period;
    return apart <= limit_ ? Ground::kKin : Ground::kBlocked;
  }

  // What lies on one side of the loop, up to `reach` kernels away.
  struct View {
    std::uint32_t end = 0;     // as far as the loop may grow
    bool touches_kin = false;  // a loop of about the same period lies there
  };

  [[nodiscard]] View look_right(std::uint32_t at, std::uint32_t reach) {
    View view{at + std::min(reach, stretch_.hi - at), false};
    while (right_ < loops_.size() && is_behind(loops_[right_], at)) ++right_;
    for (std::size_t i = right_; i < loops_.size(); ++i) {
      if (loops_[i].is_gone()) continue;
      if (loops_[i].start() >= view.end) break;
      const Ground ground = ground_of(loops_[i]);
      if (ground == Ground::kBlocked) view.end = std::max(at, loops_[i].start());
      if (ground == Ground::kKin) view.touches_kin = true;
    }
    return view;
  }
  [[nodiscard]] static bool is_behind(const FoundLoop& loop, std::uint32_t at) {
    return loop.is_gone() || loop.end() <= at;
  }

  [[nodiscard]] View look_left(std::uint32_t at, std::uint32_t reach) {
    View view{at - std::min(reach, at - stretch_.lo), false};
    while (left_ > 0 && is_ahead(loops_[left_ - 1], at)) --left_;
    for (std::size_t i = left_; i-- > 0;) {
      if (loops_[i].is_gone()) continue;
      if (loops_[i].end() <= view.end) break;
      const Ground ground = ground_of(loops_[i]);
      if (ground == Ground::kBlocked) view.end = std::min(at, loops_[i].end());
      if (ground == Ground::kKin) view.touches_kin = true;
    }
    return view;
  }
  [[nodiscard]] static bool is_ahead(const FoundLoop& loop, std::uint32_t at) {
    return loop.is_gone() || loop.start() >= at;
  }

  void grow() {
    body_ = symbols(loop_.body_start, loop_.body_start + loop_.period);
    grow_right();
    grow_left();
  }

  // Kernels before the loop that are the end of one more iteration: those that equal it, or all
  // that are left of the stretch where they are nearly equal.
  [[nodiscard]] std::uint32_t kernels_left() const {
    const std::span<const std::uint32_t> names = stretch_.stream.names;
    const std::uint32_t start = loop_.start();
    const std::uint32_t most = std::min(start - stretch_.lo, loop_.period - 1);
    const auto body = names.subspan(loop_.body_start, loop_.period);
    std::uint32_t equal = 0;
    while (equal < most && names[start - equal - 1] == body[loop_.period - equal - 1]) ++equal;
    if (equal == most || start - stretch_.lo > most) return equal;
    const auto limit = static_cast<std::uint32_t>(std::uint64_t{limit_} * most / loop_.period);
    const auto nearest = algo::nearest_suffix(names.subspan(stretch_.lo, most), body, limit);
    return nearest ? std::min(nearest->length, loop_.period - 1) : equal;
  }

  // An exception may have cut the run off in the middle of an iteration. So the iterations are also
  // laid from the end of the run backwards, and so that the first one begins as early as it can.
  // What gives the most iterations stays, then what has the fewest exceptions.
  void try_other_borders(const FoundLoop& seed) {
    if (seed.run_end - seed.run_start == seed.period) return try_earliest();
    const std::uint32_t complete = (seed.run_end - seed.run_start) / seed.period;
    try_from(seed.run_end - complete * seed.period);
    const std::uint32_t left = kernels_left();
    if (left == 0) return;
    // Counted from the run in both directions: the body may lie before what is left of it.
    const auto apart = std::int64_t{loop_.body_start} - left - seed.run_start;
    const auto period = std::int64_t{seed.period};
    try_from(seed.run_start + static_cast<std::uint32_t>((apart % period + period) % period));
  }

  // The same for a seed of one iteration, which is no repetition and can lie anywhere.
  void try_earliest() {
    const std::uint32_t left = kernels_left();
    if (left == 0 || loop_.iterations.size() < 2) return;
    FoundLoop before = loop_;
    loop_.run_start = loop_.iterations[1].start - left;
    loop_.run_end = loop_.run_start + loop_.period;
    if (loop_.run_end > stretch_.hi) {
      loop_ = std::move(before);
      return;
    }
    try_from(loop_.run_start);
    if (rank(before) <= rank(loop_)) loop_ = std::move(before);
  }

  // A seed of one iteration may have had a kernel more or less than most: theirs is the period.
  void adopt_usual_period() {
    std::map<std::uint32_t, std::uint32_t> sizes;
    for (const Iteration& iteration : loop_.iterations) ++sizes[iteration.size()];
    const auto usual =
        std::max_element(sizes.begin(), sizes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (usual->first == loop_.period) return;
    const auto model =
        std::find_if(loop_.iterations.begin(), loop_.iterations.end(),
                     [&](const Iteration& iteration) { return iteration.size() == usual->first; });
    FoundLoop before = loop_;
    loop_.period = usual->first;
    loop_.run_start = model->start;
    loop_.run_end = model->end;
    lay(loop_.run_start);
    if (loop_.iterations.size() < before.iterations.size()) loop_ = std::move(before);
  }

  void try_from(std::uint32_t first) {
    if (first + loop_.period > loop_.run_end) return;
    FoundLoop before = loop_;
    lay(first);
    if (rank(before) <= rank(loop_)) loop_ = std::move(before);
  }

  void lay(std::uint32_t first) {
    lay_iterations(stretch_.stream.names, first, (loop_.run_end - first) / loop_.period, loop_);
    right_ = self_ + 1;
    left_ = self_;
    grow();
  }

  // Smaller is better.
  [[nodiscard]] static std::tuple<std::int64_t, std::uint64_t, std::uint32_t> rank(
      const FoundLoop& loop) {
    return {-static_cast<std::int64_t>(loop.iterations.size()), loop.exceptions, loop.start()};
  }

  void grow_right() {
    std::uint32_t strange = 0;  // steps outside any loop of this kind, since the last inside
    while (strange < steps()) {
      const std::uint32_t at = loop_.end();
      const View view = look_right(at, loop_.period + reach_);
      const std::optional<Step> step = step_right(at, view.end);
      if (!step) break;
      strange = view.touches_kin ? 0 : strange + 1;
      loop_.iterations.push_back(step->iteration);
      loop_.exceptions += step->distance;
    }
  }

  void grow_left() {
    std::uint32_t strange = 0;
    std::vector<Iteration> before;
    std::uint32_t at = loop_.start();
    while (strange < steps()) {
      const View view = look_left(at, loop_.period + reach_);
      const std::optional<Step> step = step_left(at, view.end);
      if (!step) break;
      strange = view.touches_kin ? 0 : strange + 1;
      before.push_back(step->iteration);
      at = step->iteration.start;
      loop_.exceptions += step->distance;
    }
    loop_.iterations.insert(loop_.iterations.begin(), before.rbegin(), before.rend());
  }

  [[nodiscard]] std::uint32_t steps() const { return by_role_ ? kLayerSteps : stretch_.size(); }

  [[nodiscard]] std::optional<Step> step_right(std::uint32_t at, std::uint32_t end) const {
    if (at >= end) return std::nullopt;
    if (is_body(at, end)) return Step{{at, at + loop_.period}, 0};
    const auto match = algo::nearest_prefix(body_, symbols(at, end), reach_);
    if (!match) return std::nullopt;
    const auto fits = [&](std::uint32_t length) {
      return length <= end - at &&
             (at + length == stretch_.hi || is_body(at + length, stretch_.hi));
    };
    return judged({at, at + settled(*match, fits, [&](std::uint32_t length) {
                         return symbols(at, at + length);
                       })});
  }

  [[nodiscard]] std::optional<Step> step_left(std::uint32_t at, std::uint32_t end) const {
    if (at <= end) return std::nullopt;
    if (at - end >= loop_.period && is_body(at - loop_.period, at))
      return Step{{at - loop_.period, at}, 0};
    const auto match = algo::nearest_suffix(body_, symbols(end, at), reach_);
    if (!match) return std::nullopt;
    const auto fits = [&](std::uint32_t length) {
      if (length > at - end) return false;
      const std::uint32_t start = at - length;
      return start == stretch_.lo ||
             (start - stretch_.lo >= loop_.period && is_body(start - loop_.period, start));
    };
    return judged(
        {at - settled(*match, fits, [&](std::uint32_t length) { return symbols(at - length, at); }),
         at});
  }

  // Of lengths at the same distance, the one next to which the body lies again, or the edge: a
  // foreign kernel beside a border belongs to either side, or is taken for a replaced one.
  template <typename Fits, typename SymbolsOf>
  [[nodiscard]] std::uint32_t settled(const algo::NearestPart& match, const Fits& fits,
                                      const SymbolsOf& symbols_of) const {
    if (fits(match.length)) return match.length;
    for (std::uint32_t by = 1; by <= match.distance; ++by) {
      for (const std::uint32_t length : {match.length + by, match.length - by}) {
        if (length > 0 && length < match.length + loop_.period && fits(length) &&
            algo::bounded_edit_distance(body_, symbols_of(length), match.distance))
          return length;
      }
    }
    return match.length;
  }

  [[nodiscard]] bool is_body(std::uint32_t at, std::uint32_t end) const {
    if (end - at < loop_.period) return false;
    const auto& names = stretch_.stream.names;
    return std::equal(names.begin() + at, names.begin() + at + loop_.period,
                      names.begin() + loop_.body_start);
  }

  // A pass that the capture cut off is a partial iteration, however little it lacks. One that has
  // its kernel at that edge lacks another, if it is not all the same there.
  [[nodiscard]] bool is_cut_off(const Iteration& iteration) const {
    if (by_role_ || iteration.size() >= loop_.period) return false;
    const std::span<const std::uint32_t> names = stretch_.stream.names;
    const auto body = names.subspan(loop_.body_start, loop_.period);
    const auto there = names.subspan(iteration.start, iteration.size());
    const bool lacks_begin =
        there.front() != body.front() || std::ranges::equal(there, body.last(there.size()));
    const bool lacks_end =
        there.back() != body.back() || std::ranges::equal(there, body.first(there.size()));
    return (iteration.start == stretch_.lo && lacks_begin) ||
           (iteration.end == stretch_.hi && lacks_end);
  }

  // Whatever it is found by, no more than the same share of its names may differ.
  [[nodiscard]] std::optional<Step> judged(Iteration iteration) const {
    if (iteration.size() == 0 || is_cut_off(iteration)) return std::nullopt;
    const std::span<const std::uint32_t> names = stretch_.stream.names;
    const auto body = names.subspan(loop_.body_start, loop_.period);
    const auto there = names.subspan(iteration.start, iteration.size());
    const auto distance = by_role_ ? algo::bounded_edit_distance(body, there, limit_)
                                   : distance_if_alike(likeness_, body, there);
    if (!distance) return std::nullopt;
    return Step{iteration, *distance};
  }

  const Stretch& stretch_;
  std::vector<FoundLoop>& loops_;
  std::size_t self_;
  FoundLoop& loop_;
  std::size_t right_;  // loops before this one, from the loop itself on, have been passed
  std::size_t left_;   // the same to the left, one further
  bool by_role_ = false;
  Likeness likeness_;
  std::uint32_t limit_ = 0;  // edits that loops of the same kind may differ by
  std::uint32_t reach_ = 0;  // edits that an iteration may differ by
  SymbolLevel level_ = SymbolLevel::kName;
  std::vector<std::uint32_t> body_;
};

std::uint32_t kernels_of(const FoundLoop& loop) {
  return loop.is_gone() ? 0 : loop.end() - loop.start();
}

}  // namespace

bool grow_loop(const Stretch& stretch, const GrowthTolerance& tolerance,
               std::vector<FoundLoop>& loops, std::size_t index) {
  if (!Growth(stretch, tolerance, loops, index).run()) return false;
  clear_overlapped(loops, index);
  return true;
}

void lay_loop(const Stretch& stretch, const GrowthTolerance& tolerance,
              std::vector<FoundLoop>& loops, std::size_t index, std::uint32_t first) {
  Growth(stretch, tolerance, loops, index).lay_from(first);
}

bool grow_loops(const Stretch& stretch, const GrowthTolerance& tolerance,
                std::vector<FoundLoop>& loops) {
  std::vector<std::size_t> order(loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return kernels_of(loops[a]) > kernels_of(loops[b]);
  });
  bool has_grown = false;
  for (const std::size_t i : order) {
    if (loops[i].is_gone()) continue;
    if (grow_loop(stretch, tolerance, loops, i)) has_grown = true;
  }
  std::erase_if(loops, [](const FoundLoop& loop) { return loop.is_gone(); });
  return has_grown;
}

}  // namespace lockstep::analysis::cycles
