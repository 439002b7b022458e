// The kernels of a step as a sequence that can be compared with those of other steps.
//
// Not in the order in which they ran: how streams interleave differs from step to step. In the
// order of their launches where the file says who launched them, else stream by stream.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "algo/sequences/edit_distance.h"
#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// One symbol for kernels with one name. Names of communication count without their numbers, which
// go up with every call ("hcom_allReduce__586_0_1").
class KernelSymbols {
 public:
  KernelSymbols(const trace::Trace& trace, const DeviceTimeline& timeline);

  [[nodiscard]] std::uint32_t of(const DeviceWork& work) const {
    if (work.kind == trace::Kind::kCommunication) return communication_.at(work.name);
    return static_cast<std::uint32_t>(work.name);
  }

 private:
  std::unordered_map<StringId, std::uint32_t> communication_;
};

struct StepSequence {
  std::vector<std::uint32_t> kernels;  // of the timeline
  std::vector<std::uint32_t> symbols;  // theirs
};
[[nodiscard]] StepSequence sequence_of(const trace::Trace& trace, const DeviceTimeline& timeline,
                                       const KernelSymbols& symbols,
                                       std::span<const std::uint32_t> kernels);

// How many kernels a step may differ by from the template of its group, which has `kernels`. Less
// than the threshold says where so many would take too long to find: the time grows with the
// product.
[[nodiscard]] std::uint32_t distance_limit(std::size_t kernels, const Thresholds& thresholds);

// Whether a group has steps enough to tell what recurs and which stand out.
[[nodiscard]] bool is_comparable(const GroupMembers& group, const Thresholds& thresholds);

// Where each kernel of the device lies in the sequence of its group: the index of its partner in
// the template of the group. Equal for kernels of two steps that do the same job, whatever was
// inserted before them.
class KernelPlaces {
 public:
  KernelPlaces(const trace::Trace& trace, const DeviceTimeline& timeline,
               std::span<const StepFrame> steps, std::span<const GroupMembers> groups,
               const Thresholds& thresholds);

  // kUnaligned for a kernel without partner or step, and in groups that are not comparable.
  [[nodiscard]] std::uint32_t place(std::uint32_t kernel) const { return places_[kernel]; }
  // The step of a comparable group that owns it; kNoKernel where none does.
  [[nodiscard]] std::uint32_t owner(std::uint32_t kernel) const { return owners_[kernel]; }

 private:
  std::vector<std::uint32_t> places_;  // by kernel
  std::vector<std::uint32_t> owners_;
};

}  // namespace lockstep::analysis::anomalies
