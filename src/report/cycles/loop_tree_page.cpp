// A row a loop; regimes, outliers, trends and cut-off iterations as lines below their loop.
#include "report/cycles/loop_tree_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/layout/quantities.h"
#include "report/layout/sparkline.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kSparkCells = 24;
constexpr std::size_t kMaxRegimes = 4;
constexpr std::size_t kMaxOutliers = 3;
constexpr std::size_t kIndent = 2;  // a level of the tree
// A trend over all iterations that is less of the median than this is in the JSON only.
constexpr double kMinDrift = 0.05;

std::string indent(const analysis::cycles::NestLoop& loop) {
  return std::string(loop.depth * kIndent, ' ');
}

std::string spark_of(const analysis::cycles::Loop& loop) {
  std::vector<Time> walls;
  for (const analysis::cycles::IterationTime& iteration : loop.iterations)
    walls.push_back(iteration.wall);
  return layout::sparkline(walls, kSparkCells);
}

std::string border_words(analysis::cycles::BorderEvidence border) {
  std::string words(name_of(border));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string match_words(const analysis::cycles::NestLoop& loop) {
  if (loop.is_exact) return "exact";
  return counted(loop.exceptions, "exception");
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

std::string outliers_note(const analysis::cycles::Loop& loop) {
  if (loop.outliers.empty()) return {};
  std::vector<const analysis::cycles::Outlier*> slowest;
  for (const analysis::cycles::Outlier& outlier : loop.outliers) slowest.push_back(&outlier);
  std::ranges::stable_sort(slowest, std::ranges::greater{},
                           [](const analysis::cycles::Outlier* outlier) { return outlier->wall; });
  std::vector<std::string> words;
  for (const analysis::cycles::Outlier* outlier : slowest) {
    if (words.size() == kMaxOutliers) {
      words.push_back(fmt::format("and {} more", grouped(slowest.size() - kMaxOutliers)));
      break;
    }
    words.push_back(fmt::format("{} with {}", outlier->iteration + 1, human_time(outlier->wall)));
  }
  return fmt::format("{}: iteration {}", counted(loop.outliers.size(), "outlier"),
                     fmt::join(words, ", "));
}

std::string trend_note(const analysis::cycles::Loop& loop) {
  if (!loop.trend || !loop.trend->is_significant) return {};
  if (loop.regimes.size() > 1) return {};  // steps, which are told already
  const double slope = loop.trend->ps_per_iteration;
  const double drift = std::abs(slope) * static_cast<double>(loop.iterations.size());
  if (drift < kMinDrift * static_cast<double>(loop.wall.p50.ps)) return {};
  const Time step{static_cast<std::int64_t>(std::abs(slope))};
  return fmt::format("iterations get {} by {} each", slope < 0 ? "shorter" : "longer",
                     human_time(step));
}

std::string partial_note(const analysis::cycles::Loop& loop) {
  if (loop.partial == 0) return {};
  return counted(loop.partial, "iteration") + " cut off, not counted";
}

std::string anchors_note(const analysis::cycles::NestLoop& loop, analysis::cycles::LoopRole role) {
  if (role != analysis::cycles::LoopRole::kLayer || loop.anchors_per_body < 2) return {};
  return fmt::format("{} layers in each iteration", loop.anchors_per_body);
}

std::vector<std::string> notes_on(const analysis::cycles::NestLoop& nest,
                                  const analysis::cycles::Loop& loop) {
  std::vector<std::string> notes;
  for (std::string note : {anchors_note(nest, loop.role), partial_note(loop), regimes_note(loop),
                           outliers_note(loop), trend_note(loop)}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

// Of this place alone; the coverage counts equal loops at other places, too.
double share_of_stream(const analysis::cycles::StreamCycles& stream,
                       const analysis::cycles::Loop& loop) {
  std::uint64_t kernels = 0;
  for (const analysis::cycles::IterationTime& iteration : loop.iterations)
    kernels += iteration.kernels.size();
  return stream.stream.size() == 0
             ? 0
             : static_cast<double>(kernels) / static_cast<double>(stream.stream.size());
}

}  // namespace

void add_loop_tree(const analysis::cycles::StreamCycles& stream,
                   const std::vector<std::size_t>& shown, layout::Page& page) {
  std::vector<std::vector<std::string>> rows;
  std::vector<layout::RowNotes> notes;
  for (const std::size_t i : shown) {
    const analysis::cycles::NestLoop& nest = stream.nest.loops[i];
    const analysis::cycles::Loop& loop = stream.loops[i];
    rows.push_back(
        {indent(nest) + loop_words(loop),
         indent(nest) + fmt::format("{} x {}", grouped(loop.complete), grouped(nest.period)),
         grouped(nest.instances.size()), human_time(loop.wall.p50),
         layout::percent_of(share_of_stream(stream, loop)), match_words(nest),
         border_words(nest.border), spark_of(loop)});
    std::vector<std::string> lines = notes_on(nest, loop);
    if (stream.selected == i) lines.insert(lines.begin(), "selected by --mode");
    notes.push_back({std::move(lines), (nest.depth + 1) * kIndent});
  }
  page.table({{"loop", Align::kLeft},
              {"kernels", Align::kLeft},
              {"times", Align::kRight, false, 1},
              {"p50", Align::kRight},
              {"share", Align::kRight, false, 2},
              {"match", Align::kLeft, false, 3},
              {"border", Align::kLeft, false, 4},
              {"iteration times", Align::kLeft, false, 5}},
             std::move(rows), std::move(notes));
}

}  // namespace lockstep::report::cycles
