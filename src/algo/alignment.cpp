// Needleman-Wunsch with Hirschberg's divide and conquer; rotation by alignment inside b b.
#include "algo/alignment.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace lockstep {
namespace {

// Up to this many cells the way back is kept in a table of bytes.
constexpr std::uint64_t kMaxTableCells = std::uint64_t{1} << 22;
// Up to this many cells, over all rotations, every rotation is tried.
constexpr std::uint64_t kMaxExhaustiveCells = std::uint64_t{1} << 23;

enum class Step : std::uint8_t { kBoth, kOnlyA, kOnlyB };

using Costs = std::vector<std::uint64_t>;

class Aligner {
 public:
  explicit Aligner(const AlignmentProblem& problem) : p_(problem) {}

  [[nodiscard]] Alignment align() {
    solve(0, size(p_.a), 0, size(p_.b));
    return std::move(result_);
  }

  // Costs of a[a0, a1) against every beginning of b[b0, b1).
  [[nodiscard]] Costs forward(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0,
                              std::uint32_t b1) const {
    Costs row = first_row(b1 - b0);
    for (std::uint32_t i = a0; i < a1; ++i) {
      std::uint64_t diagonal = row[0];
      row[0] += p_.gap;
      for (std::uint32_t j = b0; j < b1; ++j) {
        std::uint64_t& cell = row[j - b0 + 1];
        const std::uint64_t here = best(diagonal, cell, row[j - b0], i, j);
        diagonal = cell;
        cell = here;
      }
    }
    return row;
  }

  [[nodiscard]] bool is_alignable(std::uint32_t i, std::uint32_t j) const {
    return class_cost(i, j) != kNeverAligned;
  }

  [[nodiscard]] std::uint64_t pair_cost(std::uint32_t i, std::uint32_t j) const {
    const int off = std::abs(int{p_.size_a[i]} - int{p_.size_b[j]});
    return std::uint64_t{class_cost(i, j)} +
           static_cast<std::uint64_t>(std::min(off, int{p_.max_size_cost}));
  }

 private:
  template <typename T>
  [[nodiscard]] static std::uint32_t size(std::span<const T> sequence) {
    return static_cast<std::uint32_t>(sequence.size());
  }

  [[nodiscard]] std::uint16_t class_cost(std::uint32_t i, std::uint32_t j) const {
    return p_.cost[std::size_t{p_.a[i]} * p_.classes_b + p_.b[j]];
  }

  [[nodiscard]] std::uint64_t best(std::uint64_t diagonal, std::uint64_t above, std::uint64_t left,
                                   std::uint32_t i, std::uint32_t j) const {
    const std::uint64_t alone = std::min(above, left) + p_.gap;
    return is_alignable(i, j) ? std::min(alone, diagonal + pair_cost(i, j)) : alone;
  }

  [[nodiscard]] Costs first_row(std::uint32_t length) const {
    Costs row(std::size_t{length} + 1);
    for (std::uint32_t j = 0; j <= length; ++j) row[j] = std::uint64_t{j} * p_.gap;
    return row;
  }

  // Costs of a[a0, a1) against every end of b[b0, b1): [k] for b[b0 + k, b1).
  [[nodiscard]] Costs backward(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0,
                               std::uint32_t b1) const {
    Costs row = first_row(b1 - b0);
    std::ranges::reverse(row);
    for (std::uint32_t i = a1; i > a0; --i) {
      std::uint64_t diagonal = row.back();
      row.back() += p_.gap;
      for (std::uint32_t j = b1; j > b0; --j) {
        std::uint64_t& cell = row[j - 1 - b0];
        const std::uint64_t here = best(diagonal, cell, row[j - b0], i - 1, j - 1);
        diagonal = cell;
        cell = here;
      }
    }
    return row;
  }

  void put(std::uint32_t i, std::uint32_t j) {
    result_.cost += i == kNoElement || j == kNoElement ? p_.gap : pair_cost(i, j);
    result_.elements.push_back({i, j});
  }

  // Elements at both ends that cost nothing belong together in some best alignment.
  void solve(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
    const auto is_free = [&](std::uint32_t i, std::uint32_t j) {
      return is_alignable(i, j) && pair_cost(i, j) == 0;
    };
    while (a0 < a1 && b0 < b1 && is_free(a0, b0)) put(a0++, b0++);
    std::uint32_t tail = 0;
    while (a0 < a1 - tail && b0 < b1 - tail && is_free(a1 - tail - 1, b1 - tail - 1)) ++tail;
    solve_middle(a0, a1 - tail, b0, b1 - tail);
    for (; tail > 0; --tail) put(a1 - tail, b1 - tail);
  }

  void solve_middle(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
    const std::uint64_t cells = (std::uint64_t{a1 - a0} + 1) * (std::uint64_t{b1 - b0} + 1);
    if (cells <= kMaxTableCells || a1 - a0 < 2) {
      solve_by_table(a0, a1, b0, b1);
      return;
    }
    const std::uint32_t middle = a0 + (a1 - a0) / 2;
    std::uint32_t cut = 0;
    {
      const Costs before = forward(a0, middle, b0, b1);
      const Costs after = backward(middle, a1, b0, b1);
      for (std::uint32_t j = 1; j < before.size(); ++j) {
        if (before[j] + after[j] < before[cut] + after[cut]) cut = j;
      }
    }
    solve(a0, middle, b0, b0 + cut);
    solve(middle, a1, b0 + cut, b1);
  }

