// Orders the kernels of steps and aligns the steps of a group.
#include "analysis/anomalies/steps/step_sequence.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "analysis/kernels/signature.h"

namespace lockstep::analysis::anomalies {
namespace {

// Distance times length: what comparing two steps may cost. Differences of a few kernels are always
// looked for.
constexpr std::size_t kMostWork = 100'000'000;
constexpr std::size_t kFewKernels = 16;

bool all_launched(const DeviceTimeline& timeline, std::span<const std::uint32_t> kernels) {
  return std::ranges::all_of(
      kernels, [&](std::uint32_t k) { return timeline.kernels[k].launched_by != trace::kNoEvent; });
}

template <typename Key>
void order_by(std::vector<std::uint32_t>& kernels, Key key) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); };
  if (!std::is_sorted(kernels.begin(), kernels.end(), before))
    std::sort(kernels.begin(), kernels.end(), before);
}

}  // namespace

KernelSymbols::KernelSymbols(const trace::Trace& trace, const DeviceTimeline& timeline) {
  std::unordered_map<std::string, std::uint32_t> by_text;
  for (const DeviceWork& work : timeline.kernels) {
    if (work.kind != trace::Kind::kCommunication || communication_.contains(work.name)) continue;
    const auto symbol = static_cast<std::uint32_t>(work.name);
    const auto [found, is_new] =
        by_text.try_emplace(kernels::name_without_numbers(trace.text(work.name)), symbol);
    communication_.emplace(work.name, found->second);
  }
}

StepSequence sequence_of(const trace::Trace& trace, const DeviceTimeline& timeline,
                         const KernelSymbols& symbols, std::span<const std::uint32_t> kernels) {
  StepSequence sequence;
  sequence.kernels.assign(kernels.begin(), kernels.end());
  if (all_launched(timeline, kernels)) {
    // Of one graph launch, stream by stream.
    order_by(sequence.kernels, [&](std::uint32_t k) {
      const DeviceWork& work = timeline.kernels[k];
      return std::tuple(trace.events.start[trace::index_of(work.launched_by)], work.track, k);
    });
  } else {
    order_by(sequence.kernels,
             [&](std::uint32_t k) { return std::tuple(timeline.kernels[k].track, k); });
  }
  sequence.symbols.reserve(kernels.size());
  for (const std::uint32_t k : sequence.kernels)
    sequence.symbols.push_back(symbols.of(timeline.kernels[k]));
  return sequence;
}

std::uint32_t distance_limit(std::size_t kernels, const Thresholds& thresholds) {
  const double share = thresholds.group_distance * static_cast<double>(kernels);
  const auto most = static_cast<double>(kernels);
  const auto wanted = static_cast<std::size_t>(std::clamp(share, 0.0, most));
  const std::size_t affordable =
      std::max(kFewKernels, kMostWork / std::max<std::size_t>(kernels, 1));
  return static_cast<std::uint32_t>(std::min(wanted, affordable));
}

bool is_comparable(const GroupMembers& group, const Thresholds& thresholds) {
  return !group.steps.empty() &&
         static_cast<double>(group.steps.size()) >= thresholds.recurring_steps;
}

KernelPlaces::KernelPlaces(const trace::Trace& trace, const DeviceTimeline& timeline,
                           std::span<const StepFrame> steps, std::span<const GroupMembers> groups,
                           const Thresholds& thresholds)
    : places_(timeline.kernels.size(), algo::kUnaligned),
      owners_(timeline.kernels.size(), kNoKernel) {
  const KernelSymbols symbols(trace, timeline);
  for (const GroupMembers& group : groups) {
    if (!is_comparable(group, thresholds)) continue;
    const StepSequence model =
        sequence_of(trace, timeline, symbols, steps[group.template_step].kernels);
    const std::uint32_t limit = distance_limit(model.symbols.size(), thresholds);
    for (const std::uint32_t s : group.steps) {
      const StepSequence own = sequence_of(trace, timeline, symbols, steps[s].kernels);
      for (const std::uint32_t k : own.kernels) owners_[k] = s;
      if (own.symbols == model.symbols) {
        for (std::uint32_t i = 0; i < own.kernels.size(); ++i) places_[own.kernels[i]] = i;
        continue;
      }
      const auto alignment = algo::edit_alignment(model.symbols, own.symbols, limit);
      if (!alignment) continue;
      for (std::size_t i = 0; i < own.kernels.size(); ++i)
        places_[own.kernels[i]] = alignment->partners[i];
    }
  }
}

}  // namespace lockstep::analysis::anomalies
