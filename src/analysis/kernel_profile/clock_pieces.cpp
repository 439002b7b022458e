// Pieces between knots, beyond them, and across a jump to another counter.
#include "analysis/kernel_profile/clock_pieces.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lockstep {
namespace {

constexpr double kPsPerNs = 1000;
// A rate this many times off the usual one is no rate but a jump to another counter: of a lane that
// changed its multiprocessor, and of one that did not (clocks may go from idle to boost).
constexpr double kMigratedJumpRatio = 1.02;
constexpr double kJumpRatio = 16;
// Beyond the knots only the rate carries on; this is how far it may be off (see kRateTolerance).
constexpr double kDriftShare = kRateTolerance;
// Counters are read in whole ticks: half a tick for the anchor, half for the event.
constexpr double kReadingTicks = 1;

Time to_time(double ps) { return {std::llround(std::clamp(ps, -9e18, 9e18))}; }

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
      const ClockKnot& knot = run.knots[i];
      const ClockKnot& next = run.knots[i + 1];
      const std::size_t gap = static_cast<std::size_t>(&knot - clock_.knots.data());
      const double gap_ns = clock_.gap_ns(gap);
      ClockPiece piece = piece_at(knot, (next.ticks - knot.ticks) / gap_ns);
      const double at_next = (next.half_width_ticks + kReadingTicks) * piece.ps_per_tick;
      const double at_knots = std::max(static_cast<double>(piece.uncertainty_at_first.ps), at_next);
      // A lane may have changed unseen to a counter that shows nearly the same.
      const double jump_ns = clock_.may_jump ? gap_ns * (kMigratedJumpRatio - 1) : 0;
      piece.uncertainty_inside =
          to_time(at_knots + (wander_.inside_ns(clock_, gap) + jump_ns) * kPsPerNs);
      fit_.pieces.push_back(piece);
    }
    fit_.pieces.push_back(piece_at(run.knots.back(), run.ticks_per_ns));
  }

  // What lies before a later run belongs to it from half way on, with a band that narrows
  // towards the run.
  void add_approach(const ClockKnot& last, const KnotRun& run) {
    const ClockKnot& first = run.knots.front();
    ClockPiece piece = piece_at(first, run.ticks_per_ns);
    const double distance = (first.ticks - last.ticks) / 2;
    piece.first_tick -= std::llround(distance);
    piece.at_first = piece.at_first - to_time(distance * piece.ps_per_tick);
    piece.uncertainty_at_first += to_time(distance * piece.ps_per_tick * kDriftShare);
    piece.uncertainty_inside = piece.uncertainty_at_first;
    fit_.pieces.push_back(piece);
  }

  ClockFit finish() {
    fit_.source = TimeSource::kAnchoredCycles;
    fit_.drift = kDriftShare;
    return std::move(fit_);
  }

 private:
  [[nodiscard]] ClockPiece piece_at(const ClockKnot& knot, double ticks_per_ns) const {
    ClockPiece piece;
    piece.ps_per_tick = kPsPerNs / ticks_per_ns;
    const double whole = std::round(knot.ticks);
    piece.first_tick = clock_.base_ticks + static_cast<std::int64_t>(whole);
    const std::int64_t from_origin_ns = clock_.base_timer_ns - options_.origin_ns + knot.timer_ns;
    piece.at_first = Time{from_origin_ns * kPicosecondsPerNanosecond} +
                     to_time((whole - knot.ticks) * piece.ps_per_tick);
    piece.uncertainty_at_first =
        to_time((knot.half_width_ticks + kReadingTicks) * piece.ps_per_tick);
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
  return writer.finish();
}

}  // namespace lockstep
