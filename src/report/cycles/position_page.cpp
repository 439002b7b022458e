// Groups positions by name and lists them.
#include "report/cycles/position_page.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/layout/quantities.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;

void add_to(PositionGroup& group, std::size_t at, const analysis::cycles::Position& one) {
  const bool is_first = group.positions == 0;
  if (is_first) group.first = at;
  ++group.positions;
  group.count += one.count;
  group.sum += one.sum;
  group.share += one.share;
  group.min = is_first ? one.min : std::min(group.min, one.min);
  group.max = is_first ? one.max : std::max(group.max, one.max);
}

void add_positions_of(const analysis::cycles::Loop& loop, std::size_t top, layout::Page& page) {
  const std::vector<analysis::cycles::Position>& positions = loop.positions;
  if (positions.empty()) return;
  std::vector<PositionGroup> groups = grouped_positions(positions);
  const std::size_t all = groups.size();
  if (top != 0 && groups.size() > top) groups.resize(top);
  const double iterations = static_cast<double>(std::max<std::size_t>(loop.iterations.size(), 1));
  std::vector<std::vector<std::string>> rows;
  double shown = 0;
  for (const PositionGroup& group : groups) {
    const analysis::cycles::Position& one = positions[group.first];
    shown += group.share;
    rows.push_back({layout::mean_time(static_cast<double>(group.sum) / iterations),
                    layout::percent_of(group.share), grouped(group.positions), grouped(group.first),
                    layout::mean_time(group.mean_ps()), human_time(group.min),
                    human_time(group.max), layout::mean_time(group.stddev_ps), grouped(group.count),
                    std::string(name_of(one.role)), layout::named(one.name)});
  }
  page.nested_heading(fmt::format("Kernels of the {}: {} of {}, {} of its kernel time",
                                  loop_words(loop), grouped(groups.size()), grouped(all),
                                  layout::percent_of(shown)));
  page.table({{"time", Align::kRight},
              {"share", Align::kRight},
              {"positions", Align::kRight, false, 7},
              {"first at", Align::kRight, false, 2},
              {"mean", Align::kRight, false, 8},
              {"min", Align::kRight, false, 3},
              {"max", Align::kRight, false, 4},
              {"stddev", Align::kRight, false, 5},
              {"count", Align::kRight, false, 1},
              {"role", Align::kLeft, false, 6},
              {"kernel", Align::kLeft, true, 0, layout::Table::Holds::kKernels}},
             std::move(rows));
}

}  // namespace

double PositionGroup::mean_ps() const {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

std::vector<PositionGroup> grouped_positions(
    const std::vector<analysis::cycles::Position>& positions) {
  std::vector<PositionGroup> groups;
  std::map<std::string_view, std::size_t> places;
  std::vector<std::size_t> place_of;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(positions[i].name, groups.size());
    if (is_new) groups.emplace_back();
    place_of.push_back(place->second);
    add_to(groups[place->second], i, positions[i]);
  }
  // The deviation around the common mean: that inside each position, and that of its mean.
  std::vector<double> squares(groups.size(), 0);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double off = positions[i].mean_ps - groups[place_of[i]].mean_ps();
    squares[place_of[i]] += static_cast<double>(positions[i].count) *
                            (positions[i].stddev_ps * positions[i].stddev_ps + off * off);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto count = static_cast<double>(std::max<std::uint64_t>(groups[g].count, 1));
    groups[g].stddev_ps = std::sqrt(squares[g] / count);
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &PositionGroup::sum);
  return groups;
}

void add_positions(const analysis::cycles::StreamCycles& cycles, std::size_t top,
                   layout::Page& page) {
  const std::optional<std::size_t> main = main_loop(cycles);
  if (!main) return;
  add_positions_of(cycles.loops[*main], top, page);
  const std::optional<std::size_t> child = main_child(cycles, *main);
  if (child) add_positions_of(cycles.loops[*child], top, page);
}

}  // namespace lockstep::report::cycles
