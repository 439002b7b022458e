// Weighted means of brackets that lie close together, and the skews between multiprocessors.
#include "analysis/kernel_profile/clocks/clock_knots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::analysis::kernel_profile {
namespace {

// Counters of multiprocessors that share one differ by this much, as a standard deviation: the ways
// of the timer and of the reset differ. Measured on an H200: within 7.
constexpr double kSkewDeviation = 5;
constexpr int kSkewRounds = 2;
// A bracket that misses the middle one of its knot by this is left out.
constexpr double kOutlierTicks = 20;
// However many brackets agree, a knot is not believed to be narrower.
constexpr double kLeastHalfWidth = 2;
constexpr double kDeviationsOfAKnot = 3;
// Polled anchors are narrower, and their errors chance; wider brackets are bounds from elsewhere
// (when a kernel began), in which the truth may always lie at the same end.
constexpr double kPolledHalfWidth = 128;
constexpr double kDeviationsOfASkew = 2;

// How much rates change between knots that are near each other, as a share.
constexpr double kRateChange = 0.01;

struct Reading {
  double ns = 0;
  double ticks = 0;  // middle of the bracket
  double half_width = 0;
  std::uint32_t member = 0;

  // That of an error spread evenly over the bracket.
  [[nodiscard]] double weight() const { return 3 / (half_width * half_width); }
};

class KnotTying {
 public:
  KnotTying(AnchoredClock& clock, double ticks_per_ns) : clock_(clock), rate_(ticks_per_ns) {}

  // Ties all knots; with `learns`, sums up how far each member is from them.
  void tie(bool learns) {
    clock_.knots.clear();
    outliers_ = 0;
    sums_.assign(clock_.skews.size(), {});
    for (std::size_t first = 0; first < clock_.brackets.size();) {
      std::size_t end = first + 1;
      while (end < clock_.brackets.size() &&
             clock_.brackets[end].x - clock_.brackets[first].x <= kKnotSpanNs) {
        ++end;
      }
      read(first, end);
      const bool is_polled = narrowest() <= kPolledHalfWidth;
      clock_.knots.push_back(is_polled ? mean_knot() : common_knot());
      clock_.knots.back().first_ns = clock_.brackets[first].x;
      if (learns) learn(clock_.knots.back());
      first = end;
    }
  }

  void set_skews() {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const double weight = sums_[i].weight + 1 / (kSkewDeviation * kSkewDeviation);
      clock_.skews[i].ticks += sums_[i].ticks / weight;
      clock_.skews[i].half_width_ticks = kDeviationsOfASkew / std::sqrt(weight);
    }
  }

  [[nodiscard]] double ticks_per_ns() const { return rate_; }
  [[nodiscard]] double outlier_share() const {
    return static_cast<double>(outliers_) / static_cast<double>(clock_.brackets.size());
  }

 private:
  void read(std::size_t first, std::size_t end) {
    readings_.clear();
    for (std::size_t i = first; i < end; ++i) {
      const algo::Bracket& bracket = clock_.brackets[i];
      Reading reading;
      reading.ns = static_cast<double>(bracket.x);
      reading.ticks = static_cast<double>(bracket.low + bracket.high) / 2;
      reading.half_width = std::max(static_cast<double>(bracket.high - bracket.low) / 2, 1.0);
      if (!clock_.member_of_bracket.empty()) {
        reading.member = clock_.member_of_bracket[i];
        reading.ticks -= clock_.skews[reading.member].ticks;
      }
      readings_.push_back(reading);
    }
    if (readings_.size() > 2) drop_outliers();
  }

  [[nodiscard]] double at_zero(const Reading& reading) const {
    return reading.ticks - (reading.ns - readings_.front().ns) * rate_;
  }

  // Drops what contradicts the reading in the middle, which stays.
  void drop_outliers() {
    order_.clear();
    for (const Reading& reading : readings_) {
      order_.emplace_back(at_zero(reading), reading.half_width);
    }
    const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(order_.size() / 2);
    std::ranges::nth_element(order_, middle);
    const auto [centre, width] = *middle;
    const double zero_ns = readings_.front().ns;
    outliers_ += std::erase_if(readings_, [&](const Reading& reading) {
      const double value = reading.ticks - (reading.ns - zero_ns) * rate_;
      const double slack = std::abs(reading.ns - zero_ns) * rate_ * kRateTolerance;
      return std::abs(value - centre) > reading.half_width + width + kOutlierTicks + slack;
    });
  }

  [[nodiscard]] double narrowest() const {
    return std::ranges::min(readings_, {}, &Reading::half_width).half_width;
  }

