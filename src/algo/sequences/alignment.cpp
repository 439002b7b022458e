// Needleman-Wunsch in a band that is wide enough, with Hirschberg's divide and conquer; rotation by
// alignment inside b b.
#include "algo/sequences/alignment.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace lockstep::algo {
namespace {

// Up to this many cells the way back is kept in a table of bytes.
constexpr std::uint64_t kMaxTableCells = std::uint64_t{1} << 22;
// Up to this many cells, over all rotations, every rotation is tried.
constexpr std::uint64_t kMaxExhaustiveCells = std::uint64_t{1} << 23;
// Dearer than any alignment; twice this and all gaps still fit.
constexpr std::uint32_t kFar = std::uint32_t{1} << 29;
// Gaps that the first, narrowest band has room for.
constexpr std::int64_t kFirstGaps = 64;

enum class Step : std::uint8_t { kBoth, kOnlyA, kOnlyB };

using Costs = std::vector<std::uint32_t>;

// Elements [a0, a1) of a and [b0, b1) of b.
struct Part {
  std::uint32_t a0 = 0;
  std::uint32_t a1 = 0;
  std::uint32_t b0 = 0;
  std::uint32_t b1 = 0;

  [[nodiscard]] std::uint64_t cells() const {
    return (std::uint64_t{a1 - a0} + 1) * (std::uint64_t{b1 - b0} + 1);
  }
};

// Borders (i, j) between elements with low <= j - i <= high.
struct Band {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// Costs by classes, with kFar for never.
std::vector<std::uint32_t> wide_table(const AlignmentProblem& problem) {
  std::vector<std::uint32_t> table;
  table.reserve(problem.cost.size());
  for (const std::uint16_t cost : problem.cost) {
    table.push_back(cost == kNeverAligned ? kFar : cost);
  }
  return table;
}

// The costs of pairs, ready for the inner loops. Copies may be turned; all look into one table.
class PairCosts {
 public:
  PairCosts(const AlignmentProblem& problem, std::span<const std::uint32_t> table)
      : a_(problem.a.begin(), problem.a.end()),
        b_(problem.b.begin(), problem.b.end()),
        size_a_(problem.size_a.begin(), problem.size_a.end()),
        size_b_(problem.size_b.begin(), problem.size_b.end()),
        classes_b_(problem.classes_b),
        max_size_cost_(problem.max_size_cost),
        gap_(problem.gap),
        table_(table) {}

  [[nodiscard]] std::uint32_t length_a() const { return static_cast<std::uint32_t>(a_.size()); }
  [[nodiscard]] std::uint32_t length_b() const { return static_cast<std::uint32_t>(b_.size()); }
  [[nodiscard]] std::uint32_t gap() const { return gap_; }

  // What a[i] costs against elements of b: kFar or more where they never go together.
  class Row {
   public:
    Row(const PairCosts& costs, std::uint32_t i)
        : by_class_(costs.table_.data() + std::size_t{costs.a_[i]} * costs.classes_b_),
          b_(costs.b_.data()),
          size_b_(costs.size_b_.data()),
          size_(costs.size_a_[i]),
          max_size_cost_(costs.max_size_cost_) {}

    [[nodiscard]] std::uint32_t operator[](std::uint32_t j) const {
      const int off = std::abs(size_ - int{size_b_[j]});
      return by_class_[b_[j]] + static_cast<std::uint32_t>(std::min(off, max_size_cost_));
    }

   private:
    const std::uint32_t* by_class_;
    const std::uint32_t* b_;
    const std::uint8_t* size_b_;
    int size_;
    int max_size_cost_;
  };
  [[nodiscard]] Row row(std::uint32_t i) const { return {*this, i}; }

  void reverse() {
    std::ranges::reverse(a_);
    std::ranges::reverse(b_);
    std::ranges::reverse(size_a_);
    std::ranges::reverse(size_b_);
  }
  void turn_b(std::uint32_t rotation) {
    std::ranges::rotate(b_, b_.begin() + rotation);
    std::ranges::rotate(size_b_, size_b_.begin() + rotation);
  }

 private:
  std::vector<std::uint32_t> a_;
  std::vector<std::uint32_t> b_;
  std::vector<std::uint8_t> size_a_;
  std::vector<std::uint8_t> size_b_;
  std::uint32_t classes_b_;
  int max_size_cost_;
  std::uint32_t gap_;
  std::span<const std::uint32_t> table_;
};

// The first and last border of b inside the band after `i` elements of a; they may be the wrong
// way round when the band does not touch the part.
struct Reach {
  std::int64_t first = 0;
  std::int64_t last = 0;

