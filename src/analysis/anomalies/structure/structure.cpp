// Cuts a step into structures and measures each.
#include "analysis/anomalies/structure/structure.h"

#include <algorithm>
#include <map>

#include "analysis/anomalies/structure/block_side.h"
#include "analysis/anomalies/structure/structure_cuts.h"
#include "analysis/anomalies/timeline/clocks.h"
#include "analysis/anomalies/timeline/ratio.h"

namespace lockstep::analysis::anomalies {
namespace {

// Measures structures in time order: where the device idles depends on all kernels before.
class StructureMeasure {
 public:
  StructureMeasure(const StructureInput& input, const Thresholds& thresholds)
      : input_(input),
        thresholds_(thresholds),
        main_(main_stream(input)),
        limit_(block_limit(input, main_, thresholds)) {}

  Structure measure(const StructureCut& cut, std::span<const std::uint32_t> kernels) {
    Structure structure;
    structure.name = cut.name;
    structure.is_layer = cut.is_layer;
    structure.kernels = static_cast<std::uint32_t>(kernels.size());
    structure.first_kernel = kernels.front();
    structure.last_kernel = kernels.back();
    ClockSum sum;
    for (const std::uint32_t kernel : kernels) {
      add_gap(structure, kernel);
      sum.add(work(kernel), input_.gaps[kernel]);
    }
    structure.start = sum.start();
    structure.end = sum.end();
    structure.clocks = sum.clocks();
    structure.readings = readings_of(structure.clocks, thresholds_);
    structure.share_of_step = ratio_of(structure.clocks.wall, input_.end - input_.start);
    set_kinds(structure, kernels);
    split(structure, kernels);
    return structure;
  }

 private:
  [[nodiscard]] const DeviceWork& work(std::uint32_t kernel) const {
    return input_.timeline.kernels[kernel];
  }

  // The device's idle time right before a kernel of the step, as far as the step's kernels tell.
  void add_gap(Structure& structure, std::uint32_t kernel) {
    const DeviceWork& next = work(kernel);
    if (latest_ != kNoKernel && next.start > work(latest_).end) {
      const Time gap = next.start - work(latest_).end;
      if (kernel == structure.first_kernel) {
        structure.gap_before = gap;
      } else {
        structure.bubbles_inside += gap;
        if (gap > structure.largest_bubble) {
          structure.largest_bubble = gap;
          structure.largest_before = latest_;
          structure.largest_after = kernel;
        }
      }
    }
    if (latest_ == kNoKernel || next.end >= work(latest_).end) latest_ = kernel;
  }

  void set_kinds(Structure& structure, std::span<const std::uint32_t> kernels) const {
    std::map<trace::Kind, WideTime> sums;
    for (const std::uint32_t kernel : kernels)
      sums[work(kernel).kind] += work(kernel).duration().ps;
    const WideTime all = structure.clocks.kernel_sum;
    structure.computing_share = ratio_of(sums[trace::Kind::kKernel], all);
    structure.aicpu_share = ratio_of(sums[trace::Kind::kAiCpu], all);
    structure.communication_share = ratio_of(sums[trace::Kind::kCommunication], all);
  }

  void split(Structure& structure, std::span<const std::uint32_t> kernels) const {
    std::vector<std::uint32_t> block;
    std::vector<std::uint32_t> side;
    for (const std::uint32_t kernel : kernels) {
      (is_of_block(work(kernel), main_, limit_) ? block : side).push_back(kernel);
    }
    structure.block = sum_up(input_, block, thresholds_);
    structure.side = sum_up(input_, side, thresholds_);
  }

  const StructureInput& input_;
  const Thresholds& thresholds_;
  trace::TrackId main_;
  Time limit_;
  std::uint32_t latest_ = kNoKernel;  // the kernel that ends last so far
};

std::vector<StructureType> types_of(std::span<const Structure> structures,
                                    const Thresholds& thresholds) {
  std::vector<StructureType> types;
  std::map<StructureKind, std::size_t> known;
  for (const Structure& one : structures) {
    const auto [found, is_new] = known.try_emplace(one.name.kind, types.size());
    if (is_new) types.emplace_back().kind = one.name.kind;
    StructureType& type = types[found->second];
    ++type.count;
    type.clocks.wall += one.clocks.wall;
    type.clocks.busy += one.clocks.busy;
    type.clocks.kernel_sum += one.clocks.kernel_sum;
    type.clocks.total_cost += one.clocks.total_cost;
    type.bubbles_inside += one.bubbles_inside.ps;
    type.gaps_before += one.gap_before.ps;
  }
  for (StructureType& type : types) type.readings = readings_of(type.clocks, thresholds);
  std::ranges::stable_sort(types, std::ranges::greater{},
                           [](const StructureType& type) { return type.clocks.wall; });
  return types;
}

}  // namespace

StructureBreakdown break_down(const StructureInput& input, const Thresholds& thresholds) {
  StructureBreakdown breakdown;
  breakdown.step = input.step;
  if (input.kernels.empty()) return breakdown;
  const StructureCuts found = find_structure_cuts(input, thresholds);
  breakdown.evidence = found.evidence;
  StructureMeasure measure(input, thresholds);
  for (std::size_t i = 0; i < found.cuts.size(); ++i) {
    const std::size_t first = found.cuts[i].first;
    const std::size_t end =
        i + 1 < found.cuts.size() ? found.cuts[i + 1].first : input.kernels.size();
    const auto kernels = input.kernels.subspan(first, end - first);
    breakdown.structures.push_back(measure.measure(found.cuts[i], kernels));
    breakdown.bubbles_inside += breakdown.structures.back().bubbles_inside.ps;
    breakdown.bubbles_between += breakdown.structures.back().gap_before.ps;
  }
  ClockSum all;
  for (const std::uint32_t kernel : input.kernels) {
    all.add(input.timeline.kernels[kernel], input.gaps[kernel]);
  }
  breakdown.clocks = all.clocks();
  breakdown.readings = readings_of(breakdown.clocks, thresholds);
  breakdown.types = types_of(breakdown.structures, thresholds);
  return breakdown;
}

}  // namespace lockstep::analysis::anomalies