  void solve_by_table(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
    const std::uint32_t width = b1 - b0;
    std::vector<Step> steps(std::size_t{a1 - a0} * width);
    Costs row = first_row(width);
    for (std::uint32_t i = a0; i < a1; ++i) {
      std::uint64_t diagonal = row[0];
      row[0] += p_.gap;
      for (std::uint32_t j = b0; j < b1; ++j) {
        std::uint64_t& cell = row[j - b0 + 1];
        const std::uint64_t left = row[j - b0];
        const std::uint64_t here = best(diagonal, cell, left, i, j);
        // Pairs before gaps; of gaps, b's last, so that a stands first in the listing.
        Step step = here == left + p_.gap ? Step::kOnlyB : Step::kOnlyA;
        if (is_alignable(i, j) && here == diagonal + pair_cost(i, j)) step = Step::kBoth;
        steps[std::size_t{i - a0} * width + (j - b0)] = step;
        diagonal = cell;
        cell = here;
      }
    }
    walk_back(steps, a0, a1, b0, b1);
  }

  void walk_back(const std::vector<Step>& steps, std::uint32_t a0, std::uint32_t a1,
                 std::uint32_t b0, std::uint32_t b1) {
    std::vector<AlignedElements> reversed;
    const std::uint32_t width = b1 - b0;
    std::uint32_t i = a1;
    std::uint32_t j = b1;
    while (i > a0 || j > b0) {
      Step step = Step::kOnlyA;
      if (i == a0) {
        step = Step::kOnlyB;
      } else if (j > b0) {
        step = steps[std::size_t{i - 1 - a0} * width + (j - 1 - b0)];
      }
      if (step != Step::kOnlyB) --i;
      if (step != Step::kOnlyA) --j;
      reversed.push_back(
          {step == Step::kOnlyB ? kNoElement : i, step == Step::kOnlyA ? kNoElement : j});
    }
    for (auto at = reversed.rbegin(); at != reversed.rend(); ++at) put(at->a, at->b);
  }

  const AlignmentProblem& p_;
  Alignment result_;
};

// b turned so that b[rotation] stands first.
class Turned {
 public:
  Turned(const AlignmentProblem& problem, std::uint32_t rotation)
      : b_(problem.b.begin(), problem.b.end()),
        sizes_(problem.size_b.begin(), problem.size_b.end()),
        problem_(problem) {
    std::ranges::rotate(b_, b_.begin() + rotation);
    std::ranges::rotate(sizes_, sizes_.begin() + rotation);
    problem_.b = b_;
    problem_.size_b = sizes_;
  }
  Turned(const Turned&) = delete;
  Turned& operator=(const Turned&) = delete;

  [[nodiscard]] const AlignmentProblem& problem() const { return problem_; }

 private:
  std::vector<std::uint32_t> b_;
  std::vector<std::uint8_t> sizes_;
  AlignmentProblem problem_;
};

// Where the best alignment of all of a with a piece of b b begins and ends; what of b b lies
// outside of the piece is free.
std::array<std::uint32_t, 2> best_piece(const AlignmentProblem& problem) {
  const auto n = static_cast<std::uint32_t>(problem.b.size());
  struct Cell {
    std::uint64_t cost = 0;
    std::uint32_t begin = 0;
  };
  const Aligner aligner(problem);
  std::vector<Cell> row(std::size_t{2} * n + 1);
  for (std::uint32_t j = 0; j < row.size(); ++j) row[j].begin = j;
  for (std::uint32_t i = 0; i < problem.a.size(); ++i) {
    Cell diagonal = row[0];
    row[0].cost += problem.gap;
    for (std::uint32_t j = 1; j < row.size(); ++j) {
      const std::uint32_t element = j <= n ? j - 1 : j - 1 - n;
      Cell here = row[j].cost <= row[j - 1].cost ? row[j] : row[j - 1];
      here.cost += problem.gap;
      if (aligner.is_alignable(i, element)) {
        const std::uint64_t both = diagonal.cost + aligner.pair_cost(i, element);
        if (both <= here.cost) here = {both, diagonal.begin};
      }
      diagonal = row[j];
      row[j] = here;
    }
  }
  std::uint32_t end = 0;
  for (std::uint32_t j = 1; j < row.size(); ++j) {
    if (row[j].cost < row[end].cost) end = j;
  }
  return {row[end].begin % n, end % n};
}

}  // namespace

Alignment align(const AlignmentProblem& problem) { return Aligner(problem).align(); }

std::uint64_t alignment_cost(const AlignmentProblem& problem) {
  const Aligner aligner(problem);
  return aligner
      .forward(0, static_cast<std::uint32_t>(problem.a.size()), 0,
               static_cast<std::uint32_t>(problem.b.size()))
      .back();
}

std::uint32_t best_rotation(const AlignmentProblem& problem) {
  const std::uint64_t m = problem.a.size();
  const std::uint64_t n = problem.b.size();
  if (m == 0 || n < 2) return 0;
  std::uint64_t least = alignment_cost(problem);
  if (least == (m > n ? m - n : n - m) * problem.gap) return 0;  // no turn can be better
  std::vector<std::uint32_t> places;
  if (m * n * n <= kMaxExhaustiveCells) {
    for (std::uint32_t place = 1; place < n; ++place) places.push_back(place);
  } else {
    for (const std::uint32_t place : best_piece(problem)) places.push_back(place);
  }
  std::uint32_t rotation = 0;
  for (const std::uint32_t place : places) {
    const std::uint64_t cost = alignment_cost(Turned(problem, place).problem());
    if (cost >= least) continue;
    least = cost;
    rotation = place;
  }
  return rotation;
}

}  // namespace lockstep