  Reach(const Part& part, Band band, std::uint32_t i)
      : first(std::max<std::int64_t>(part.b0, std::int64_t{i} + band.low)),
        last(std::min<std::int64_t>(part.b1, std::int64_t{i} + band.high)) {}
};

// Costs of all of a's part against every beginning of b's, on paths inside the band.
Costs beginnings(const PairCosts& costs, const Part& part, Band band) {
  const std::uint32_t gap = costs.gap();
  Costs row(std::size_t{part.b1 - part.b0} + 1, kFar);
  const Reach at_start(part, band, part.a0);
  for (std::int64_t j = at_start.first; j <= at_start.last; ++j) {
    row[static_cast<std::size_t>(j - part.b0)] = static_cast<std::uint32_t>(j - part.b0) * gap;
  }
  for (std::uint32_t i = part.a0; i < part.a1; ++i) {
    const Reach reach(part, band, i + 1);
    if (reach.first > reach.last) continue;
    const PairCosts::Row pair = costs.row(i);
    auto j = static_cast<std::uint32_t>(reach.first);
    std::uint32_t diagonal = kFar;
    std::uint32_t left = kFar;
    if (j == part.b0) {
      diagonal = row[0];
      left = row[0] += gap;
      ++j;
    } else {
      diagonal = row[j - part.b0 - 1];
      row[j - part.b0 - 1] = kFar;
    }
    const auto last = static_cast<std::uint32_t>(reach.last);
    for (; j <= last; ++j) {
      std::uint32_t& cell = row[j - part.b0];
      const std::uint32_t both = diagonal + pair[j - 1];
      diagonal = cell;
      left = std::min(both, std::min(left, cell) + gap);
      cell = left;
    }
  }
  return row;
}

// No alignment that costs at most `cost` leaves this band: each step aside is a gap.
Band band_for(const PairCosts& costs, std::int64_t cost) {
  const std::int64_t longer = std::int64_t{costs.length_b()} - costs.length_a();
  const std::int64_t gaps = cost / costs.gap();
  return {-std::max<std::int64_t>(0, (gaps - longer) / 2),
          std::max<std::int64_t>(0, (gaps + longer) / 2)};
}

struct BoundedCost {
  std::uint32_t cost = 0;
  Band band;  // holds every alignment of that cost
};

// Widens the band until nothing outside of it can be better (Ukkonen 1985).
BoundedCost least_cost(const PairCosts& costs) {
  const Part all{0, costs.length_a(), 0, costs.length_b()};
  const std::int64_t gap = costs.gap();
  const std::int64_t longest = std::int64_t{costs.length_a()} + costs.length_b();
  const std::int64_t longer =
      std::abs(std::int64_t{costs.length_b()} - std::int64_t{costs.length_a()});
  for (std::int64_t gaps = longer + kFirstGaps;; gaps *= 2) {
    const Band band = band_for(costs, std::min(gaps, longest) * gap);
    const std::uint32_t cost = beginnings(costs, all, band).back();
    if (gaps >= longest || cost <= gaps * gap) return {cost, band_for(costs, cost)};
  }
}

class Aligner {
 public:
  explicit Aligner(const AlignmentProblem& problem)
      : table_(wide_table(problem)), costs_(problem, table_), reversed_(costs_) {
    reversed_.reverse();
    const BoundedCost found = least_cost(costs_);
    band_ = found.band;
    result_.cost = found.cost;
  }

  [[nodiscard]] Alignment align() {
    solve({0, costs_.length_a(), 0, costs_.length_b()});
    return std::move(result_);
  }

 private:
  // Costs of all of a's part against every end of b's: [k] for b[b0 + k, b1).
  [[nodiscard]] Costs endings(const Part& part) const {
    const std::uint32_t m = costs_.length_a();
    const std::uint32_t n = costs_.length_b();
    const std::int64_t longer = std::int64_t{n} - m;
    Costs row = beginnings(reversed_, {m - part.a1, m - part.a0, n - part.b1, n - part.b0},
                           {longer - band_.high, longer - band_.low});
    std::ranges::reverse(row);
    return row;
  }

  void put(std::uint32_t i, std::uint32_t j) { result_.elements.push_back({i, j}); }

  // Elements at both ends that cost nothing belong together in some best alignment.
  void solve(Part part) {
    const auto is_free = [&](std::uint32_t i, std::uint32_t j) { return costs_.row(i)[j] == 0; };
    while (part.a0 < part.a1 && part.b0 < part.b1 && is_free(part.a0, part.b0)) {
      put(part.a0++, part.b0++);
    }
    std::uint32_t tail = 0;
    while (part.a0 < part.a1 && part.b0 < part.b1 && is_free(part.a1 - 1, part.b1 - 1)) {
      --part.a1;
      --part.b1;
      ++tail;
    }
    if (part.cells() <= kMaxTableCells || part.a1 - part.a0 < 2) {
      solve_by_table(part);
    } else {
      solve_by_halves(part);
    }
    for (std::uint32_t k = 0; k < tail; ++k) put(part.a1 + k, part.b1 + k);
  }

