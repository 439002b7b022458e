// Turns maximal repetitions into candidates, and judges those that are only alike.
#include "analysis/cycles/nest/loop_candidates.h"

#include <algorithm>
#include <tuple>

#include "algo/sequences/repetitions.h"
#include "analysis/cycles/nest/found_loop.h"

namespace lockstep::analysis::cycles {
namespace {

// An exact repetition of the same period that covers so much of a tolerant one makes it needless.
constexpr double kCoveredByExact = 0.9;
// Names compared in all, in multiples of the sequence: adversarial input has many nested runs.
constexpr std::uint64_t kExceptionWork = 64;

bool is_before(const LoopCandidate& a, const LoopCandidate& b) {
  return std::tuple(a.start, a.period, a.end) < std::tuple(b.start, b.period, b.end);
}

// By (period, start): exact candidates of one period lie together.
class ExactByPeriod {
 public:
  explicit ExactByPeriod(std::span<const LoopCandidate> exact) {
    for (const LoopCandidate& candidate : exact) {
      if (candidate.period >= kShortestTolerantPeriod) sorted_.push_back(candidate);
    }
    std::sort(sorted_.begin(), sorted_.end(), [](const LoopCandidate& a, const LoopCandidate& b) {
      return std::tuple(a.period, a.start) < std::tuple(b.period, b.start);
    });
  }

  // Repetitions of one period overlap by less than it, so that only two can cover so much.
  [[nodiscard]] bool mostly_cover(const LoopCandidate& candidate) const {
    const auto after = std::lower_bound(
        sorted_.begin(), sorted_.end(), candidate, [](const auto& a, const auto& b) {
          return std::tuple(a.period, a.start) < std::tuple(b.period, b.start);
        });
    return (after != sorted_.end() && covers(*after, candidate)) ||
           (after != sorted_.begin() && covers(*std::prev(after), candidate));
  }

 private:
  [[nodiscard]] static bool covers(const LoopCandidate& exact, const LoopCandidate& candidate) {
    const std::uint32_t low = std::max(exact.start, candidate.start);
    const std::uint32_t high = std::min(exact.end, candidate.end);
    return exact.period == candidate.period && high > low &&
           high - low >= kCoveredByExact * (candidate.end - candidate.start);
  }

  std::vector<LoopCandidate> sorted_;
};

// How many heavy kernels lie before each place.
std::vector<std::uint32_t> heavy_before(const Stretch& stretch) {
  std::vector<std::uint32_t> counts(std::size_t{stretch.size()} + 1, 0);
  for (std::uint32_t i = 0; i < stretch.size(); ++i) {
    const bool heavy = is_heavy(stretch.stream.symbol(stretch.lo + i).facts.role);
    counts[i + 1] = counts[i] + (heavy ? 1 : 0);
  }
  return counts;
}

// Longest first, so that what the limit on work cuts off matters least.
bool is_longer(const LoopCandidate& a, const LoopCandidate& b) {
  return std::tuple(b.end - b.start, a.start, a.period) <
         std::tuple(a.end - a.start, b.start, b.period);
}

}  // namespace

std::vector<LoopCandidate> exact_candidates(const algo::SequenceHash& hash) {
  std::vector<LoopCandidate> candidates;
  std::vector<algo::Repetition> runs = algo::maximal_repetitions(hash);
  candidates.reserve(runs.size());
  for (const algo::Repetition& run : runs) {
    const LoopCandidate candidate{run.start,          run.end,   run.period, run.root, 0,
                                  SymbolLevel::kName, run.start, run.end};
    // What cannot save anything, whatever its body costs, is left out early.
    if (candidate.complete() * run.period > kLoopCost + 1) candidates.push_back(candidate);
  }
  return candidates;
}

std::vector<LoopCandidate> bridged_candidates(const algo::SequenceHash& hash,
                                              std::span<const LoopCandidate> exact,
                                              double tolerance) {
  struct Run {
    std::uint64_t body;
    LoopCandidate candidate;
  };
  std::vector<Run> runs;
  for (const LoopCandidate& candidate : exact) {
    if (candidate.period * tolerance < 1) continue;
    runs.push_back({hash.fingerprint(candidate.root, candidate.period), candidate});
  }
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tuple(a.candidate.period, a.body) < std::tuple(b.candidate.period, b.body);
  });
  std::vector<LoopCandidate> bridged;
  for (std::size_t i = 0; i < runs.size();) {
    LoopCandidate all = runs[i].candidate;
    const auto limit = static_cast<std::uint32_t>(tolerance * all.period);
    std::size_t next = i + 1;
    for (; next < runs.size(); ++next) {
      const LoopCandidate& run = runs[next].candidate;
      if (run.period != all.period || runs[next].body != runs[i].body) break;
      if (run.start > all.end + limit) break;
      all.exceptions += run.start >= all.end ? std::max(1U, run.start - all.end) : 1;
      all.end = std::max(all.end, run.end);
      if (run.end - run.start <= all.run_end - all.run_start) continue;
      all.root = run.root;
      all.run_start = run.start;
      all.run_end = run.end;
    }
    if (next > i + 1) bridged.push_back(all);
    i = next;
  }
  std::sort(bridged.begin(), bridged.end(), is_before);
  return bridged;
}

