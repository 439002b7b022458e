// Anchors to brackets, for one clock.
#include "analysis/kernel_profile/clocks/anchored_clock.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

namespace lockstep::analysis::kernel_profile {
namespace {

// Cycle counters of GPUs run within these; those of two multiprocessors are seconds apart, so that
// a lane that changed between two anchors leaves them by far.
constexpr double kSlowestTicksPerNs = 0.02;
constexpr double kFastestTicksPerNs = 20;

constexpr DiagnosticKind kAnchorReversed = {
    "anchor_reversed", Severity::kError,
    "an anchor's cycle counter ran backwards or is impossible, or its timer is not set; the anchor "
    "was left out"};
constexpr DiagnosticKind kAnchorsDisagree = {
    "anchors_disagree", Severity::kError,
    "anchors of one multiprocessor contradict each other; those that fit the fewest others were "
    "left out"};

// Counters beyond this are no counts, and their differences would overflow.
constexpr std::int64_t kMostTicks = std::int64_t{1} << 61;

bool is_reversed(const trace::KernelAnchor& anchor) {
  return anchor.timer_ns <= 0 || anchor.clock_after < anchor.clock_before ||
         anchor.clock_before < -kMostTicks || anchor.clock_after > kMostTicks;
}

// One that was read, not the mean of the middle two, which may be far from all.
std::int64_t middle_of(std::span<trace::KernelAnchor> anchors,
                       std::int64_t trace::KernelAnchor::* value) {
  const auto middle = anchors.begin() + static_cast<std::ptrdiff_t>(anchors.size() / 2);
  std::ranges::nth_element(anchors, middle, {}, value);
  return (*middle).*value;
}

bool is_near(const trace::KernelAnchor& anchor, const AnchoredClock& clock) {
  return std::abs(anchor.timer_ns - clock.base_timer_ns) < kLongestLaunchNs &&
         std::abs(anchor.clock_before - clock.base_ticks) < algo::kMaxBracketDistance &&
         std::abs(anchor.clock_after - clock.base_ticks) < algo::kMaxBracketDistance;
}

std::string text_of(const trace::KernelAnchor& anchor) {
  return "timer " + std::to_string(anchor.timer_ns) + ", clock " +
         std::to_string(anchor.clock_before) + " to " + std::to_string(anchor.clock_after);
}

}  // namespace

double average_rate(std::span<const algo::Bracket> brackets) {
  if (brackets.size() < 2) return 0;
  const algo::Bracket& first = brackets.front();
  const algo::Bracket& last = brackets.back();
  const double ticks = static_cast<double>(last.low - first.low + (last.high - first.high)) / 2;
  const double width = static_cast<double>(last.high - last.low + (first.high - first.low)) / 2;
  return width > ticks * kRateTolerance ? 0 : ticks / static_cast<double>(last.x - first.x);
}

AnchoredClock settle_anchors(std::span<trace::KernelAnchor> anchors, bool may_jump,
                             Diagnostics& findings) {
  AnchoredClock clock;
  clock.may_jump = may_jump;
  const auto reversed = std::ranges::stable_partition(anchors, std::not_fn(is_reversed));
  for (const trace::KernelAnchor& anchor : reversed)
    findings.add(kAnchorReversed, {}, text_of(anchor));
  const auto usable = anchors.first(anchors.size() - reversed.size());
  if (usable.empty()) return clock;

  clock.base_timer_ns = middle_of(usable, &trace::KernelAnchor::timer_ns);
  clock.base_ticks = middle_of(usable, &trace::KernelAnchor::clock_before);
  clock.brackets.reserve(usable.size());
  for (const trace::KernelAnchor& anchor : usable) {
    if (!is_near(anchor, clock)) {
      findings.add(kAnchorsDisagree, {}, text_of(anchor));
      continue;
    }
    clock.brackets.push_back({anchor.timer_ns - clock.base_timer_ns,
                              anchor.clock_before - clock.base_ticks - kJitterTicks,
                              anchor.clock_after - clock.base_ticks + kJitterTicks});
  }
  std::size_t dropped = algo::merge_brackets(clock.brackets);
  if (!may_jump) dropped += algo::keep_rising(clock.brackets);
  if (dropped > 0) findings.add(kAnchorsDisagree, {}, {}, dropped);
  clock.ticks_per_ns = average_rate(clock.brackets);
  return clock;
}

bool has_jump(std::span<const trace::KernelAnchor> anchors) {
  for (std::size_t i = 1; i < anchors.size(); ++i) {
    const trace::KernelAnchor& a = anchors[i - 1];
    const trace::KernelAnchor& b = anchors[i];
    const auto ns = static_cast<double>(b.timer_ns) - static_cast<double>(a.timer_ns);
    const auto most = static_cast<double>(b.clock_after) - static_cast<double>(a.clock_before);
    const auto least = static_cast<double>(b.clock_before) - static_cast<double>(a.clock_after);
    if (ns > 0 && (most < ns * kSlowestTicksPerNs || least > ns * kFastestTicksPerNs)) return true;
  }
  return false;
}

}  // namespace lockstep::analysis::kernel_profile
