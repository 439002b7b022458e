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
constexpr double kMigratedJumpRatio = 1.5;
constexpr double kJumpRatio = 16;
// Beyond the knots only the rate carries on; this is how far it may be off (see kRateTolerance).
constexpr double kDriftShare = kRateTolerance;

Time to_time(double ps) { return {std::llround(std::clamp(ps, -9e18, 9e18))}; }

// The knots of one counter, by time and by ticks.
struct KnotRun {
  std::span<const ClockKnot> knots;
  double ticks_per_ns = 0;  // between the first and last
};

class PieceWriter {
 public:
  PieceWriter(const AnchoredClock& clock, const PieceOptions& options)
      : clock_(clock), options_(options) {}

  void add(const KnotRun& run) {
    for (std::size_t i = 0; i + 1 < run.knots.size(); ++i) {
      const ClockKnot& knot = run.knots[i];
      const ClockKnot& next = run.knots[i + 1];
      const double gap_ns = static_cast<double>(next.timer_ns - knot.timer_ns);
      ClockPiece piece = piece_at(knot, (next.ticks - knot.ticks) / gap_ns);
      const double at_next = next.half_width_ticks * piece.ps_per_tick;
      const double at_knots = std::max(static_cast<double>(piece.uncertainty_at_first.ps), at_next);
      piece.uncertainty_inside = to_time(at_knots + options_.wander.inside_ns(gap_ns) * kPsPerNs);
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
    piece.uncertainty_at_first = to_time(knot.half_width_ticks * piece.ps_per_tick);
    piece.uncertainty_inside = piece.uncertainty_at_first;
    return piece;
  }

  const AnchoredClock& clock_;
  const PieceOptions& options_;
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
    const double rate = rate_between(a, b);
    return !(rate > usual / ratio && rate < usual * ratio);
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

}  // namespace

ClockFit fit_pieces(const AnchoredClock& clock, const PieceOptions& options) {
  if (clock.knots.empty()) return {};
  const double usual = options.usual_ticks_per_ns;
  PieceWriter writer(clock, options);
  const std::vector<KnotRun> runs = runs_of(clock, usual);
  const KnotRun* last = nullptr;
  for (const KnotRun& run : runs) {
    if (last != nullptr) {
      // Runs of hostile anchors may overlap; a tick has one time only.
      if (run.knots.front().ticks <= last->knots.back().ticks) continue;
      writer.add_approach(last->knots.back(), run);
    }
    writer.add(run);
    last = &run;
  }
  return writer.finish();
}

}  // namespace lockstep
