// Pieces between knots, beyond them, and across a jump to another counter.
#include "analysis/kernel_profile/clocks/clock_pieces.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/kernel_profile/clocks/saturated_time.h"

namespace lockstep::analysis::kernel_profile {
namespace {

constexpr double kPsPerNs = 1000;
// A rate this many times off the usual one is no rate but a jump to another counter: of a lane that
// changed its multiprocessor, and of one that did not (clocks may go from idle to boost).
constexpr double kMigratedJumpRatio = 1.02;
constexpr double kJumpRatio = 16;
// Beyond the knots only the rate carries on; this is how far it may be off (see kRateTolerance).
constexpr double kDriftShare = kRateTolerance;
// A loss below this is left to the band.
constexpr double kNoticeableLossNs = 10;
// A gap that differs by more runs at another frequency: no loss at one moment.
constexpr double kMostLossShare = 0.1;
// Counters are read in whole ticks: half a tick for the anchor, half for the event.
constexpr double kReadingTicks = 1;
// What anchors that were held out of fits on an H200 asked for beyond all that is estimated:
// without it 98.8 % of them were inside the band in the worst of 20 recordings, with it 99.4 %.
constexpr double kMarginTicks = 3;

Time to_time(double ps) { return {std::llround(std::clamp(ps, -9e18, 9e18))}; }

// Of a hostile file: the largest time where 64 bits do not hold the sum.
Time sum(Time a, Time b) { return saturated_time(WideTime{a.ps} + b.ps); }

// The knots of one counter, by time and by ticks.
struct KnotRun {
  std::span<const ClockKnot> knots;
  double ticks_per_ns = 0;  // between the first and last
};

class PieceWriter {
 public:
  PieceWriter(const AnchoredClock& clock, const PieceOptions& options, const Wander& wander)
      : clock_(clock), options_(options), wander_(wander) {}

  void add(const KnotRun& run) {
    for (std::size_t i = 0; i + 1 < run.knots.size(); ++i) {
      add_gap(static_cast<std::size_t>(&run.knots[i] - clock_.knots.data()));
    }
    fit_.pieces.push_back(piece_at(run.knots.back(), run.ticks_per_ns));
  }

  // What lies before a later run belongs to it from half way on, with a band that narrows
  // towards the run.
  void add_approach(const ClockKnot& last, const KnotRun& run) {
    const ClockKnot& first = run.knots.front();
    ClockPiece piece = piece_at(first, run.ticks_per_ns);
    const double distance = (first.ticks - last.ticks) / 2;
    piece.first_tick = saturated(WideTime{piece.first_tick} - std::llround(distance));
    piece.at_first = sum(piece.at_first, to_time(-distance * piece.ps_per_tick));
    piece.uncertainty_at_first =
        sum(piece.uncertainty_at_first, to_time(distance * piece.ps_per_tick * kDriftShare));
    piece.uncertainty_inside = piece.uncertainty_at_first;
    fit_.pieces.push_back(piece);
  }

  ClockFit finish() {
    fit_.source = TimeSource::kAnchoredCycles;
    fit_.drift = kDriftShare;
    return std::move(fit_);
  }

 private:
  void add_gap(std::size_t gap) {
    const ClockKnot& knot = clock_.knots[gap];
    const ClockKnot& next = clock_.knots[gap + 1];
    const double gap_ns = clock_.gap_ns(gap);
    const GapWander wander = wander_.inside(clock_, gap);
    // A lane may have changed unseen to a counter that shows nearly the same.
    const double jump_ns = clock_.may_jump ? gap_ns * (kMigratedJumpRatio - 1) : 0;
    const double around_ns = wander.around_ns + jump_ns;
    const double lost_ns = std::abs(wander.lost_ns);
    if (lost_ns < kNoticeableLossNs || lost_ns > gap_ns * kMostLossShare) {
      add_piece(knot, next, around_ns + lost_ns);
      return;
    }
    // Between "all was lost at the begin" and "at the end" lies half the loss either way; the
    // middle is reached as fast as a clock can change.
    const double ramp_ns = std::min(lost_ns / 2 / kSteepestDeviation, gap_ns / 3);
    const ClockKnot low = bent(knot, next, ramp_ns, wander.lost_ns);
    const ClockKnot high = bent(knot, next, gap_ns - ramp_ns, wander.lost_ns);
    add_piece(knot, low, around_ns);
    add_piece(low, high, around_ns);
    add_piece(high, next, around_ns);
  }

  // The middle of what is possible `at_ns` after the knot: the chord, behind by half of the loss
  // at the begin, ahead by half at the end.
  static ClockKnot bent(const ClockKnot& knot, const ClockKnot& next, double at_ns,
                        double lost_ns) {
    const auto gap_ns = static_cast<double>(next.timer_ns - knot.timer_ns);
    const double rate = (next.ticks - knot.ticks) / gap_ns;
    const double whole_ns = std::round(at_ns);
    const double share = whole_ns / gap_ns;
    const double chord = knot.ticks + (next.ticks - knot.ticks) * share;
    const double width = std::lerp(knot.half_width_ticks, next.half_width_ticks, share);
    return {knot.timer_ns + static_cast<std::int64_t>(whole_ns),
            chord + lost_ns * (share - 0.5) * rate, width + std::abs(lost_ns) / 2 * rate};
  }

