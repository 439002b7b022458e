// Every few kernels vote for the distance to where they come again.
#include "analysis/cycles/passes/recurring_passes.h"

#include <algorithm>
#include <unordered_map>

#include "algo/sequences/edit_distance.h"
#include "algo/sequences/sequence_hash.h"
#include "analysis/cycles/nest/loop_growth.h"

namespace lockstep::analysis::cycles {
namespace {

// So many kernels after each other stand seldom twice in a pass, and are seldom all spared by noise
// where there are more.
constexpr std::uint32_t kKernelsInWord = 6;
// One in so many words is enough to vote.
constexpr std::uint32_t kManyKernels = 1U << 17U;
// A distance stands out when this share of all words votes for it.
constexpr double kEnoughVotes = 0.1;
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

// Calls `vote` for stretches of a few kernels, with the distance to where the same ones come again.
// Of long streams only those that their own content picks, always the same ones.
template <typename Vote>
std::uint32_t for_each_distance(const Stretch& stretch, const Vote& vote) {
  const algo::SequenceHash hash(stretch.names());
  const std::uint64_t picks = 1 + stretch.size() / kManyKernels;
  std::unordered_map<std::uint64_t, std::uint32_t> last;
  std::uint32_t voters = 0;
  for (std::uint32_t i = 0; i + kKernelsInWord <= stretch.size(); ++i) {
    const std::uint64_t word = hash.fingerprint(i, kKernelsInWord);
    if (word % picks != 0) continue;
    ++voters;
    const auto [found, is_new] = last.try_emplace(word, i);
    if (!is_new) vote(stretch.lo + found->second, i - found->second);
    found->second = i;
  }
  return voters;
}

std::optional<Recurrence> strongest(const Stretch& stretch, std::uint32_t shortest) {
  std::unordered_map<std::uint32_t, std::uint32_t> votes;
  const std::uint32_t voters =
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
  if (most == 0 || most < kEnoughVotes * voters) return std::nullopt;
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
    if (!algo::nearest_prefix(names.subspan(start, period), rest, limit)) continue;
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

}  // namespace lockstep::analysis::cycles
