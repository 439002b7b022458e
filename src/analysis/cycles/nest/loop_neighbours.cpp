// Loops that have been passed on one side are not looked at again.
#include "analysis/cycles/nest/loop_neighbours.h"

#include <algorithm>

namespace lockstep::analysis::cycles {
namespace {

bool is_behind(const FoundLoop& loop, std::uint32_t at) {
  return loop.is_gone() || loop.end() <= at;
}
bool is_ahead(const FoundLoop& loop, std::uint32_t at) {
  return loop.is_gone() || loop.start() >= at;
}

}  // namespace

LoopNeighbours::Ground LoopNeighbours::ground_of(const FoundLoop& other) const {
  const std::uint32_t period = loops_[self_].period;
  if (2 * other.period <= period + limit_) return Ground::kFree;
  const std::uint32_t apart = other.period > period ? other.period - period : period - other.period;
  return apart <= limit_ ? Ground::kKin : Ground::kBlocked;
}

SideView LoopNeighbours::look_right(std::uint32_t at, std::uint32_t reach) {
  SideView view{at + std::min(reach, stretch_.hi - at), false};
  while (right_ < loops_.size() && is_behind(loops_[right_], at)) ++right_;
  for (std::size_t i = right_; i < loops_.size(); ++i) {
    if (loops_[i].is_gone()) continue;
    if (loops_[i].start() >= view.end) break;
    const Ground ground = ground_of(loops_[i]);
    if (ground == Ground::kBlocked) view.end = std::max(at, loops_[i].start());
    if (ground == Ground::kKin) view.touches_kin = true;
  }
  return view;
}

SideView LoopNeighbours::look_left(std::uint32_t at, std::uint32_t reach) {
  SideView view{at - std::min(reach, at - stretch_.lo), false};
  while (left_ > 0 && is_ahead(loops_[left_ - 1], at)) --left_;
  for (std::size_t i = left_; i-- > 0;) {
    if (loops_[i].is_gone()) continue;
    if (loops_[i].end() <= view.end) break;
    const Ground ground = ground_of(loops_[i]);
    if (ground == Ground::kBlocked) view.end = std::min(at, loops_[i].end());
    if (ground == Ground::kKin) view.touches_kin = true;
  }
  return view;
}

void LoopNeighbours::look_again() {
  right_ = self_ + 1;
  left_ = self_;
}

bool LoopNeighbours::lie_under() const {
  const FoundLoop& loop = loops_[self_];
  const auto is_under = [&](const FoundLoop& other) {
    return ground_of(other) == Ground::kBlocked && other.start() < loop.end() &&
           loop.start() < other.end();
  };
  for (std::size_t i = self_ + 1; i < loops_.size(); ++i) {
    if (loops_[i].is_gone()) continue;
    if (loops_[i].start() >= loop.end()) break;
    if (is_under(loops_[i])) return true;
  }
  for (std::size_t i = self_; i-- > 0;) {
    if (loops_[i].is_gone()) continue;
    if (loops_[i].end() <= loop.start()) break;
    if (is_under(loops_[i])) return true;
  }
  return false;
}

}  // namespace lockstep::analysis::cycles
