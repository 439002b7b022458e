// A row a loop, and what is worth saying of it as lines below.
#include "report/cycles/loop_tree_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/loop_notes.h"
#include "report/cycles/loop_rows.h"
#include "report/layout/quantities.h"
#include "report/layout/sparkline.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kSparkCells = 24;
constexpr std::size_t kIndent = 2;  // a level of the tree

std::string indent(const analysis::cycles::NestLoop& loop) {
  return std::string(loop.depth * kIndent, ' ');
}

std::string spark_of(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  std::vector<Time> walls;
  for (const std::size_t i : row) {
    for (const analysis::cycles::IterationTime& iteration : stream.loops[i].iterations)
      walls.push_back(iteration.wall);
  }
  return layout::sparkline(walls, kSparkCells);
}

std::string match_words(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  std::uint64_t exceptions = 0;
  bool is_exact = true;
  for (const std::size_t i : row) {
    exceptions += stream.nest.loops[i].exceptions;
    is_exact = is_exact && stream.nest.loops[i].is_exact;
  }
  return is_exact ? "exact" : counted(exceptions, "exception");
}

// "24 x 42"; "24, 10 x 42" at places with unlike numbers of iterations.
std::string shape_words(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  std::vector<std::string> counts;
  for (const std::size_t i : row) {
    std::string count = grouped(stream.loops[i].complete);
    if (std::ranges::find(counts, count) == counts.end()) counts.push_back(std::move(count));
  }
  return fmt::format("{} x {}", fmt::join(counts, ", "),
                     grouped(stream.nest.loops[row.front()].period));
}

std::size_t instances_of(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  std::size_t instances = 0;
  for (const std::size_t i : row) instances += stream.nest.loops[i].instances.size();
  return instances;
}

// Of these places alone; the coverage counts equal loops elsewhere, too.
std::string share_of_stream(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  WideTime kernels = 0;
  for (const std::size_t i : row) {
    for (const analysis::cycles::IterationTime& iteration : stream.loops[i].iterations)
      kernels += iteration.kernels.size();
  }
  return layout::share_of(kernels, static_cast<WideTime>(stream.stream.size()));
}

std::vector<std::string> cells_of(const analysis::cycles::StreamCycles& stream,
                                  const LoopRow& row) {
  const analysis::cycles::NestLoop& nest = stream.nest.loops[row.front()];
  const analysis::breakdown::Breakdown times = breakdown_of(stream, row);
  return {indent(nest) + loop_words(stream.loops[row.front()]),
          indent(nest) + shape_words(stream, row),
          grouped(instances_of(stream, row)),
          human_time(median_wall(stream, row)),
          layout::share_of(times.busy(), times.wall),
          layout::share_of(times.idle(), times.wall),
          share_of_stream(stream, row),
          match_words(stream, row),
          border_words(nest.border),
          spark_of(stream, row)};
}

// Of equal loops at several places, which one is meant.
layout::RowNotes notes_on(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  std::vector<std::string> lines;
  if (stream.selected == row.front()) lines.emplace_back("selected by --mode");
  for (std::size_t k = 0; k < row.size(); ++k) {
    for (std::string& note : loop_notes(stream, row[k])) {
      if (row.size() > 1) note = fmt::format("place {}: {}", k + 1, note);
      if (std::ranges::find(lines, note) == lines.end()) lines.push_back(std::move(note));
    }
  }
  return {std::move(lines), (stream.nest.loops[row.front()].depth + 1) * kIndent};
}

}  // namespace

void add_loop_tree(const analysis::cycles::StreamCycles& stream,
                   const std::vector<std::size_t>& shown, layout::Page& page) {
  std::vector<std::vector<std::string>> rows;
  std::vector<layout::RowNotes> notes;
  for (const LoopRow& row : equal_loops(stream, shown)) {
    rows.push_back(cells_of(stream, row));
    notes.push_back(notes_on(stream, row));
  }
  page.table({{"loop", Align::kLeft},
              {"kernels", Align::kLeft},
              {"times", Align::kRight, false, 2},
              {"p50", Align::kRight},
              {"busy", Align::kRight, false, 6},
              {"idle", Align::kRight},
              {"share", Align::kRight, false, 1},
              {"match", Align::kLeft, false, 3},
              {"begins at", Align::kLeft, false, 4},
              {"iteration times", Align::kLeft, false, 5}},
             std::move(rows), std::move(notes));
}

}  // namespace lockstep::report::cycles
