// Steps from both ends of a loop, one tolerant iteration at a time.
#include "analysis/cycles/nest/loop_growth.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "algo/sequences/edit_distance.h"
#include "analysis/cycles/nest/loop_neighbours.h"

namespace lockstep::analysis::cycles {
namespace {

// Beyond its own repetition a layer loop takes one iteration on each side, no more: roles alone are
// weak evidence. Where names are alike behind it, the loop goes on.
constexpr std::uint32_t kLayerSteps = 1;

class Growth {
 public:
  Growth(const Stretch& stretch, const GrowthTolerance& tolerance, std::vector<FoundLoop>& loops,
         std::size_t self)
      : stretch_(stretch), loop_(loops[self]), neighbours_(stretch, loops, self) {
    by_role_ = !loop_.holds_loop && tells_by_role();
    likeness_ = tolerance.pass;
    goes_on_ = !by_role_ || tolerance.layers_go_on;
    // Loops that hold none have little to tell a kernel that was added from one of their own.
    if (!loop_.holds_loop) likeness_.added = likeness_.replaced;
    const double share = by_role_ ? tolerance.layer : likeness_.replaced;
    limit_ = std::min(kMostEdits, static_cast<std::uint32_t>(share * loop_.period));
    neighbours_.set_limit(limit_);
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
    if (goes_on_) try_other_borders(seed);
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
    if (rank(before) <= rank(loop_) || lies_on_another()) loop_ = std::move(before);
  }

  // The run that layers come from may go on under the pass behind them, which wins.
  [[nodiscard]] bool lies_on_another() const { return by_role_ && neighbours_.lie_under(); }

  void lay(std::uint32_t first) {
    lay_iterations(stretch_.stream.names, first, (loop_.run_end - first) / loop_.period, loop_);
    neighbours_.look_again();
    grow();
  }

  // Smaller is better.
  [[nodiscard]] static std::tuple<std::int64_t, std::uint64_t, std::uint32_t> rank(
      const FoundLoop& loop) {
    return {-static_cast<std::int64_t>(loop.iterations.size()), loop.exceptions, loop.start()};
  }

  void grow_right() {
    std::uint32_t strange = 0;  // steps outside any loop of this kind, since the last inside
    while (true) {
      const std::uint32_t at = loop_.end();
      const SideView view = neighbours_.look_right(at, loop_.period + reach_);
      const std::optional<Step> step = step_right(at, view.end);
      if (!step || !may_follow(*step, view, strange)) break;
      loop_.iterations.push_back(step->iteration);
      loop_.exceptions += step->distance;
    }
  }

  void grow_left() {
    std::uint32_t strange = 0;
    std::vector<Iteration> before;
    std::uint32_t at = loop_.start();
    while (true) {
      const SideView view = neighbours_.look_left(at, loop_.period + reach_);
      const std::optional<Step> step = step_left(at, view.end);
      if (!step || !may_follow(*step, view, strange)) break;
      before.push_back(step->iteration);
      at = step->iteration.start;
      loop_.exceptions += step->distance;
    }
    loop_.iterations.insert(loop_.iterations.begin(), before.rbegin(), before.rend());
  }

  // Counts steps that neither a loop of this kind nor their names confirm.
  [[nodiscard]] bool may_follow(const Step& step, const SideView& view,
                                std::uint32_t& strange) const {
    const bool is_confirmed =
        view.touches_kin || (goes_on_ && step.distance <= likeness_.replaced * loop_.period);
    if (!is_confirmed && strange == steps()) return false;
    strange = is_confirmed ? 0 : strange + 1;
    return true;
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
  FoundLoop& loop_;
  LoopNeighbours neighbours_;
  bool by_role_ = false;
  bool goes_on_ = true;
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
