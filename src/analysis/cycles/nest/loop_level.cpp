// Candidates, choice, growth, borders: one level of the nest from its kernels.
#include "analysis/cycles/nest/loop_level.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "algo/sequences/sequence_hash.h"
#include "analysis/cycles/nest/alternating_passes.h"
#include "analysis/cycles/nest/loop_cover.h"
#include "analysis/cycles/nest/loop_growth.h"
#include "analysis/cycles/passes/marked_passes.h"
#include "analysis/cycles/passes/recurring_passes.h"
#include "analysis/cycles/passes/sibling_passes.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::uint32_t kShortestGap = 4;
constexpr int kGapRounds = 3;
// How many times as long a description by marks may be, and how many classes of them are tried.
constexpr std::uint64_t kMarkedCost = 2;
constexpr std::size_t kMostAsked = 12;
// Exceptions that a place with a longer pause may cost: a kernel that one iteration lacks or has
// more.
constexpr std::uint64_t kPauseCost = 2;
// What the capture leaves of an iteration; less is a kernel that one iteration lacks or has more.
constexpr double kPieceOfIteration = 0.1;
constexpr std::uint32_t kAnyPeriod = std::numeric_limits<std::uint32_t>::max();

class LevelFinder {
 public:
  LevelFinder(const KernelStream& stream, const BorderMarks& marks, const CyclesOptions& options)
      : stream_(stream), marks_(marks), options_(options) {}

  [[nodiscard]] std::vector<FoundLoop> find(const Stretch& stretch, int rounds = kGapRounds) {
    std::vector<FoundLoop> loops = chosen(stretch);
    for (FoundLoop& loop : loops) look_inside(loop);
    grow_loops(stretch, tolerance(), loops);
    add_inexact_pass(stretch, loops);
    if (!options_.symbol) unfold_doubled(stream_, loops);
    place_borders(stretch, loops);
    prefer_marks(stretch, loops);
    if (!options_.symbol) unfold_alternating(stream_, tolerance().pass, loops);
    if (loops.empty() || rounds == 0) return loops;
    return with_gaps_filled(stretch, std::move(loops), rounds);
  }

 private:
  [[nodiscard]] GrowthTolerance tolerance() const {
    return {{options_.pass_tolerance, std::max(options_.pass_tolerance, options_.added_tolerance)},
            options_.layer_tolerance,
            !options_.symbol};
  }

  // What the user marked wins: steps always, other marks where they do not make the description
  // much longer, as marks of layers would. Steps that an optimizer closes may have any number of
  // micro-steps, so that kernels which not all of them have count for nothing, and no more do steps
  // that the capture cuts.
  void prefer_marks(const Stretch& stretch, std::vector<FoundLoop>& loops) const {
    if (options_.symbol || marks_.annotations.empty()) return;
    const std::uint64_t unmarked = cost_of(stretch, loops);
    std::vector<FoundLoop> best;
    std::uint64_t least = kMarkedCost * unmarked;
    std::size_t asked = 0;
    for (const MarkClass& mark : marks_.annotations) {
      std::vector<FoundLoop> marked = loops_between_marks(stretch, mark, tolerance().pass);
      if (marked.empty()) continue;
      if (++asked > kMostAsked) break;
      const std::uint64_t forgiven = mark.closes ? cost_of_odd_steps(stretch, marked) : 0;
      std::vector<FoundLoop> all = with_marked(std::move(marked), loops);
      std::uint64_t cost = cost_of(stretch, all);
      cost -= std::min(cost, forgiven);
      if (cost >= least && !mark.is_step) continue;
      best = std::move(all);
      least = cost;
      if (mark.is_step) break;
    }
    if (!best.empty()) loops = std::move(best);
  }

  [[nodiscard]] static std::uint64_t cost_of_odd_steps(const Stretch& stretch,
                                                       const std::vector<FoundLoop>& marked) {
    const std::uint32_t before = marked.front().start() - stretch.lo;
    const std::uint32_t behind = stretch.hi - marked.back().end();
    std::uint64_t cost = std::min(before, marked.front().period);
    cost += std::min(behind, marked.back().period);
    for (const FoundLoop& loop : marked) cost += loop.exceptions;
    return cost;
  }