  // The mean of readings lies on their line whatever its slope.
  [[nodiscard]] ClockKnot mean_knot() const {
    double weights = 0;
    double ns = 0;
    double ticks = 0;
    const Reading& origin = readings_.front();
    for (const Reading& reading : readings_) {
      weights += reading.weight();
      ns += reading.weight() * (reading.ns - origin.ns);
      ticks += reading.weight() * (reading.ticks - origin.ticks);
    }
    const double mean_ns = ns / weights;
    const double whole_ns = std::round(mean_ns);
    ClockKnot knot;
    knot.timer_ns = static_cast<std::int64_t>(origin.ns + whole_ns);
    knot.ticks = origin.ticks + ticks / weights + (whole_ns - mean_ns) * rate_;
    knot.half_width_ticks =
        std::max(kLeastHalfWidth, std::min(narrowest(), kDeviationsOfAKnot / std::sqrt(weights)));
    return knot;
  }

  // What all readings have in common.
  [[nodiscard]] ClockKnot common_knot() const {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    for (const Reading& reading : readings_) {
      const double slack = (reading.ns - readings_.front().ns) * rate_ * kRateTolerance;
      low = std::max(low, at_zero(reading) - reading.half_width - slack);
      high = std::min(high, at_zero(reading) + reading.half_width + slack);
    }
    ClockKnot knot;
    knot.timer_ns = static_cast<std::int64_t>(readings_.front().ns);
    knot.ticks = (low + high) / 2;
    knot.half_width_ticks = std::abs(high - low) / 2;
    return knot;
  }

  void learn(const ClockKnot& knot) {
    if (sums_.empty()) return;
    for (const Reading& reading : readings_) {
      const double expected =
          knot.ticks + (reading.ns - static_cast<double>(knot.timer_ns)) * rate_;
      sums_[reading.member].weight += reading.weight();
      sums_[reading.member].ticks += reading.weight() * (reading.ticks - expected);
    }
  }

  struct Sum {
    double weight = 0;
    double ticks = 0;
  };

  AnchoredClock& clock_;
  double rate_;
  std::size_t outliers_ = 0;
  std::vector<Reading> readings_;
  std::vector<std::pair<double, double>> order_;  // ticks and half width of readings
  std::vector<Sum> sums_;                         // by member
};

// Whether a knot says less of its time than one nearby does, even if the rate changed between them.
bool adds_nothing(const ClockKnot& knot, const ClockKnot& nearby, double ticks_per_ns) {
  const auto ns = static_cast<double>(std::abs(knot.timer_ns - nearby.timer_ns));
  if (ns < static_cast<double>(kKnotDistanceNs)) {
    return knot.half_width_ticks >= nearby.half_width_ticks;
  }
  return knot.half_width_ticks > nearby.half_width_ticks + ns * ticks_per_ns * kRateChange;
}

// Drops knots that add nothing to a neighbour; the first and last stay, so that nothing between
// them is extrapolated.
void thin_out(std::vector<ClockKnot>& knots, double ticks_per_ns) {
  std::size_t kept = 1;
  for (std::size_t i = 1; i < knots.size(); ++i) {
    const ClockKnot next = knots[i];
    const bool is_last = i + 1 == knots.size();
    const auto is_near = [&] { return next.timer_ns - knots[kept - 1].timer_ns < kKnotDistanceNs; };
    while (kept > 1 &&
           (adds_nothing(knots[kept - 1], next, ticks_per_ns) || (is_last && is_near()))) {
      --kept;
    }
    if (is_last || !adds_nothing(next, knots[kept - 1], ticks_per_ns)) knots[kept++] = next;
  }
  knots.resize(kept);
}

}  // namespace

double tie_knots(AnchoredClock& clock, double usual_ticks_per_ns) {
  clock.knots.clear();
  if (clock.brackets.empty()) return 0;
  const bool has_rate = clock.ticks_per_ns > 0 && !clock.may_jump;
  KnotTying tying(clock, has_rate ? clock.ticks_per_ns : usual_ticks_per_ns);
  for (int round = 0; round < kSkewRounds && !clock.skews.empty(); ++round) {
    tying.tie(true);
    tying.set_skews();
  }
  tying.tie(false);
  if (!clock.may_jump) thin_out(clock.knots, tying.ticks_per_ns());
  return tying.outlier_share();
}

void hold_out_knots(AnchoredClock& clock, std::uint32_t every) {
  if (every == 0 || clock.knots.size() < 3) return;
  std::vector<ClockKnot> kept;
  for (std::size_t i = 0; i < clock.knots.size(); ++i) {
    const ClockKnot& knot = clock.knots[i];
    if (i == 0 || i + 1 == clock.knots.size() || i % every != 0) {
      kept.push_back(knot);
    } else {
      clock.held_out_ns.push_back(clock.base_timer_ns + knot.first_ns);
    }
  }
  clock.knots = std::move(kept);
}

}  // namespace lockstep::analysis::kernel_profile
