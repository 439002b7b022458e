// A function a note; empty where it has nothing to say.
#include "report/cycles/loops/loop_notes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/cycles/measure/measure.h"
#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/layout/quantities.h"

namespace lockstep::report::cycles {
namespace {

constexpr std::size_t kMaxRegimes = 4;
constexpr std::size_t kMaxOutliers = 3;
constexpr std::size_t kMaxOddPlaces = 3;

// A layer is called so; an iteration of anything else is one.
std::string_view iteration_word(const analysis::cycles::Loop& loop) {
  return loop.role == analysis::cycles::LoopRole::kLayer ? "layer" : "iteration";
}

// People count from 1.
std::string regime_words(const analysis::cycles::Regime& regime) {
  const std::string range = regime.first == regime.last
                                ? fmt::format("{}", regime.first + 1)
                                : fmt::format("{}-{}", regime.first + 1, regime.last + 1);
  return fmt::format("{} at {}", range, human_time(regime.median_wall));
}

std::string regimes_note(const analysis::cycles::Loop& loop) {
  if (loop.regimes.size() < 2) return {};
  std::vector<std::string> words;
  for (const analysis::cycles::Regime& regime : loop.regimes) {
    if (words.size() == kMaxRegimes) {
      words.push_back(fmt::format("and {} more", loop.regimes.size() - kMaxRegimes));
      break;
    }
    words.push_back(regime_words(regime));
  }
  const std::string count = loop.regimes.size() == 2 ? "two" : grouped(loop.regimes.size());
  return fmt::format("{} regimes: iterations {}", count, fmt::join(words, ", "));
}

// The iteration of the loop around it that holds this one, from 0.
std::size_t iteration_around(const analysis::cycles::Loop& around,
                             const analysis::cycles::IterationTime& inside) {
  const auto after = std::ranges::upper_bound(
      around.iterations, inside.kernels.start, {},
      [](const analysis::cycles::IterationTime& one) { return one.kernels.start; });
  return static_cast<std::size_t>(after - around.iterations.begin()) -
         (after == around.iterations.begin() ? 0 : 1);
}

// "3", or "layer 2 of decode pass 9" where the loop lies in another.
std::string outlier_place(const analysis::cycles::StreamCycles& stream, std::size_t i,
                          const analysis::cycles::Outlier& outlier) {
  const std::int32_t parent = stream.nest.loops[i].parent;
  if (parent == analysis::cycles::kNoLoop) return fmt::format("{}", outlier.iteration + 1);
  const analysis::cycles::Loop& loop = stream.loops[i];
  const analysis::cycles::Loop& around = stream.loops[static_cast<std::size_t>(parent)];
  return fmt::format("{} {} of {} {}", iteration_word(loop), outlier.place + 1, loop_words(around),
                     iteration_around(around, loop.iterations[outlier.iteration]) + 1);
}

// Those that come back at one place are told once, by odd_places_note.
std::string outliers_note(const analysis::cycles::StreamCycles& stream, std::size_t i) {
  std::vector<const analysis::cycles::Outlier*> slowest;
  for (const analysis::cycles::Outlier& outlier : stream.loops[i].outliers) {
    if (!outlier.is_recurring) slowest.push_back(&outlier);
  }
  if (slowest.empty()) return {};
  const std::size_t count = slowest.size();
  std::ranges::stable_sort(slowest, std::ranges::greater{}, &analysis::cycles::Outlier::wall);
  slowest.resize(std::min(count, kMaxOutliers));
  std::vector<std::string> words;
  for (const analysis::cycles::Outlier* outlier : slowest) {
    words.push_back(
        fmt::format("{} with {}", outlier_place(stream, i, *outlier), human_time(outlier->wall)));
  }
  if (count > kMaxOutliers)
    words.push_back(fmt::format("and {} more", grouped(count - kMaxOutliers)));
  const bool is_inside = stream.nest.loops[i].parent != analysis::cycles::kNoLoop;
  return fmt::format("{}: {}{}", counted(count, "outlier"), is_inside ? "" : "iteration ",
                     fmt::join(words, ", "));
}

// "layer 1 mostly takes 58.201 ms"
std::string odd_places_note(const analysis::cycles::Loop& loop) {
  if (loop.odd_places.empty()) return {};
  std::vector<std::string> words;
  for (const analysis::cycles::OddPlace& odd : loop.odd_places) {
    if (words.size() == kMaxOddPlaces) {
      words.push_back(fmt::format("and {} more", grouped(loop.odd_places.size() - kMaxOddPlaces)));
      break;
    }
    words.push_back(fmt::format("{} {} mostly takes {}", iteration_word(loop), odd.place + 1,
                                human_time(odd.median_wall)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// The loop around a loop tells how the run goes; inside a pass, layers differ by their place.
std::string trend_note(const analysis::cycles::NestLoop& nest, const analysis::cycles::Loop& loop) {
  if (!loop.trend || !loop.trend->is_significant) return {};
  if (loop.regimes.size() > 1) return {};  // steps, which are told already
  if (nest.parent != analysis::cycles::kNoLoop) return {};
  const double drift = loop.trend->drift;
  if (std::abs(drift) < analysis::cycles::kDriftThatMatters) return {};
  return fmt::format("iterations get {} {} over the run", layout::percent_of(std::abs(drift)),
                     drift < 0 ? "shorter" : "longer");
}

std::string partial_note(const analysis::cycles::Loop& loop) {
  if (loop.partial == 0) return {};
  return fmt::format("{} more {} incomplete and not counted", grouped(loop.partial),
                     loop.partial == 1 ? "iteration is" : "iterations are");
}

std::string anchors_note(const analysis::cycles::NestLoop& loop, analysis::cycles::LoopRole role) {
  if (role != analysis::cycles::LoopRole::kLayer || loop.anchors_per_body < 2) return {};
  return fmt::format("{} layers in each iteration", loop.anchors_per_body);
}

}  // namespace

std::vector<std::string> loop_notes(const analysis::cycles::StreamCycles& stream,
                                    std::size_t loop) {
  const analysis::cycles::NestLoop& nest = stream.nest.loops[loop];
  const analysis::cycles::Loop& measured = stream.loops[loop];
  std::vector<std::string> notes;
  for (std::string note :
       {anchors_note(nest, measured.role), partial_note(measured), regimes_note(measured),
        outliers_note(stream, loop), odd_places_note(measured), trend_note(nest, measured)}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace lockstep::report::cycles
