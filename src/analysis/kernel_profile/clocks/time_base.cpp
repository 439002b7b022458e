// Fitting of the clocks of multiprocessors to the device's timer.
#include "analysis/kernel_profile/clocks/time_base.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <limits>
#include <span>

#include "algo/statistics/statistics.h"
#include "analysis/kernel_profile/clocks/clock_domains.h"
#include "analysis/kernel_profile/clocks/clock_knots.h"
#include "analysis/kernel_profile/clocks/clock_pieces.h"
#include "analysis/kernel_profile/clocks/clock_wander.h"
#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "analysis/kernel_profile/clocks/stamped_clock.h"
#include "analysis/kernel_profile/clocks/timer_ticks.h"

namespace lockstep::analysis::kernel_profile {
namespace {

constexpr DiagnosticKind kCyclesNotTied = {
    "cycles_not_tied_to_time", Severity::kInfo,
    "cycles of these lanes have no anchor: their times are not comparable across "
    "multiprocessors"};
constexpr DiagnosticKind kClockRateUnknown = {
    "clock_rate_unknown", Severity::kError,
    "the rate of the cycle counter is not known: one cycle is shown as one ns, so durations are "
    "cycles, not time"};
constexpr DiagnosticKind kClockFar = {
    "clock_far_away", Severity::kError,
    "anchors of these lanes lie more than 4 days from the others; their times are not "
    "comparable"};

// A counter that more clocks share than a graphics cluster has multiprocessors (where these are not
// known, every lane is a clock): they have one fit, wide enough for any skew.
constexpr std::size_t kMostMembers = 64;
constexpr ClockSkew kUnknownSkew{0, 8};

// Anchors of a profile lie within this of each other: a time is a knot and a distance from it,
// whose sum must not overflow.
constexpr std::int64_t kReachNs = kMaxDistanceFromOriginPs / kPicosecondsPerNanosecond / 25;

// Lanes that count with one counter: those of one multiprocessor in one launch.
struct CounterGroup {
  std::uint32_t first = 0;  // of the ordered lanes
  std::uint32_t count = 0;
  bool may_jump = false;
};

class TimeBaseFitter {
 public:
  TimeBaseFitter(const trace::KernelProfile& profile, const TimeBaseOptions& options,
                 Diagnostics& findings)
      : profile_(profile), wanted_(options), findings_(findings) {
    base_.fit_of_lane.assign(profile.lanes.size(), 0);
  }

  TimeBase fit() {
    group_lanes();
    settle_clocks();
    usual_ticks_per_ns_ = find_usual_rate();
    pool_launches();
    for (AnchoredClock& clock : clocks_) hold_out_knots(clock, wanted_.hold_out);
    timer_ = find_timer(profile_);
    base_.origin_ns = find_origin();
    if (timer_.lanes > 0) add_timer_fit();
    add_cycle_fits();
    add_stamped_fits();
    bound_by_launches();
    state_totals();
    return std::move(base_);
  }

 private:
  void group_lanes();
  void settle_clocks();
  void pool_launches();
  [[nodiscard]] double find_usual_rate();
  [[nodiscard]] std::int64_t find_origin() const;
  void add_timer_fit();
  void add_cycle_fits();
  void add_stamped_fits();
  [[nodiscard]] ClockFit untied_fit(const CounterGroup& group) const;
  void state_totals();

  [[nodiscard]] std::uint32_t launch_of(std::size_t group) const {
    return profile_.lanes[ordered_[groups_[group].first]].launch;
  }
  [[nodiscard]] PieceOptions options() const { return {base_.origin_ns, usual_ticks_per_ns_}; }
  [[nodiscard]] bool is_out_of_reach(std::int64_t timer_ns) const {
    const WideTime distance = WideTime{timer_ns} - base_.origin_ns;
    return distance > kReachNs || distance < -kReachNs;
  }
  void bound_by_launches();
  [[nodiscard]] std::span<const std::uint32_t> lanes_of(const CounterGroup& group) const {
    return std::span(ordered_).subspan(group.first, group.count);
  }

