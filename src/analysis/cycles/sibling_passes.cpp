// The loop that covers the most kernels stands for its pass.
#include "analysis/cycles/sibling_passes.h"

#include <algorithm>
#include <map>

#include "algo/edit_distance.h"
#include "algo/least_rotation.h"
#include "analysis/cycles/loop_growth.h"

namespace lockstep {
namespace {

using Symbols = std::vector<std::uint32_t>;

// To look for d edits in vain takes d^2 steps. So many a kernel are spent on all pairs of siblings.
constexpr std::uint64_t kStepsPerKernel = 64;

// Loops with the same body, up to rotation, and as many iterations.
struct Siblings {
  std::vector<std::uint32_t> starts;
  std::uint64_t kernels = 0;
};

Symbols canonical_body(const Stretch& stretch, const FoundLoop& loop) {
  const auto begin = stretch.stream.names.begin() + loop.body_start;
  Symbols body(begin, begin + loop.period);
  std::rotate(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(least_rotation(body)),
              body.end());
  body.push_back(static_cast<std::uint32_t>(loop.iterations.size()));
  return body;
}

// Those that cover the most; of equal ones the first.
Siblings most_covering(const Stretch& stretch, const std::vector<FoundLoop>& loops) {
  std::map<Symbols, Siblings> classes;
  for (const FoundLoop& loop : loops) {
    if (!is_real_work(loop)) continue;
    Siblings& siblings = classes[canonical_body(stretch, loop)];
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

}  // namespace

std::optional<FoundLoop> pass_around_siblings(const Stretch& stretch,
                                              const std::vector<FoundLoop>& loops,
                                              double tolerance) {
  const Siblings siblings = most_covering(stretch, loops);
  const std::span<const std::uint32_t> names = stretch.stream.names;
  const std::vector<std::uint32_t>& starts = siblings.starts;
  std::uint64_t steps = kStepsPerKernel * stretch.size();
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::uint32_t period = starts[i + 1] - starts[i];
    const auto limit = std::min(kMostEdits, static_cast<std::uint32_t>(tolerance * period));
    if (steps < std::uint64_t{limit} * limit) break;
    steps -= std::uint64_t{limit} * limit;
    const auto body = names.subspan(starts[i], period);
    // What follows is one more of the kind: up to the next sibling, or as much as there is.
    const std::uint32_t end = std::min(stretch.hi, starts[i + 1] + period + limit);
    const auto rest = names.subspan(starts[i + 1], end - starts[i + 1]);
    if (!nearest_prefix(body, rest, limit)) continue;
    const std::uint32_t first = starts[i] - common_before(stretch, starts[i], starts[i + 1]);
    FoundLoop loop;
    loop.period = period;
    loop.run_start = first;
    loop.run_end = first + period;
    loop.holds_loop = true;
    lay_iterations(names, first, 1, loop);
    return loop;
  }
  return std::nullopt;
}

}  // namespace lockstep
