// Compares kernels from the end that both have.
#include "analysis/cycles/spans/capture_cut.h"

#include <algorithm>
#include <vector>

namespace lockstep::analysis::cycles {
namespace {

// A kernel more or less (sampling, a check) makes no pass a part of another.
constexpr std::uint64_t kMaxPartPercent = 90;
constexpr std::uint64_t kMinAlikePercent = 90;
// Fewer that are alike may be so by chance.
constexpr std::uint32_t kFewestKernels = 4;

bool is_single_pass(const PhaseSpan& span) { return span.passes == 1 && span.loop == kNoLoop; }

bool is_known_part(const PhaseSpan& span) {
  return std::ranges::find(span.evidence, PhaseGround::kCutOff, &Evidence::ground) !=
         span.evidence.end();
}

// Passes that `span` may be a part of: one of each class, single ones, one of each loop.
std::vector<Iteration> other_passes(const StreamCycles& cycles, const PhaseSpan& span) {
  std::vector<Iteration> passes;
  for (const PassFamily& family : cycles.families) {
    for (const PassClass& one : family.classes) {
      if (one.passes.empty()) continue;
      passes.push_back(*std::ranges::max_element(one.passes, {}, &Iteration::size));
    }
  }
  for (const PhaseSpan& other : cycles.phases) {
    if (is_single_pass(other)) passes.push_back({other.start, other.end});
    if (other.loop == kNoLoop) continue;
    passes.push_back(cycles.nest.loops[static_cast<std::size_t>(other.loop)]
                         .instances.front()
                         .iterations.front());
  }
  std::erase_if(passes, [&](const Iteration& pass) {
    return std::uint64_t{span.end - span.start} * 100 > pass.size() * kMaxPartPercent;
  });
  return passes;
}

// Kernels [a, a + count) against [b, b + count).
bool are_alike(const StreamCycles& cycles, std::uint32_t a, std::uint32_t b, std::uint32_t count) {
  const std::vector<std::uint32_t>& names = cycles.stream.names;
  std::uint64_t equal = 0;
  for (std::uint32_t i = 0; i < count; ++i) equal += names[a + i] == names[b + i] ? 1 : 0;
  return equal * 100 >= count * kMinAlikePercent;
}

}  // namespace

Cut cut_of(const StreamCycles& cycles, const PhaseSpan& span) {
  if (!is_single_pass(span) || span.start >= span.end) return Cut::kNone;
  const bool is_first = span.start == 0;
  const bool is_last = span.end == cycles.stream.size();
  if (is_first == is_last) return Cut::kNone;
  if (is_known_part(span)) return is_first ? Cut::kBegun : Cut::kEnded;
  const std::uint32_t count = span.end - span.start;
  if (count < kFewestKernels) return Cut::kNone;
  const bool is_part = std::ranges::any_of(other_passes(cycles, span), [&](const Iteration& pass) {
    return are_alike(cycles, span.start, is_first ? pass.end - count : pass.start, count);
  });
  if (!is_part) return Cut::kNone;
  return is_first ? Cut::kBegun : Cut::kEnded;
}

}  // namespace lockstep::analysis::cycles
