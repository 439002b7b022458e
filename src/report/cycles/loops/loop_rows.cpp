// A tree of rows first, then the rows from the top of it to the bottom.
#include "report/cycles/loops/loop_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "algo/statistics/statistics.h"
#include "analysis/cycles/measure/measure.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/loops/scattered_passes.h"

namespace lockstep::report::cycles {
namespace {

constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
constexpr std::uint32_t kAnyBody = static_cast<std::uint32_t>(-1);

// What equal loops share; the first is the row around them, the second their body.
using LoopKey = std::tuple<std::size_t, std::uint32_t, std::uint32_t, analysis::cycles::LoopRole,
                           analysis::cycles::PhaseName, bool>;

class RowTree {
 public:
  RowTree(const analysis::cycles::StreamCycles& stream, const std::vector<std::size_t>& shown)
      : stream_(stream),
        families_(scattered_families(stream)),
        family_rows_(families_.size()),
        row_of_(stream.loops.size(), kNoRow) {
    find_passes();
    for (const std::size_t i : shown) add(i);
    for (std::size_t f = 0; f < families_.size(); ++f) add_family(f);
  }

  [[nodiscard]] std::vector<LoopRow> rows() const {
    std::vector<LoopRow> flat;
    for (const std::size_t top : top_) flatten(top, 0, flat);
    return flat;
  }

 private:
  struct Node {
    LoopRow row;
    std::vector<std::size_t> inside;
  };

  // A pass of a scattered family.
  struct Pass {
    analysis::cycles::Iteration kernels;
    std::size_t family = 0;
    std::size_t number = 0;  // of its class
  };

  void find_passes() {
    for (std::size_t f = 0; f < families_.size(); ++f) {
      for (std::size_t c = 0; c < families_[f].classes.size(); ++c) {
        for (const analysis::cycles::Iteration& pass : families_[f].classes[c].passes->passes)
          passes_.push_back({pass, f, c});
      }
    }
    std::ranges::sort(passes_, {}, [](const Pass& pass) { return pass.kernels.start; });
  }

  // The pass that a kernel lies in; null where it lies in none.
  [[nodiscard]] const Pass* pass_at(std::uint32_t kernel) const {
    const auto after = std::ranges::upper_bound(
        passes_, kernel, {}, [](const Pass& pass) { return pass.kernels.start; });
    if (after == passes_.begin() || (after - 1)->kernels.end <= kernel) return nullptr;
    return &*(after - 1);
  }

  std::size_t add_node(std::size_t around) {
    const std::size_t index = nodes_.size();
    nodes_.emplace_back();
    (around == kNoRow ? top_ : nodes_[around].inside).push_back(index);
    return index;
  }

  // All classes of a family stand together, where the first loop of any of them does.
  void add_family(std::size_t family) {
    if (!family_rows_[family].empty()) return;
    for (const ScatteredFamily::Class& one : families_[family].classes) {
      const std::size_t row = add_node(kNoRow);
      nodes_[row].row.passes = one.passes;
      nodes_[row].row.spans = one.spans;
      family_rows_[family].push_back(row);
    }
  }

  // The row of the passes that a loop is a run of, or lies in.
  [[nodiscard]] std::size_t class_row(const Pass& pass) {
    add_family(pass.family);
    return family_rows_[pass.family][pass.number];
  }

  // Passes lie in its iterations one after the other, by chance: their rows tell of them.
  [[nodiscard]] bool is_hidden(std::size_t i, const Pass& first) const {
    const analysis::cycles::LoopInstance& instance = stream_.nest.loops[i].instances.front();
    return stream_.loops[i].role == analysis::cycles::LoopRole::kUnknown &&
           instance.end() > first.kernels.end;
  }

  void add(std::size_t i) {
    const analysis::cycles::NestLoop& nest = stream_.nest.loops[i];
    std::size_t around = kNoRow;
    if (nest.parent != analysis::cycles::kNoLoop)
      around = row_of_[static_cast<std::size_t>(nest.parent)];
    const Pass* const pass = around == kNoRow && !nest.instances.empty()
                                 ? pass_at(nest.instances.front().start())
                                 : nullptr;
    if (pass != nullptr) {
      if (is_hidden(i, *pass)) return;
      around = class_row(*pass);
      if (nest.instances.front().iterations.front() == pass->kernels) return put(i, around);
    }
    add_below(i, around);
  }

  void add_below(std::size_t i, std::size_t around) {
    const analysis::cycles::NestLoop& nest = stream_.nest.loops[i];
    const analysis::cycles::Loop& loop = stream_.loops[i];
    const bool is_in_family = around != kNoRow && nodes_[around].row.passes != nullptr;
    const LoopKey key{around,      is_in_family ? kAnyBody : nest.id,
                      nest.period, loop.role,
                      loop.phase,  stream_.selected == i};
    const auto known = rows_.find(key);
    const std::size_t row = known != rows_.end() ? known->second : add_node(around);
    if (known == rows_.end()) rows_.emplace(key, row);
    put(i, row);
  }

  void put(std::size_t loop, std::size_t row) {
    nodes_[row].row.loops.push_back(loop);
    row_of_[loop] = row;
  }

  void flatten(std::size_t node, std::uint32_t depth, std::vector<LoopRow>& flat) const {
    flat.push_back(nodes_[node].row);
    flat.back().depth = depth;
    for (const std::size_t inside : nodes_[node].inside) flatten(inside, depth + 1, flat);
  }

  const analysis::cycles::StreamCycles& stream_;
  std::vector<ScatteredFamily> families_;
  std::vector<Pass> passes_;  // by start
  std::vector<std::vector<std::size_t>> family_rows_;
  std::vector<std::size_t> row_of_;  // by loop
  std::vector<Node> nodes_;
  std::vector<std::size_t> top_;
  std::map<LoopKey, std::size_t> rows_;
};

}  // namespace

std::vector<LoopRow> loop_rows(const analysis::cycles::StreamCycles& stream,
                               const std::vector<std::size_t>& shown) {
  return RowTree(stream, shown).rows();
}

std::vector<Time> walls_of(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  if (row.passes != nullptr) return pass_walls(stream.stream, row.passes->passes);
  std::vector<Time> walls;
  for (const std::size_t i : row.loops) {
    for (const analysis::cycles::IterationTime& iteration : stream.loops[i].iterations)
      walls.push_back(iteration.wall);
  }
  return walls;
}

Time median_wall(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  std::vector<std::int64_t> walls;
  if (row.passes != nullptr) {
    for (const Time wall : walls_of(stream, row)) walls.push_back(wall.ps);
    return Time{algo::median(walls)};
  }
  if (row.loops.size() == 1) return stream.loops[row.loops.front()].wall.p50;
  for (const std::size_t i : row.loops) {
    const analysis::cycles::Loop& loop = stream.loops[i];
    for (const std::uint32_t number :
         analysis::cycles::comparable_iterations(stream.nest.loops[i])) {
      walls.push_back(loop.iterations[number].wall.ps);
    }
  }
  return walls.empty() ? Time{} : Time{algo::median(walls)};
}

analysis::breakdown::Breakdown breakdown_of(const analysis::cycles::StreamCycles& stream,
                                            const LoopRow& row) {
  if (row.passes != nullptr) return row.passes->breakdown;
  analysis::breakdown::Breakdown sums;
  for (const std::size_t i : row.loops) sums.add(stream.loops[i].breakdown);
  return sums;
}

}  // namespace lockstep::report::cycles