  const trace::KernelProfile& profile_;
  const TimeBaseOptions& wanted_;
  Diagnostics& findings_;
  TimeBase base_;
  TimerTicks timer_;
  std::vector<std::uint32_t> ordered_;  // lanes of cycles, group after group
  std::vector<CounterGroup> groups_;
  std::vector<AnchoredClock> clocks_;  // by group; by pool after pool_launches()
  std::vector<ClockPools::Place> clock_of_group_;
  double usual_ticks_per_ns_ = 1;
};

void TimeBaseFitter::group_lanes() {
  // Sorted by themselves: lanes are large, and there may be millions.
  struct Key {
    std::uint32_t launch;
    std::int32_t sm;
    std::uint32_t own;  // of a lane that shares with no other: its number, from 1
    std::uint32_t lane;
    auto operator<=>(const Key&) const = default;
    [[nodiscard]] bool shares_with(const Key& other) const {
      return launch == other.launch && sm == other.sm && own == other.own;
    }
  };
  std::vector<Key> keys;
  std::vector<bool> may_jump(profile_.lanes.size());
  for (std::uint32_t i = 0; i < profile_.lanes.size(); ++i) {
    const trace::KernelLane& lane = profile_.lanes[i];
    if (lane.clock != trace::LaneClock::kCycles) continue;
    may_jump[i] = lane.sm_end >= 0 ? lane.sm_end != lane.sm : has_jump(profile_.anchors_of(lane));
    const bool is_own = lane.sm < 0 || may_jump[i];
    keys.push_back({lane.launch, is_own ? -1 : lane.sm, is_own ? i + 1 : 0, i});
  }
  std::ranges::sort(keys);
  ordered_.reserve(keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    ordered_.push_back(keys[i].lane);
    if (i == 0 || !keys[i].shares_with(keys[i - 1])) {
      groups_.push_back({i, 0, may_jump[keys[i].lane]});
    }
    ++groups_.back().count;
  }
}

void TimeBaseFitter::settle_clocks() {
  std::vector<trace::KernelAnchor> anchors;
  clocks_.reserve(groups_.size());
  for (const CounterGroup& group : groups_) {
    anchors.clear();
    for (const std::uint32_t lane : lanes_of(group)) {
      const auto own = profile_.anchors_of(profile_.lanes[lane]);
      anchors.insert(anchors.end(), own.begin(), own.end());
    }
    clocks_.push_back(settle_anchors(anchors, group.may_jump, findings_));
  }
}

// Pools clocks that share a counter, launch by launch.
void TimeBaseFitter::pool_launches() {
  std::vector<AnchoredClock> all;
  for (std::size_t first = 0; first < groups_.size();) {
    std::size_t end = first + 1;
    while (end < groups_.size() && launch_of(end) == launch_of(first)) ++end;
    const auto from = clocks_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = clocks_.begin() + static_cast<std::ptrdiff_t>(end);
    ClockPools pools = pool_clocks({std::make_move_iterator(from), std::make_move_iterator(to)},
                                   usual_ticks_per_ns_);
    for (ClockPools::Place place : pools.pool_of_clock) {
      place.pool += static_cast<std::uint32_t>(all.size());
      clock_of_group_.push_back(place);
    }
    std::ranges::move(pools.pools, std::back_inserter(all));
    first = end;
  }
  clocks_ = std::move(all);
}

// The median over the clocks that have a rate, else the nominal one.
double TimeBaseFitter::find_usual_rate() {
  std::vector<double> rates;
  for (const AnchoredClock& clock : clocks_) {
    if (clock.ticks_per_ns > 0 && !clock.may_jump) rates.push_back(clock.ticks_per_ns);
  }
  if (!rates.empty()) return algo::median_of_numbers(rates);
  if (std::isfinite(profile_.clock_ghz) && profile_.clock_ghz > 0) return profile_.clock_ghz;
  if (!groups_.empty()) findings_.add(kClockRateUnknown, {}, {}, ordered_.size());
  return 1;
}

// The first moment that anything ties to; a few clocks far from the rest do not move it.
std::int64_t TimeBaseFitter::find_origin() const {
  std::vector<std::int64_t> starts;
  for (const AnchoredClock& clock : clocks_) {
    if (!clock.knots.empty()) {
      starts.push_back(clock.base_timer_ns + clock.knots.front().timer_ns);
    }
  }
  if (timer_.lanes > 0) starts.push_back(timer_.first_ns);
  for (const trace::KernelLane& lane : profile_.lanes) {
    if (lane.clock == trace::LaneClock::kStampedCycles) starts.push_back(lane.stamp_ns);
  }
  if (starts.empty()) return 0;
  std::ranges::sort(starts);
  const std::int64_t middle = starts[starts.size() / 2];
  return *std::ranges::lower_bound(starts, saturated(WideTime{middle} - kReachNs));
}

void TimeBaseFitter::add_timer_fit() {
  ClockFit fit;
  fit.source = TimeSource::kGlobalTimer;
  const Time step{std::llround(timer_.tick_ns * kPicosecondsPerNanosecond)};
  fit.pieces.push_back({.first_tick = base_.origin_ns,
                        .at_first = {},
                        .ps_per_tick = kPicosecondsPerNanosecond,
                        .uncertainty_at_first = step,
                        .uncertainty_inside = step});
  for (std::size_t i = 0; i < profile_.lanes.size(); ++i) {
    if (profile_.lanes[i].clock == trace::LaneClock::kGlobalTimer) {
      base_.fit_of_lane[i] = static_cast<std::uint32_t>(base_.fits.size());
    }
  }
  base_.fits.push_back(std::move(fit));
}

void TimeBaseFitter::add_cycle_fits() {
  const Wander wander(clocks_);
  std::vector<ClockFit> fits;
  for (const AnchoredClock& clock : clocks_) {
    const bool is_far = !clock.knots.empty() && is_out_of_reach(clock.base_timer_ns);
    if (is_far) findings_.add(kClockFar);
    fits.push_back(is_far ? ClockFit{} : fit_pieces(clock, options(), wander));
    fits.back().held_out_ns = clock.held_out_ns;
  }
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> shared(clocks_.size(), kNone);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const ClockPools::Place place = clock_of_group_[i];
    const std::vector<ClockSkew>& skews = clocks_[place.pool].skews;
    std::uint32_t fit = shared[place.pool];
    if (fit == kNone) {
      fit = static_cast<std::uint32_t>(base_.fits.size());
      if (fits[place.pool].pieces.empty()) {
        findings_.add(kCyclesNotTied, {}, {}, groups_[i].count);
        base_.fits.push_back(untied_fit(groups_[i]));
      } else if (skews.empty() || skews.size() > kMostMembers) {
        base_.fits.push_back(skews.empty() ? std::move(fits[place.pool])
                                           : shifted(fits[place.pool], kUnknownSkew));
        shared[place.pool] = fit;
      } else {
        base_.fits.push_back(shifted(fits[place.pool], skews[place.member]));
      }
    }
    for (const std::uint32_t lane : lanes_of(groups_[i])) base_.fit_of_lane[lane] = fit;
  }
}

// Lanes of a block share their stamp, and so the fit.
void TimeBaseFitter::add_stamped_fits() {
  const trace::KernelLane* before = nullptr;
  for (std::size_t i = 0; i < profile_.lanes.size(); ++i) {
    const trace::KernelLane& lane = profile_.lanes[i];
    if (lane.clock != trace::LaneClock::kStampedCycles) continue;
    if (before == nullptr || before->stamp_ns != lane.stamp_ns) {
      const bool is_far = is_out_of_reach(lane.stamp_ns);
      if (is_far) findings_.add(kClockFar);
      base_.fits.push_back(is_far ? ClockFit{} : fit_stamp(profile_, lane.stamp_ns, options()));
    }
    base_.fit_of_lane[i] = static_cast<std::uint32_t>(base_.fits.size() - 1);
    before = &lane;
  }
}

// From the first to the last knot of all lanes of a launch, group by group.
void TimeBaseFitter::bound_by_launches() {
  for (std::size_t first = 0; first < groups_.size();) {
    std::size_t end = first;
    Time begin{std::numeric_limits<std::int64_t>::max()};
    Time last{std::numeric_limits<std::int64_t>::min()};
    for (; end < groups_.size() && launch_of(end) == launch_of(first); ++end) {
      const ClockFit& fit = base_.fits[base_.fit_of_lane[ordered_[groups_[end].first]]];
      if (fit.source != TimeSource::kAnchoredCycles) continue;
      begin = std::min(begin, fit.pieces.front().at_first);
      last = std::max(last, fit.pieces.back().at_first);
    }
    for (; first < end; ++first) {
      ClockFit& fit = base_.fits[base_.fit_of_lane[ordered_[groups_[first].first]]];
      fit.launch_begin = begin;
      fit.launch_end = last;
    }
  }
}

// Cycles as they are, from the first one that a lane of the group recorded.
ClockFit TimeBaseFitter::untied_fit(const CounterGroup& group) const {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  trace::RecordScratch scratch;
  for (const std::uint32_t lane : lanes_of(group)) {
    const auto records = profile_.records_of(profile_.lanes[lane], scratch);
    if (!records.empty()) first = std::min(first, records.front().ticks);
  }
  if (first == std::numeric_limits<std::int64_t>::max()) first = 0;
  ClockFit fit;
  fit.source = TimeSource::kCycles;
  fit.pieces.push_back({.first_tick = first,
                        .at_first = {},
                        .ps_per_tick = kPicosecondsPerNanosecond / usual_ticks_per_ns_,
                        .uncertainty_at_first = kUnknownUncertainty,
                        .uncertainty_inside = kUnknownUncertainty});
  return fit;
}

void TimeBaseFitter::state_totals() {
  if (base_.fits.empty()) base_.fits.emplace_back();
  base_.source = TimeSource::kGlobalTimer;
  for (const ClockFit& fit : base_.fits) {
    base_.source = std::max(base_.source, fit.source);
    for (const ClockPiece& piece : fit.pieces) {
      base_.uncertainty = std::max(base_.uncertainty, piece.uncertainty_inside);
    }
  }
  base_.tick_ns =
      base_.source == TimeSource::kGlobalTimer ? timer_.tick_ns : 1 / usual_ticks_per_ns_;
}

std::int64_t times(std::int64_t ticks, double ps_per_tick) {
  constexpr double kLimit = static_cast<double>(kMaxDistanceFromOriginPs);
  return std::llround(std::clamp(static_cast<double>(ticks) * ps_per_tick, -kLimit, kLimit));
}

}  // namespace

