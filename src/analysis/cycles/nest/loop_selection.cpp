// By phase, role and depth, then by position.
#include "analysis/cycles/nest/loop_selection.h"

#include <tuple>

namespace lockstep::analysis::cycles {
namespace {

class LoopSelection {
 public:
  LoopSelection(const StreamCycles& cycles, CycleMode mode) : cycles_(cycles), mode_(mode) {}

  [[nodiscard]] std::optional<std::uint32_t> run() const {
    const PhaseName wanted =
        mode_ == CycleMode::kPrefill ? PhaseName::kPrefill : PhaseName::kDecode;
    std::optional<std::uint32_t> named;
    std::optional<std::uint32_t> outermost;
    for (std::uint32_t i = 0; i < cycles_.loops.size(); ++i) {
      const Loop& loop = cycles_.loops[i];
      const bool has_phase = loop.phase == wanted && loop.role != LoopRole::kInner;
      if (has_phase && (!named || rank_of(i) < rank_of(*named))) named = i;
      const bool is_top = cycles_.nest.loops[i].parent == kNoLoop;
      if (is_top && (!outermost || place_of(i) < place_of(*outermost))) outermost = i;
    }
    return named ? named : outermost;
  }

 private:
  // The least comes first.
  [[nodiscard]] std::tuple<bool, std::uint32_t, std::int64_t> rank_of(std::uint32_t i) const {
    return {cycles_.loops[i].role == LoopRole::kLayer, cycles_.nest.loops[i].depth, place_of(i)};
  }
  [[nodiscard]] std::int64_t place_of(std::uint32_t i) const {
    const LoopInstance& instance = cycles_.nest.loops[i].instances.front();
    const std::int64_t doubled_centre = std::int64_t{instance.start()} + instance.end();
    return mode_ == CycleMode::kPrefill ? doubled_centre : -doubled_centre;
  }

  const StreamCycles& cycles_;
  CycleMode mode_;
};

}  // namespace

std::optional<std::uint32_t> select_loop(const StreamCycles& cycles, CycleMode mode) {
  if (mode == CycleMode::kAuto) return std::nullopt;
  return LoopSelection(cycles, mode).run();
}

}  // namespace lockstep::analysis::cycles