  // In order; what marked ones overlap is gone.
  [[nodiscard]] static std::vector<FoundLoop> with_marked(std::vector<FoundLoop> marked,
                                                          const std::vector<FoundLoop>& loops) {
    for (const FoundLoop& loop : loops) {
      const bool is_free = std::ranges::none_of(marked, [&](const FoundLoop& other) {
        return other.start() < loop.end() && loop.start() < other.end();
      });
      if (is_free) marked.push_back(loop);
    }
    std::ranges::sort(marked, {}, &FoundLoop::start);
    return marked;
  }

  // A pass no two iterations of which are equal takes the place of its layers, if it has several.
  // Of several that could be it the one that describes the kernels shortest.
  void add_inexact_pass(const Stretch& stretch, std::vector<FoundLoop>& loops) const {
    if (options_.symbol) return;
    if (are_mostly_passes(stretch, loops)) return;
    std::vector<FoundLoop> seeds =
        passes_between(stretch, marked_starts(stretch), options_.pass_tolerance);
    if (seeds.empty()) seeds = passes_around_siblings(stretch, loops, options_.pass_tolerance);
    if (seeds.empty()) {
      if (auto seed = pass_by_recurrence(stretch, loops, options_.pass_tolerance))
        seeds.push_back(std::move(*seed));
    }
    if (seeds.empty()) return;
    std::vector<FoundLoop> best;
    std::uint64_t least = cost_of(stretch, loops);
    for (FoundLoop& seed : seeds) {
      std::vector<FoundLoop> with_pass = with_grown(stretch, loops, std::move(seed));
      const std::uint64_t cost = cost_of(stretch, with_pass);
      if (cost >= least) continue;
      best = std::move(with_pass);
      least = cost;
    }
    if (!best.empty()) loops = std::move(best);
  }

  // What describing the stretch by these loops costs.
  [[nodiscard]] std::uint64_t cost_of(const Stretch& stretch,
                                      const std::vector<FoundLoop>& loops) const {
    std::uint64_t cost = stretch.size();
    for (const FoundLoop& loop : loops) {
      cost += kLoopCost + (loop.holds_loop ? cost_of_body(loop) : loop.period) + loop.exceptions;
      cost -= loop.end() - loop.start();
    }
    return cost;
  }

  [[nodiscard]] static bool are_mostly_passes(const Stretch& stretch,
                                              const std::vector<FoundLoop>& loops) {
    std::uint64_t covered = 0;
    for (const FoundLoop& loop : loops) covered += loop.holds_loop ? loop.end() - loop.start() : 0;
    return 2 * covered >= stretch.size();
  }

  // Where the annotations begin that hold most of the stretch: the user says that these are passes.
  [[nodiscard]] std::vector<std::uint32_t> marked_starts(const Stretch& stretch) const {
    for (const MarkClass& mark : marks_.annotations) {
      if (2 * mark.kernels < stretch.size()) continue;
      const auto& marks = mark.first_kernels;
      const auto first = std::lower_bound(marks.begin(), marks.end(), stretch.lo);
      const auto last = std::lower_bound(first, marks.end(), stretch.hi);
      if (last - first >= 2) return {first, last};
    }
    return {};
  }

  // The loops with a pass grown from `seed` in their midst, if it does not stay alone.
  [[nodiscard]] std::vector<FoundLoop> with_grown(const Stretch& stretch,
                                                  std::vector<FoundLoop> loops,
                                                  FoundLoop seed) const {
    const auto at = std::upper_bound(
        loops.begin(), loops.end(), seed.start(),
        [](std::uint32_t start, const FoundLoop& loop) { return start < loop.start(); });
    const auto index = static_cast<std::size_t>(at - loops.begin());
    loops.insert(at, std::move(seed));
    clear_overlapped(loops, index);
    grow_loop(stretch, tolerance(), loops, index);
    if (loops[index].iterations.size() < 2) loops[index].iterations.clear();
    std::erase_if(loops, [](const FoundLoop& loop) { return loop.is_gone(); });
    return loops;
  }

  [[nodiscard]] std::uint64_t cost_of_body(const FoundLoop& pass) const {
    std::uint64_t cost = pass.period;
    for (const FoundLoop& inner :
         chosen({stream_, pass.body_start, pass.body_start + pass.period}, pass.period / 2))
      cost += kLoopCost + inner.period + inner.exceptions - (inner.end() - inner.start());
    return cost;
  }

