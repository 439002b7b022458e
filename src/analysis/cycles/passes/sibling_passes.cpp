// The loop that covers the most kernels stands for its pass.
#include "analysis/cycles/passes/sibling_passes.h"

#include <algorithm>
#include <map>

#include "algo/sequences/edit_distance.h"
#include "analysis/cycles/nest/loop_growth.h"

namespace lockstep::analysis::cycles {
namespace {

using Symbols = std::vector<std::uint32_t>;

// To look for d edits in vain takes d^2 steps. So many a kernel are spent on all pairs of siblings.
constexpr std::uint64_t kStepsPerKernel = 64;

// How many groups of distances are tried, and between siblings how far apart.
constexpr std::size_t kMostDistances = 3;
constexpr std::size_t kMostApart = 3;

// Loops with the same body, up to rotation.
struct Siblings {
  std::vector<std::uint32_t> starts;
  std::uint64_t kernels = 0;
};

// Those that cover the most; of equal ones the first.
Siblings most_covering(const Stretch& stretch, const std::vector<FoundLoop>& loops) {
  std::map<Symbols, Siblings> classes;
  for (const FoundLoop& loop : loops) {
    if (!is_real_work(loop)) continue;
    Siblings& siblings = classes[canonical_body(stretch.stream.names, loop)];
    siblings.starts.push_back(loop.start());
    siblings.kernels += loop.end() - loop.start();
  }
  Siblings best;
  for (const auto& [body, siblings] : classes) {
    if (siblings.starts.size() < 2 || siblings.kernels < best.kernels) continue;
    if (siblings.kernels == best.kernels && siblings.starts.front() > best.starts.front()) continue;
    best = siblings;
  }
  return best;
}

// Kernels before `a` that equal those before `b`, less than a period of them.
std::uint32_t common_before(const Stretch& stretch, std::uint32_t a, std::uint32_t b) {
  const auto& names = stretch.stream.names;
  std::uint32_t equal = 0;
  while (a - equal > stretch.lo && equal + 1 < b - a &&
         names[a - equal - 1] == names[b - equal - 1])
    ++equal;
  return equal;
}

// Two siblings that may stand one pass apart.
struct Distance {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  [[nodiscard]] std::uint32_t kernels() const { return to - from; }
};

// One of each group of nearly equal distances between a sibling and the `apart`-th after it, the
// most frequent first: an exception in the layers of one pass splits them or hides them.
std::vector<Distance> frequent_distances(const std::vector<std::uint32_t>& starts,
                                         std::size_t apart, double tolerance) {
  std::vector<Distance> all;
  for (std::size_t i = 0; i + apart < starts.size(); ++i)
    all.push_back({starts[i], starts[i + apart]});
  std::stable_sort(all.begin(), all.end(),
                   [](const Distance& a, const Distance& b) { return a.kernels() < b.kernels(); });
  struct Group {
    Distance middle;
    std::size_t size = 0;
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t next = i;
    while (next < all.size() && all[next].kernels() <= (1 + tolerance) * all[i].kernels()) ++next;
    groups.push_back({all[(i + next - 1) / 2], next - i});
    i = next;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.size > b.size; });
  std::vector<Distance> distances;
  for (const Group& group : groups) distances.push_back(group.middle);
  if (distances.size() > kMostDistances) distances.resize(kMostDistances);
  return distances;
}

// What follows is one more of the kind.
bool is_followed_by_its_like(const Stretch& stretch, const Distance& distance,
                             std::uint32_t limit) {
  const std::span<const std::uint32_t> names = stretch.stream.names;
  const std::uint32_t end =
      distance.to + std::min(stretch.hi - distance.to, distance.kernels() + limit);
  return algo::nearest_prefix(names.subspan(distance.from, distance.kernels()),
                              names.subspan(distance.to, end - distance.to), limit)
      .has_value();
}

FoundLoop pass_between(const Stretch& stretch, const Distance& distance) {
  FoundLoop loop;
  loop.period = distance.kernels();
  loop.run_start = distance.from - common_before(stretch, distance.from, distance.to);
  loop.run_end = loop.run_start + loop.period;
  loop.holds_loop = true;
  lay_iterations(stretch.stream.names, loop.run_start, 1, loop);
  return loop;
}

}  // namespace

std::vector<FoundLoop> passes_around_siblings(const Stretch& stretch,
                                              const std::vector<FoundLoop>& loops,
                                              double tolerance) {
  return passes_between(stretch, most_covering(stretch, loops).starts, tolerance);
}

std::vector<FoundLoop> passes_between(const Stretch& stretch,
                                      const std::vector<std::uint32_t>& starts, double tolerance) {
  std::vector<FoundLoop> passes;
  std::uint64_t steps = kStepsPerKernel * stretch.size();
  for (std::size_t apart = 1; apart <= kMostApart; ++apart) {
    for (const Distance& distance : frequent_distances(starts, apart, tolerance)) {
      const auto limit =
          std::min(kMostEdits, static_cast<std::uint32_t>(tolerance * distance.kernels()));
      if (steps < std::uint64_t{limit} * limit) return passes;
      steps -= std::uint64_t{limit} * limit;
      if (is_followed_by_its_like(stretch, distance, limit))
        passes.push_back(pass_between(stretch, distance));
    }
  }
  return passes;
}

}  // namespace lockstep::analysis::cycles
