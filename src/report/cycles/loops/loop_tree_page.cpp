// A row a loop, and what is worth saying of it as lines below.
#include "report/cycles/loops/loop_tree_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/loops/loop_notes.h"
#include "report/cycles/loops/loop_rows.h"
#include "report/layout/quantities.h"
#include "report/layout/sparkline.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kSparkCells = 24;
constexpr std::size_t kIndent = 2;     // a level of the tree
constexpr std::size_t kMaxNotes = 24;  // of a row; loops may be equal at thousands of places

std::string indent(const LoopRow& row) { return std::string(row.depth * kIndent, ' '); }

std::string match_words(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  std::uint64_t exceptions = 0;
  bool is_exact = !row.loops.empty();
  for (const std::size_t i : row.loops) {
    exceptions += stream.nest.loops[i].exceptions;
    is_exact = is_exact && stream.nest.loops[i].is_exact;
  }
  if (row.passes != nullptr) return {};  // runs of passes differ as they please
  if (is_exact) return "exact";
  return exceptions == 0 ? "varies" : counted(exceptions, "exception");
}

struct Sizes {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

// "601"; "601-2,539" where they are unlike.
std::string size_words(const Sizes& sizes) {
  return sizes.least == sizes.most
             ? grouped(sizes.least)
             : fmt::format("{}-{}", grouped(sizes.least), grouped(sizes.most));
}

// Of the iterations of a row. Where they differ by a few kernels the body tells of all.
Sizes loop_sizes(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  Sizes sizes;
  for (const std::size_t i : row.loops) {
    for (const analysis::cycles::IterationTime& iteration : stream.loops[i].iterations) {
      const std::uint32_t size = iteration.kernels.size();
      sizes.least = sizes.most == 0 ? size : std::min(sizes.least, size);
      sizes.most = std::max(sizes.most, size);
    }
  }
  const std::uint32_t period = stream.nest.loops[row.loops.front()].period;
  const bool are_alike = std::uint64_t{sizes.most} * 10 <= std::uint64_t{sizes.least} * 11;
  return are_alike ? Sizes{period, period} : sizes;
}

// "24 x 42"; "24, 10 x 42" at places with unlike numbers of iterations, "7 x 601-2,539" where
// iterations are unlike.
std::string loop_shape(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  std::vector<std::string> counts;
  for (const std::size_t i : row.loops) {
    std::string count = grouped(analysis::cycles::usual_iterations(stream.nest.loops[i]));
    if (std::ranges::find(counts, count) == counts.end()) counts.push_back(std::move(count));
  }
  return fmt::format("{} x {}", fmt::join(counts, ", "), size_words(loop_sizes(stream, row)));
}

// "5 x 101"; "5 x 99-101" where they have unlike numbers of kernels.
std::string pass_shape(const std::vector<analysis::cycles::Iteration>& passes) {
  const auto [least, most] =
      std::ranges::minmax(passes, {}, [](const auto& pass) { return pass.size(); });
  return fmt::format("{} x {}", grouped(passes.size()), size_words({least.size(), most.size()}));
}

std::string shape_words(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  return row.passes != nullptr ? pass_shape(row.passes->passes) : loop_shape(stream, row);
}

std::string row_words(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  if (!row.loops.empty()) return loop_words(stream.loops[row.loops.front()]);
  return loop_words(analysis::cycles::LoopRole::kPass, row.passes->phase);
}

std::size_t places_of(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  if (row.passes != nullptr) return row.spans.size();
  std::size_t instances = 0;
  for (const std::size_t i : row.loops) instances += stream.nest.loops[i].instances.size();
  return instances;
}

// Of these places alone; the coverage counts equal loops elsewhere, too.
std::string share_of_stream(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  WideTime kernels = 0;
  if (row.passes != nullptr) {
    for (const analysis::cycles::Iteration& pass : row.passes->passes) kernels += pass.size();
  } else {
    for (const std::size_t i : row.loops) {
      for (const analysis::cycles::IterationTime& iteration : stream.loops[i].iterations)
        kernels += iteration.kernels.size();
    }
  }
  return layout::share_of(kernels, static_cast<WideTime>(stream.stream.size()));
}

std::string row_border(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  if (row.loops.empty()) return {};
  return border_words(stream.nest.loops[row.loops.front()].border);
}

std::vector<std::string> cells_of(const analysis::cycles::StreamCycles& stream,
                                  const LoopRow& row) {
  const analysis::breakdown::Breakdown times = breakdown_of(stream, row);
  return {indent(row) + row_words(stream, row),
          indent(row) + shape_words(stream, row),
          grouped(places_of(stream, row)),
          human_time(median_wall(stream, row)),
          layout::share_of(times.busy(), times.wall),
          layout::share_of(times.idle(), times.wall),
          share_of_stream(stream, row),
          match_words(stream, row),
          row_border(stream, row),
          layout::sparkline(walls_of(stream, row), kSparkCells)};
}

// Of equal loops at several places, which one is meant. Of those inside passes that come in several
// runs nothing: they would tell of each run.
layout::RowNotes notes_on(const analysis::cycles::StreamCycles& stream, const LoopRow& row,
                          bool is_in_passes) {
  std::vector<std::string> lines;
  const bool is_selected =
      stream.selected && std::ranges::find(row.loops, *stream.selected) != row.loops.end();
  if (is_selected) lines.emplace_back("selected by --mode");
  const bool is_told = !is_in_passes || row.loops.size() == 1;
  std::size_t notes = 0;
  for (std::size_t k = 0; is_told && k < row.loops.size(); ++k) {
    for (std::string& note : loop_notes(stream, row.loops[k])) {
      if (row.loops.size() > 1)
        note = fmt::format("{} {}: {}", row.passes != nullptr ? "run" : "place", k + 1, note);
      if (++notes <= kMaxNotes) lines.push_back(std::move(note));
    }
  }
  if (notes > kMaxNotes)
    lines.push_back(fmt::format("and {}", counted(notes - kMaxNotes, "more note")));
  return {std::move(lines), (row.depth + 1) * kIndent};
}

}  // namespace

void add_loop_tree(const analysis::cycles::StreamCycles& stream, std::span<const LoopRow> rows,
                   layout::Page& page) {
  std::vector<std::vector<std::string>> cells;
  std::vector<layout::RowNotes> notes;
  bool is_in_passes = false;
  for (const LoopRow& row : rows) {
    if (row.depth == 0) is_in_passes = row.passes != nullptr;
    cells.push_back(cells_of(stream, row));
    notes.push_back(notes_on(stream, row, is_in_passes && row.depth > 0));
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
             std::move(cells), std::move(notes));
}

}  // namespace lockstep::report::cycles