std::uint32_t count_exceptions(std::span<const std::uint32_t> names, std::uint32_t start,
                               std::uint32_t period, std::uint32_t complete) {
  std::uint32_t exceptions = 0;
  for (const ModalName& modal : modal_names(names, start, period, complete))
    exceptions += complete - modal.count;
  return exceptions;
}

std::vector<LoopCandidate> tolerant_candidates(const Stretch& stretch, SymbolLevel level,
                                               std::span<const LoopCandidate> exact,
                                               double tolerance) {
  const std::vector<std::uint32_t> sequence =
      stretch.stream.sequence(level, stretch.lo, stretch.hi);
  std::vector<LoopCandidate> alike = exact_candidates(algo::SequenceHash(sequence));
  std::erase_if(alike, [](const LoopCandidate& c) { return c.period < kShortestTolerantPeriod; });
  const ExactByPeriod by_period(exact);
  const std::vector<std::uint32_t> heavy = heavy_before(stretch);
  std::sort(alike.begin(), alike.end(), is_longer);
  std::uint64_t work = kExceptionWork * stretch.size();
  std::vector<LoopCandidate> candidates;
  for (LoopCandidate& candidate : alike) {
    if (heavy[candidate.start + candidate.period] == heavy[candidate.start]) continue;
    const std::uint32_t kernels = candidate.complete() * candidate.period;
    if (work < kernels) break;
    if (by_period.mostly_cover(candidate)) continue;
    work -= kernels;
    candidate.exceptions =
        count_exceptions(stretch.names(), candidate.start, candidate.period, candidate.complete());
    candidate.level = level;
    if (candidate.exceptions <= tolerance * kernels) candidates.push_back(candidate);
  }
  std::sort(candidates.begin(), candidates.end(), is_before);
  return candidates;
}

std::vector<LoopCandidate> merged_candidates(std::vector<LoopCandidate> a,
                                             std::vector<LoopCandidate> b) {
  if (b.empty()) return a;
  const auto middle = static_cast<std::ptrdiff_t>(a.size());
  a.insert(a.end(), b.begin(), b.end());
  std::inplace_merge(a.begin(), a.begin() + middle, a.end(), is_before);
  const auto is_same = [](const LoopCandidate& x, const LoopCandidate& y) {
    return x.start == y.start && x.end == y.end && x.period == y.period;
  };
  a.erase(std::unique(a.begin(), a.end(), is_same), a.end());
  return a;
}

}  // namespace lockstep::analysis::cycles