  // Passes first: they may take the place of small loops in their own remainder, which are found
  // again on the other side. A pass that moves makes or takes room beside it, so once more.
  void place_borders(const Stretch& stretch, std::vector<FoundLoop>& loops) const {
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < loops.size(); ++i) {
        if (loops[i].is_gone() || !loops[i].holds_loop) continue;
        place_border(stretch, loops, i);
        clear_overlapped(loops, i);
      }
      std::erase_if(loops, [](const FoundLoop& loop) { return loop.is_gone(); });
    }
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (!loops[i].holds_loop) place_border(stretch, loops, i);
    }
  }

  // Between the neighbours that do not give way: all of them, for a loop that holds none. No move
  // is longer than a period.
  void place_border(const Stretch& stretch, std::vector<FoundLoop>& loops, std::size_t i) const {
    FoundLoop& loop = loops[i];
    const auto stays = [&](const FoundLoop& other) {
      return !other.is_gone() && (!loop.holds_loop || other.period >= loop.period / 2);
    };
    std::uint32_t lo = loop.start() - std::min(loop.period, loop.start() - stretch.lo);
    for (std::size_t before = i; before-- > 0;) {
      if (!loops[before].is_gone() && loops[before].end() <= lo) break;
      if (stays(loops[before])) lo = loops[before].end();
    }
    std::uint32_t hi = loop.end() + std::min(loop.period, stretch.hi - loop.end());
    for (std::size_t after = i + 1; after < loops.size(); ++after) {
      if (!loops[after].is_gone() && loops[after].start() >= hi) break;
      if (stays(loops[after])) hi = loops[after].start();
    }
    for (const BorderReach reach : {BorderReach::kBeyondSlack, BorderReach::kInSlack}) {
      if (begin_at(choose_border(stream_, marks_, lo, hi, loop, reach), {lo, hi}, stretch, loops,
                   i))
        return;
    }
  }

  // Where every iteration is the body they all move; else they are laid anew, because an exception
  // may lie where they moved over. A mark may cost the iteration that the capture cut off, and so
  // may a pause that keeps layers together. False where they stay where they were for that.
  bool begin_at(const BorderChoice& choice, Iteration bounds, const Stretch& stretch,
                std::vector<FoundLoop>& loops, std::size_t i) const {
    FoundLoop& loop = loops[i];
    loop.border = choice.evidence;
    if (choice.offset == 0 && choice.move.value_or(0) == 0) return true;
    if (choice.move && loop.is_exact()) {
      move_by(*choice.move, loop);
      return true;
    }
    const FoundLoop before = loop;
    lay_loop(stretch, tolerance(), loops, i, loop.body_start + choice.offset);
    const bool is_pause = choice.evidence == BorderEvidence::kGap;
    const bool is_kept = is_pause && !choice.move ? costs_little(before, loop, bounds)
                                                  : loop.iterations.size() + (is_pause ? 0 : 1) >=
                                                        before.iterations.size();
    if (is_kept && loop.iterations.size() >= 2) return true;
    loop = before;
    return false;
  }

  [[nodiscard]] static bool costs_little(const FoundLoop& before, const FoundLoop& moved,
                                         Iteration bounds) {
    if (moved.is_gone() || moved.start() < bounds.start || moved.end() > bounds.end) return false;
    if (moved.exceptions > before.exceptions + kPauseCost) return false;
    if (moved.iterations.size() >= before.iterations.size()) return true;
    // The pieces of two iterations that the capture cuts are together as long as one.
    const double least = kPieceOfIteration * moved.period;
    return moved.iterations.size() + 1 == before.iterations.size() &&
           moved.start() >= before.start() + least && moved.end() + least <= before.end();
  }

  // What lies between loops is looked at again on its own: a repetition there may have lost its
  // kernels to a neighbour that has grown, or may have overlapped it.
  [[nodiscard]] std::vector<FoundLoop> with_gaps_filled(const Stretch& stretch,
                                                        std::vector<FoundLoop> loops, int rounds) {
    std::vector<FoundLoop> all;
    std::uint32_t at = stretch.lo;
    const auto fill = [&](std::uint32_t end) {
      if (end < at + kShortestGap) return;
      std::vector<FoundLoop> more = find({stream_, at, end}, rounds - 1);
      std::move(more.begin(), more.end(), std::back_inserter(all));
    };
    for (FoundLoop& loop : loops) {
      fill(loop.start());
      at = loop.end();
      all.push_back(std::move(loop));
    }
    fill(stretch.hi);
    return all;
  }

  // The loops of a period up to `longest` that describe the stretch best.
  [[nodiscard]] std::vector<FoundLoop> chosen(const Stretch& stretch,
                                              std::uint32_t longest = kAnyPeriod) const {
    const std::vector<std::uint32_t> sequence =
        stream_.sequence(options_.symbol.value_or(SymbolLevel::kName), stretch.lo, stretch.hi);
    const algo::SequenceHash hash(sequence);
    std::vector<LoopCandidate> candidates = exact_candidates(hash);
    std::vector<LoopCandidate> bridged =
        bridged_candidates(hash, candidates, options_.pass_tolerance);
    if (!options_.symbol) add_tolerant(stretch, candidates);
    candidates = merged_candidates(std::move(candidates), std::move(bridged));
    std::erase_if(candidates, [&](const LoopCandidate& c) { return c.period > longest; });
    std::vector<FoundLoop> loops;
    for (const PlacedLoop& placed : choose_loops(candidates, hash, options_.pass_tolerance))
      loops.push_back(found(stretch, placed));
    return loops;
  }

  void add_tolerant(const Stretch& stretch, std::vector<LoopCandidate>& candidates) const {
    const std::size_t names = stream_.alphabet(SymbolLevel::kName, stretch.lo, stretch.hi);
    std::vector<LoopCandidate> tolerant;
    for (const SymbolLevel level : {SymbolLevel::kSignature, SymbolLevel::kRole}) {
      // Every name may be a symbol of its own there.
      if (stream_.alphabet(level, stretch.lo, stretch.hi) == names) continue;
      tolerant = merged_candidates(
          std::move(tolerant),
          tolerant_candidates(stretch, level, candidates, options_.layer_tolerance));
    }
    candidates = merged_candidates(std::move(candidates), std::move(tolerant));
  }

  [[nodiscard]] FoundLoop found(const Stretch& stretch, const PlacedLoop& placed) const {
    FoundLoop loop;
    loop.period = placed.candidate.period;
    loop.level = options_.symbol.value_or(placed.candidate.level);
    loop.run_start = stretch.lo + placed.candidate.run_start;
    loop.run_end = stretch.lo + placed.candidate.run_end;
    // Only the exact part of a bridged candidate; growth finds its way across the exceptions.
    std::uint32_t start = std::max(loop.run_start, stretch.lo + placed.start);
    std::uint32_t end = std::min(loop.run_end, stretch.lo + placed.end());
    if (end < start + loop.period) {
      start = loop.run_start;
      end = loop.run_end;
    }
    lay_iterations(stream_.names, start, (end - start) / loop.period, loop);
    return loop;
  }

  // Over two periods, so that it does not matter where the body is cut.
  void look_inside(FoundLoop& loop) const {
    if (loop.period < kSmallestInnerPeriod * kFewestInnerIterations) return;
    const std::uint32_t end = std::min(loop.run_start + 2 * loop.period, loop.run_end);
    const std::vector<FoundLoop> all =
        chosen({stream_, loop.run_start, end}, loop.period / kFewestInnerIterations);
    for (const FoundLoop& found : all) {
      if (is_real_work(found)) loop.inner.push_back(inner_run(loop, found));
    }
    loop.holds_loop = !loop.inner.empty();
  }

  // The repetition may begin before the run does, or go on behind it.
  [[nodiscard]] InnerRun inner_run(const FoundLoop& loop, const FoundLoop& found) const {
    InnerRun run{found.start(), found.end(), found.period};
    if (found.level != SymbolLevel::kName) return run;
    const std::int64_t turn = loop.period;
    const auto name = [&](std::int64_t at) {
      const std::int64_t there = at < loop.run_start ? at + turn
                                 : at < loop.run_end ? at
                                                     : at - turn;
      return stream_.names[static_cast<std::size_t>(there)];
    };
    run.start = found.run_start;
    run.end = found.run_end;
    while (run.end - run.start < turn && name(run.end) == name(run.end - run.period)) ++run.end;
    while (run.end - run.start < turn && name(run.start - 1) == name(run.start - 1 + run.period))
      --run.start;
    return run;
  }

  const KernelStream& stream_;
  const BorderMarks& marks_;
  const CyclesOptions& options_;
};

}  // namespace

std::vector<FoundLoop> find_level(const Stretch& stretch, const BorderMarks& marks,
                                  const CyclesOptions& options) {
  return LevelFinder(stretch.stream, marks, options).find(stretch);
}

}  // namespace lockstep::analysis::cycles
