// Loops by what makes them equal, in the order of the first of each.
#include "report/cycles/loop_rows.h"

#include <cstdint>
#include <map>
#include <tuple>

#include "algo/statistics/statistics.h"
#include "analysis/cycles/measure/measure.h"

namespace lockstep::report::cycles {
namespace {

constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// What equal loops share; the first is the row of the loop around them.
using LoopKey = std::tuple<std::size_t, std::uint32_t, std::uint32_t, analysis::cycles::LoopRole,
                           analysis::cycles::PhaseName, bool>;

}  // namespace

std::vector<LoopRow> equal_loops(const analysis::cycles::StreamCycles& stream,
                                 const std::vector<std::size_t>& shown) {
  std::vector<std::size_t> row_of(stream.loops.size(), kNoRow);
  std::map<LoopKey, std::size_t> rows;
  std::vector<LoopRow> result;
  for (const std::size_t i : shown) {
    const analysis::cycles::NestLoop& nest = stream.nest.loops[i];
    const analysis::cycles::Loop& loop = stream.loops[i];
    const std::size_t around = nest.parent == analysis::cycles::kNoLoop
                                   ? kNoRow
                                   : row_of[static_cast<std::size_t>(nest.parent)];
    const LoopKey key{around, nest.id, nest.period, loop.role, loop.phase, stream.selected == i};
    const auto [place, is_new] = rows.try_emplace(key, result.size());
    if (is_new) result.emplace_back();
    result[place->second].push_back(i);
    row_of[i] = place->second;
  }
  return result;
}

Time median_wall(const analysis::cycles::StreamCycles& stream, const LoopRow& row) {
  if (row.size() == 1) return stream.loops[row.front()].wall.p50;
  std::vector<std::int64_t> walls;
  for (const std::size_t i : row) {
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
  analysis::breakdown::Breakdown sums;
  for (const std::size_t i : row) sums.add(stream.loops[i].breakdown);
  return sums;
}

}  // namespace lockstep::report::cycles
