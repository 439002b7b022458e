// Alignment of iterations with the body of their loop.
#include "analysis/cycles/nest/body_map.h"

#include <algorithm>
#include <optional>
#include <span>

#include "analysis/cycles/nest/likeness.h"

namespace lockstep::analysis::cycles {
namespace {

// Beyond this share of the body, an alignment by name pairs kernels that have nothing in common.
constexpr double kMostNameEdits = 0.25;
// Loops are found with at most a quarter of edits by role; an iteration beyond twice that is none.
constexpr double kMostRoleEdits = 0.5;

// Steps that the user marked may be unlike; looking for d edits takes d^2 steps.
constexpr std::uint32_t kMostSought = 8 * kMostEdits;

std::vector<std::uint32_t> roles_of(const KernelStream& stream, Iteration part) {
  std::vector<std::uint32_t> roles;
  roles.reserve(part.size());
  for (std::size_t i = part.start; i < part.end; ++i) {
    roles.push_back(static_cast<std::uint32_t>(stream.symbol(i).facts.role));
  }
  return roles;
}

// Edits that a body and an iteration may have: their difference in length, and a share of it.
std::uint32_t edit_limit(Iteration body, Iteration part, double share) {
  const std::uint32_t longer = std::max(body.size(), part.size());
  const std::uint32_t difference = longer - std::min(body.size(), part.size());
  const std::uint32_t edits =
      difference + static_cast<std::uint32_t>(share * static_cast<double>(longer));
  return std::min(edits, kMostSought);
}

std::vector<std::uint32_t> map_iteration(const KernelStream& stream, Iteration body,
                                         Iteration part) {
  std::vector<std::uint32_t> kernels(body.size(), kNoKernel);
  const std::optional<algo::EditAlignment> alignment = align(stream, body, part);
  if (!alignment) return kernels;
  for (std::uint32_t i = 0; i < part.size(); ++i) {
    const std::uint32_t position = alignment->partners[i];
    if (position < body.size()) kernels[position] = part.start + i;
  }
  return kernels;
}

}  // namespace

std::optional<algo::EditAlignment> align(const KernelStream& stream, Iteration body,
                                         Iteration part) {
  const std::span<const std::uint32_t> names = stream.names;
  auto by_name = algo::edit_alignment(names.subspan(body.start, body.size()),
                                      names.subspan(part.start, part.size()),
                                      edit_limit(body, part, kMostNameEdits));
  if (by_name) return by_name;
  return algo::edit_alignment(roles_of(stream, body), roles_of(stream, part),
                              edit_limit(body, part, kMostRoleEdits));
}

std::vector<OddIteration> map_odd_iterations(const KernelStream& stream, const NestLoop& loop) {
  const Iteration body{loop.body_start, loop.body_start + loop.period};
  std::vector<OddIteration> odd;
  std::size_t number = 0;
  for (const LoopInstance& instance : loop.instances) {
    for (const Iteration& iteration : instance.iterations) {
      if (iteration.size() != loop.period) {
        odd.push_back({number, map_iteration(stream, body, iteration)});
      }
      ++number;
    }
  }
  return odd;
}

}  // namespace lockstep::analysis::cycles
