// Every kernel votes for the distance to the next one of its name.
#include "analysis/cycles/recurring_passes.h"

#include <algorithm>
#include <unordered_map>

#include "algo/edit_distance.h"
#include "analysis/cycles/loop_growth.h"

namespace lockstep {
namespace {

// A distance stands out when this share of all kernels votes for it.
constexpr double kEnoughVotes = 0.2;
// Places at which the two stretches are compared before the distance is given up.
constexpr std::size_t kTrials = 8;

struct Recurrence {
  std::uint32_t distance = 0;
  std::vector<std::uint32_t> voters;  // kernels that come again after it, in order
};

bool are_mostly_covered(const Stretch& stretch, const std::vector<FoundLoop>& loops) {
  std::uint64_t covered = 0;
  for (const FoundLoop& loop : loops) covered += loop.end() - loop.start();
  return 2 * covered >= stretch.size();
}

// Calls `vote` with each kernel and the distance to the next one of its name.
template <typename Vote>
void for_each_distance(const Stretch& stretch, const Vote& vote) {
  std::vector<std::uint32_t> last(stretch.stream.symbols.size(), stretch.hi);
  for (std::uint32_t i = stretch.lo; i < stretch.hi; ++i) {
    std::uint32_t& before = last[stretch.stream.names[i]];
    if (before != stretch.hi) vote(before, i - before);
    before = i;
  }
}

std::optional<Recurrence> strongest(const Stretch& stretch, std::uint32_t shortest) {
  std::unordered_map<std::uint32_t, std::uint32_t> votes;
  for_each_distance(stretch, [&](std::uint32_t, std::uint32_t distance) {
    if (distance >= shortest) ++votes[distance];
  });
  Recurrence best;
  std::uint32_t most = 0;
  for (const auto& [distance, count] : votes) {
    if (count < most || (count == most && distance > best.distance)) continue;
    most = count;
    best.distance = distance;
  }
  if (most < kEnoughVotes * stretch.size()) return std::nullopt;
  for_each_distance(stretch, [&](std::uint32_t kernel, std::uint32_t distance) {
    if (distance == best.distance) best.voters.push_back(kernel);
  });
  return best;
}

}  // namespace

std::optional<FoundLoop> pass_by_recurrence(const Stretch& stretch,
                                            const std::vector<FoundLoop>& loops, double tolerance) {
  // Shorter ones allow no edit at all.
  const auto shortest = static_cast<std::uint32_t>(1 / std::max(tolerance, 0.001));
  if (stretch.size() < 2 * shortest || are_mostly_covered(stretch, loops)) return std::nullopt;
  const std::optional<Recurrence> found = strongest(stretch, shortest);
  if (!found) return std::nullopt;
  const std::span<const std::uint32_t> names = stretch.stream.names;
  const std::uint32_t period = found->distance;
  const auto limit = std::min(kMostEdits, static_cast<std::uint32_t>(tolerance * period));
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const std::uint32_t start = found->voters[trial * found->voters.size() / kTrials];
    const std::uint32_t end = std::min(stretch.hi, start + 2 * period + limit);
    if (end < start + 2 * period) break;
    const auto rest = names.subspan(start + period, end - start - period);
    if (!nearest_prefix(names.subspan(start, period), rest, limit)) continue;
    FoundLoop loop;
    loop.period = period;
    loop.run_start = start;
    loop.run_end = start + period;
    loop.holds_loop = true;
    lay_iterations(names, start, 1, loop);
    return loop;
  }
  return std::nullopt;
}

}  // namespace lockstep