  void solve_by_halves(const Part& part) {
    const std::uint32_t middle = part.a0 + (part.a1 - part.a0) / 2;
    std::uint32_t cut = 0;
    {
      const Costs before = beginnings(costs_, {part.a0, middle, part.b0, part.b1}, band_);
      const Costs after = endings({middle, part.a1, part.b0, part.b1});
      for (std::uint32_t j = 1; j < before.size(); ++j) {
        if (before[j] + after[j] < before[cut] + after[cut]) cut = j;
      }
    }
    solve({part.a0, middle, part.b0, part.b0 + cut});
    solve({middle, part.a1, part.b0 + cut, part.b1});
  }

  void solve_by_table(const Part& part) {
    const std::uint32_t width = part.b1 - part.b0;
    const std::uint32_t gap = costs_.gap();
    std::vector<Step> steps(std::size_t{part.a1 - part.a0} * width);
    Costs row(std::size_t{width} + 1);
    for (std::uint32_t j = 0; j <= width; ++j) row[j] = j * gap;
    for (std::uint32_t i = part.a0; i < part.a1; ++i) {
      const PairCosts::Row pair = costs_.row(i);
      std::uint32_t diagonal = row[0];
      row[0] += gap;
      for (std::uint32_t j = 0; j < width; ++j) {
        const std::uint32_t both = diagonal + pair[part.b0 + j];
        const std::uint32_t only_a = row[j + 1] + gap;
        const std::uint32_t only_b = row[j] + gap;
        diagonal = row[j + 1];
        row[j + 1] = std::min(both, std::min(only_a, only_b));
        // Pairs before gaps; of gaps, b's last, so that a stands first in the listing.
        Step step = only_b <= only_a ? Step::kOnlyB : Step::kOnlyA;
        if (both == row[j + 1]) step = Step::kBoth;
        steps[std::size_t{i - part.a0} * width + j] = step;
      }
    }
    walk_back(steps, part);
  }

  void walk_back(const std::vector<Step>& steps, const Part& part) {
    std::vector<AlignedElements> reversed;
    const std::uint32_t width = part.b1 - part.b0;
    std::uint32_t i = part.a1;
    std::uint32_t j = part.b1;
    while (i > part.a0 || j > part.b0) {
      Step step = Step::kOnlyA;
      if (i == part.a0) {
        step = Step::kOnlyB;
      } else if (j > part.b0) {
        step = steps[std::size_t{i - 1 - part.a0} * width + (j - 1 - part.b0)];
      }
      if (step != Step::kOnlyB) --i;
      if (step != Step::kOnlyA) --j;
      reversed.push_back(
          {step == Step::kOnlyB ? kNoElement : i, step == Step::kOnlyA ? kNoElement : j});
    }
    result_.elements.insert(result_.elements.end(), reversed.rbegin(), reversed.rend());
  }

  std::vector<std::uint32_t> table_;
  PairCosts costs_;
  PairCosts reversed_;
  Band band_;
  Alignment result_;
};

// Where the best alignment of all of a with a piece of b b begins and ends; what of b b lies
// outside of the piece is free.
std::array<std::uint32_t, 2> best_piece(const PairCosts& costs) {
  const std::uint32_t n = costs.length_b();
  struct Cell {
    std::uint32_t cost = 0;
    std::uint32_t begin = 0;
  };
  std::vector<Cell> row(std::size_t{2} * n + 1);
  for (std::uint32_t j = 0; j < row.size(); ++j) row[j].begin = j;
  for (std::uint32_t i = 0; i < costs.length_a(); ++i) {
    const PairCosts::Row pair = costs.row(i);
    Cell diagonal = row[0];
    row[0].cost += costs.gap();
    for (std::uint32_t j = 1; j < row.size(); ++j) {
      Cell here = row[j].cost <= row[j - 1].cost ? row[j] : row[j - 1];
      here.cost += costs.gap();
      const std::uint32_t both = diagonal.cost + pair[j <= n ? j - 1 : j - 1 - n];
      if (both <= here.cost) here = {both, diagonal.begin};
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
  const std::vector<std::uint32_t> table = wide_table(problem);
  return least_cost(PairCosts(problem, table)).cost;
}

std::uint32_t best_rotation(const AlignmentProblem& problem) {
  const std::uint64_t m = problem.a.size();
  const std::uint64_t n = problem.b.size();
  if (m == 0 || n < 2) return 0;
  const std::vector<std::uint32_t> table = wide_table(problem);
  const PairCosts costs(problem, table);
  std::uint32_t least = least_cost(costs).cost;
  if (least == (m > n ? m - n : n - m) * problem.gap) return 0;  // no turn can be better
  std::vector<std::uint32_t> places;
  if (m * n * n <= kMaxExhaustiveCells) {
    for (std::uint32_t place = 1; place < n; ++place) places.push_back(place);
  } else {
    for (const std::uint32_t place : best_piece(costs)) places.push_back(place);
  }
  std::uint32_t rotation = 0;
  for (const std::uint32_t place : places) {
    PairCosts turned = costs;
    turned.turn_b(place);
    const std::uint32_t cost = least_cost(turned).cost;
    if (cost >= least) continue;
    least = cost;
    rotation = place;
  }
  return rotation;
}

}  // namespace lockstep::algo
