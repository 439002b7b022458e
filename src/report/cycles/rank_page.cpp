// Keys of what a stream's tables would show, and the table of ranks.
#include "report/cycles/rank_page.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/one_line.h"
#include "base/text.h"
#include "report/cycles/cycles_view.h"
#include "report/layout/quantities.h"

namespace lockstep::report::cycles {
namespace {

using Align = layout::Table::Align;

using LoopShape = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::size_t,
                             analysis::cycles::LoopRole, analysis::cycles::PhaseName>;
// What the streams of a group share. Streams without a loop are alike by the number of kernels; the
// last one tells apart what one rank has several of.
using StreamKey = std::tuple<std::vector<LoopShape>, std::size_t, std::uint32_t>;

std::vector<LoopShape> shapes_of(const analysis::cycles::StreamCycles& stream) {
  std::vector<LoopShape> shapes;
  for (const std::size_t i : shown_loops(stream, false)) {
    const analysis::cycles::NestLoop& nest = stream.nest.loops[i];
    const analysis::cycles::Loop& loop = stream.loops[i];
    shapes.emplace_back(nest.depth, nest.period, loop.complete, nest.instances.size(), loop.role,
                        loop.phase);
  }
  return shapes;
}

std::vector<std::size_t> by_kernels(const analysis::cycles::Cycles& cycles) {
  std::vector<std::size_t> order(cycles.streams.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return cycles.streams[i].stream.size(); });
  return order;
}

// One iteration of the main loop, or the whole stream where it has none.
struct RankTimes {
  Time p50;
  Time max;
  analysis::breakdown::Breakdown times;
};

RankTimes times_of(const analysis::cycles::StreamCycles& stream) {
  const std::optional<std::size_t> main = main_loop(stream);
  if (main) {
    const analysis::cycles::Loop& loop = stream.loops[*main];
    return {loop.wall.p50, loop.wall.max, loop.breakdown};
  }
  RankTimes whole;
  for (const analysis::cycles::PhaseSpan& span : stream.phases) whole.times.add(span.breakdown);
  whole.p50 = whole.max =
      wall_of(stream.stream, 0, static_cast<std::uint32_t>(stream.stream.size()));
  return whole;
}

}  // namespace

std::vector<std::vector<std::size_t>> streams_alike(const analysis::cycles::Cycles& cycles,
                                                    bool show_all) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<StreamKey, std::size_t> places;
  std::map<std::pair<StreamKey, trace::RankId>, std::uint32_t> seen;
  for (const std::size_t i : by_kernels(cycles)) {
    const analysis::cycles::StreamCycles& stream = cycles.streams[i];
    const std::vector<LoopShape> shapes = shapes_of(stream);
    StreamKey key{shapes, shapes.empty() ? stream.stream.size() : 0, 0};
    std::get<2>(key) = seen[{key, stream.stream.rank}]++;
    // With --all every stream has its section.
    const auto [place, is_new] = places.try_emplace(key, groups.size());
    if (is_new || show_all) {
      groups.push_back({i});
    } else {
      groups[place->second].push_back(i);
    }
  }
  for (std::vector<std::size_t>& group : groups) std::ranges::sort(group);
  return groups;
}

void add_ranks(const analysis::cycles::Cycles& cycles, const std::vector<std::size_t>& group,
               layout::Page& page) {
  if (group.size() < 2) return;
  std::vector<RankTimes> times;
  for (const std::size_t i : group) times.push_back(times_of(cycles.streams[i]));
  const auto [fastest, slowest] = std::ranges::minmax_element(times, {}, &RankTimes::p50);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < group.size(); ++k) {
    const analysis::cycles::KernelStream& stream = cycles.streams[group[k]].stream;
    const RankTimes& one = times[k];
    const Time behind = one.p50 - fastest->p50;
    rows.push_back(
        {stream.rank_number ? fmt::format("{}", *stream.rank_number) : one_line(stream.source),
         layout::or_dash(one_line(stream.device_id)), layout::or_dash(one_line(stream.stream_id)),
         grouped(stream.size()), human_time(one.p50), human_time(one.max),
         layout::share_of(one.times.busy(), one.times.wall),
         layout::share_of(one.times.idle(), one.times.wall),
         behind.ps == 0 ? "" : "+" + layout::share_of(behind.ps, fastest->p50.ps),
         &one == &*slowest && behind.ps > 0 ? "slowest" : ""});
  }
  const std::optional<std::size_t> main = main_loop(cycles.streams[group.front()]);
  page.nested_heading(
      main
          ? fmt::format("{} with the same loops, by the {}", counted(group.size(), "rank"),
                        loop_words(cycles.streams[group.front()].loops[*main]))
          : fmt::format("{} with as many kernels on such a stream", counted(group.size(), "rank")));
  page.table({{"rank", Align::kRight, true},
              {"device", Align::kRight, false, 2},
              {"stream", Align::kRight, false, 3},
              {"kernels", Align::kRight, false, 1},
              {"p50", Align::kRight},
              {"max", Align::kRight},
              {"busy", Align::kRight},
              {"idle", Align::kRight},
              {"behind", Align::kRight},
              {"", Align::kLeft}},
             std::move(rows));
}

}  // namespace lockstep::report::cycles
