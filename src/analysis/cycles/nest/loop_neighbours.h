// What lies beside a loop that grows, and how far it may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/nest/loop_candidates.h"

namespace lockstep::analysis::cycles {

// One side of the loop.
struct SideView {
  std::uint32_t end = 0;     // as far as the loop may grow
  bool touches_kin = false;  // a loop of about the same period lies there
};

// The loops beside loops[self], in order. It may grow over those of less than half its period (the
// layers of a pass) and into those of about its own (the passes on the other side of an exception).
class LoopNeighbours {
 public:
  LoopNeighbours(const Stretch& stretch, const std::vector<FoundLoop>& loops, std::size_t self)
      : stretch_(stretch), loops_(loops), self_(self), right_(self + 1), left_(self) {}

  // Periods that differ by no more are about the same.
  void set_limit(std::uint32_t kernels) { limit_ = kernels; }

  // Up to `reach` kernels from `at`. Each asks from where the last one of its side has been.
  [[nodiscard]] SideView look_right(std::uint32_t at, std::uint32_t reach);
  [[nodiscard]] SideView look_left(std::uint32_t at, std::uint32_t reach);
  // From the loop on again.
  void look_again();

  // Whether the loop lies on one that it may not grow over.
  [[nodiscard]] bool lie_under() const;

 private:
  enum class Ground : std::uint8_t { kFree, kKin, kBlocked };
  [[nodiscard]] Ground ground_of(const FoundLoop& other) const;

  const Stretch& stretch_;
  const std::vector<FoundLoop>& loops_;
  std::size_t self_;
  std::uint32_t limit_ = 0;
  std::size_t right_;  // loops before this one, from the loop itself on, have been passed
  std::size_t left_;   // the same to the left, one further
};

}  // namespace lockstep::analysis::cycles