std::string_view name_of(TimeSource source) {
  switch (source) {
    case TimeSource::kGlobalTimer:
      return "globaltimer";
    case TimeSource::kAnchoredCycles:
      return "cycles+anchors";
    case TimeSource::kCycles:
      break;
  }
  return "cycles";
}

BandedTime ClockFit::at(std::int64_t tick) const {
  if (pieces.empty()) return {{}, kUnknownUncertainty};
  auto next = std::ranges::upper_bound(pieces, tick, {}, &ClockPiece::first_tick);
  const bool is_before = next == pieces.begin();
  if (is_before) ++next;
  const ClockPiece& piece = *std::prev(next);
  // Wraps where a hostile tick lies further away than 64 bits can say.
  const auto distance = static_cast<std::int64_t>(static_cast<std::uint64_t>(tick) -
                                                  static_cast<std::uint64_t>(piece.first_tick));
  const std::int64_t ps = times(distance, piece.ps_per_tick);
  BandedTime result{time_near_origin(piece.at_first, ps), piece.uncertainty_at_first};
  if (piece.uncertainty_at_first == kUnknownUncertainty) return result;
  const bool is_beyond = is_before || next == pieces.end();
  if (is_beyond && is_closed) {
    // Anywhere in the launch, and as long again after it: the end of this very lane may be missing.
    const WideTime length = WideTime{launch_end.ps} - launch_begin.ps;
    const WideTime reach = std::max(WideTime{result.time.ps} - launch_begin.ps,
                                    WideTime{launch_end.ps} + length - result.time.ps);
    result.uncertainty.ps = static_cast<std::int64_t>(
        std::min<WideTime>(reach + piece.uncertainty_at_first.ps, kMaxDistanceFromOriginPs));
    return result;
  }
  if (is_beyond) {
    result.uncertainty += Time{std::llround(std::abs(static_cast<double>(ps)) * drift)};
    return result;
  }
  const auto whole = static_cast<double>(next->first_tick - piece.first_tick);
  const double share = static_cast<double>(distance) / whole;
  const auto first = static_cast<double>(piece.uncertainty_at_first.ps);
  const auto second = static_cast<double>(next->uncertainty_at_first.ps);
  const double bulge =
      std::max(0.0, static_cast<double>(piece.uncertainty_inside.ps) - std::max(first, second));
  const double to_knot_ps = std::min(share, 1 - share) * whole * piece.ps_per_tick;
  result.uncertainty.ps = std::llround(first + (second - first) * share +
                                       std::min(bulge, to_knot_ps * kSteepestDeviation));
  return result;
}

TimeBase fit_time_base(const trace::KernelProfile& profile, const TimeBaseOptions& options,
                       Diagnostics& findings) {
  return TimeBaseFitter(profile, options, findings).fit();
}

}  // namespace lockstep::analysis::kernel_profile