  void add_piece(const ClockKnot& knot, const ClockKnot& next, double around_ns) {
    const auto ns = static_cast<double>(next.timer_ns - knot.timer_ns);
    if (!(ns > 0) || !(next.ticks > knot.ticks)) return;
    ClockPiece piece = piece_at(knot, (next.ticks - knot.ticks) / ns);
    const Time at_knots = std::max(piece.uncertainty_at_first, width_of(next, piece.ps_per_tick));
    piece.uncertainty_inside = sum(at_knots, to_time(around_ns * kPsPerNs));
    fit_.pieces.push_back(piece);
  }

  [[nodiscard]] Time time_of(const ClockKnot& knot) const {
    const WideTime ns = WideTime{clock_.base_timer_ns} - options_.origin_ns + knot.timer_ns;
    return saturated_time(ns * kPicosecondsPerNanosecond);
  }

  // Between wide knots the piece may run at an unreal rate; the knots were passed at the usual one.
  [[nodiscard]] Time width_of(const ClockKnot& knot, double ps_per_tick) const {
    const double usual_ps = kPsPerNs / options_.usual_ticks_per_ns;
    return to_time((knot.half_width_ticks + kReadingTicks + kMarginTicks) *
                   std::max(ps_per_tick, usual_ps));
  }

  [[nodiscard]] ClockPiece piece_at(const ClockKnot& knot, double ticks_per_ns) const {
    ClockPiece piece;
    piece.ps_per_tick = kPsPerNs / ticks_per_ns;
    const double whole = std::round(knot.ticks);
    piece.first_tick = clock_.base_ticks + static_cast<std::int64_t>(whole);
    piece.at_first =
        time_near_origin(time_of(knot), to_time((whole - knot.ticks) * piece.ps_per_tick).ps);
    piece.uncertainty_at_first = width_of(knot, piece.ps_per_tick);
    piece.uncertainty_inside = piece.uncertainty_at_first;
    return piece;
  }

  const AnchoredClock& clock_;
  const PieceOptions& options_;
  const Wander& wander_;
  ClockFit fit_;
};

double rate_between(const ClockKnot& a, const ClockKnot& b) {
  return (b.ticks - a.ticks) / static_cast<double>(b.timer_ns - a.timer_ns);
}

std::vector<KnotRun> runs_of(const AnchoredClock& clock, double usual) {
  std::vector<KnotRun> runs;
  const std::span knots(clock.knots);
  const double ratio = clock.may_jump ? kMigratedJumpRatio : kJumpRatio;
  const auto is_jump = [&](const ClockKnot& a, const ClockKnot& b) {
    const auto ns = static_cast<double>(b.timer_ns - a.timer_ns);
    const double ticks = b.ticks - a.ticks;
    const double slack = a.half_width_ticks + b.half_width_ticks;
    return !(ticks > 0 && ticks + slack > ns * usual / ratio && ticks - slack < ns * usual * ratio);
  };
  std::size_t first = 0;
  for (std::size_t i = 1; i <= knots.size(); ++i) {
    if (i < knots.size() && !is_jump(knots[i - 1], knots[i])) continue;
    KnotRun run{knots.subspan(first, i - first), usual};
    if (run.knots.size() > 1) {
      run.ticks_per_ns = rate_between(run.knots.front(), run.knots.back());
    }
    runs.push_back(run);
    first = i;
  }
  std::ranges::sort(runs, {}, [](const KnotRun& run) { return run.knots.front().ticks; });
  return runs;
}

// Whether runs lie so near each other that a tick may be of either counter.
bool are_mixed(std::span<const KnotRun> runs, double span_ticks) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const double distance = runs[i].knots.front().ticks - runs[i - 1].knots.back().ticks;
    if (distance < 2 * span_ticks) return true;
  }
  return false;
}

// By the first counter alone, give or take all the time that the lane's anchors span and the
// distance of the counters.
void widen(ClockFit& fit, double span_ns) {
  for (ClockPiece& piece : fit.pieces) {
    piece.uncertainty_at_first = to_time(4 * span_ns * kPsPerNs);
    piece.uncertainty_inside = piece.uncertainty_at_first;
  }
}

}  // namespace

ClockFit fit_pieces(const AnchoredClock& clock, const PieceOptions& options, const Wander& wander) {
  if (clock.knots.empty()) return {};
  const double usual = options.usual_ticks_per_ns;
  PieceWriter writer(clock, options, wander);
  const std::vector<KnotRun> runs = runs_of(clock, usual);
  const auto span_ns =
      static_cast<double>(clock.knots.back().timer_ns - clock.knots.front().timer_ns);
  if (are_mixed(runs, span_ns * usual)) {
    writer.add(runs.front());
    ClockFit fit = writer.finish();
    widen(fit, span_ns);
    return fit;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) writer.add_approach(runs[i - 1].knots.back(), runs[i]);
    writer.add(runs[i]);
  }
  ClockFit fit = writer.finish();
  fit.is_closed = clock.may_jump && runs.size() == 1;
  return fit;
}

ClockFit shifted(ClockFit fit, const ClockSkew& ahead) {
  const double whole = std::round(ahead.ticks);
  for (ClockPiece& piece : fit.pieces) {
    piece.first_tick += static_cast<std::int64_t>(whole);
    piece.at_first = sum(piece.at_first, to_time((whole - ahead.ticks) * piece.ps_per_tick));
    const Time wider = to_time(ahead.half_width_ticks * piece.ps_per_tick);
    piece.uncertainty_at_first = sum(piece.uncertainty_at_first, wider);
    piece.uncertainty_inside = sum(piece.uncertainty_inside, wider);
  }
  return fit;
}

}  // namespace lockstep::analysis::kernel_profile
