// Tables.
#include "report/anomalies/anomalies_structure_page.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "report/anomalies/words/structure_words.h"
#include "report/anomalies/words/word_parts.h"
#include "report/layout/quantities.h"
#include "report/layout/text_width.h"

namespace lockstep::report::anomalies {
namespace {

using Align = layout::Table::Align;
using Row = std::vector<std::string>;

constexpr std::size_t kTypes = 6;
constexpr std::size_t kNameWidth = 28;
constexpr std::size_t kOps = 5;
constexpr std::size_t kAnchors = 4;
constexpr std::size_t kFullOps = 20;

WideTime mean_of(WideTime sum, std::uint64_t count) {
  return count == 0 ? 0 : sum / static_cast<WideTime>(count);
}

std::string readings_words(analysis::anomalies::ClockReadings readings) {
  return readings.empty() ? "" : fmt::format("{}", fmt::join(names_of(readings), ", "));
}

std::string or_dash(WideTime time) { return time == 0 ? "-" : layout::human_time_of(time); }

Row clocks_row(std::string name, const analysis::anomalies::Clocks& clocks, WideTime inside,
               WideTime before, analysis::anomalies::ClockReadings readings) {
  return {std::move(name),
          human_time(clocks.wall),
          human_time(clocks.busy),
          layout::human_time_of(clocks.kernel_sum),
          layout::human_time_of(clocks.total_cost),
          or_dash(inside),
          or_dash(before),
          readings_words(readings)};
}

std::vector<layout::Table::Column> clock_columns() {
  return {{"structure", Align::kLeft},
          {"wall", Align::kRight},
          {"busy", Align::kRight},
          {"kernel sum", Align::kRight},
          {"total cost", Align::kRight},
          {"bubbles", Align::kRight, false, 2},
          {"gap before", Align::kRight, false, 1},
          {"reading", Align::kLeft, false, 3}};
}

// The structure that takes longest, split: its main path and what runs beside it.
void add_split(const analysis::anomalies::StructureBreakdown& breakdown,
               const analysis::anomalies::DeviceAnomalies& device, std::vector<Row>& rows,
               std::vector<layout::PageItem>& ops) {
  const auto costliest = std::ranges::max_element(
      breakdown.structures, {},
      [](const analysis::anomalies::Structure& one) { return one.clocks.wall; });
  if (costliest == breakdown.structures.end()) return;
  for (const bool is_block : {true, false}) {
    const analysis::anomalies::BlockOrSide& part = is_block ? costliest->block : costliest->side;
    if (part.kernels == 0) continue;
    const std::string name =
        fmt::format("{} of {}", is_block ? "block" : "side", structure_words(costliest->name));
    rows.push_back(clocks_row(name, part.clocks, 0, 0, part.readings));
    std::vector<std::string> words;
    for (const analysis::anomalies::OpShare& share : part.ops) {
      if (words.size() == 3) break;
      words.push_back(fmt::format("{} {}", layout::human_time_of(share.clocks.total_cost),
                                  device.ops.rows[share.row].text));
    }
    ops.push_back({fmt::format("{}:", name), fmt::format("{}", fmt::join(words, "; "))});
  }
}

void add_breakdown(const analysis::anomalies::StructureBreakdown& breakdown,
                   const analysis::anomalies::DeviceAnomalies& device, std::size_t group,
                   bool is_full, layout::Page& page) {
  const analysis::anomalies::AnomalyStep& step = device.steps[breakdown.step];
  const bool has_parts = breakdown.evidence != analysis::anomalies::StructureEvidence::kNone;
  page.heading(fmt::format("Where the time of {} goes (group {}, {})", step_name(step),
                           device.groups[group].id,
                           has_parts ? fmt::format("structures by {}", name_of(breakdown.evidence))
                                     : std::string("no structures found")));
  std::vector<Row> rows = {clocks_row("step", breakdown.clocks, breakdown.bubbles_inside,
                                      breakdown.bubbles_between, breakdown.readings)};
  for (const analysis::anomalies::StructureType& type : breakdown.types) {
    if (!has_parts || (!is_full && rows.size() > kTypes)) break;
    rows.push_back(
        clocks_row(fmt::format("{} x {}", grouped(type.count), structure_type_words(type.kind)),
                   type.clocks, type.bubbles_inside, type.gaps_before, type.readings));
  }
  std::vector<layout::PageItem> ops;
  add_split(breakdown, device, rows, ops);
  // Columns give way before names do.
  for (Row& row : rows) {
    if (!is_full) row.front() = layout::shorten_middle(one_line(row.front()), kNameWidth);
  }
  page.table(clock_columns(), std::move(rows));
  if (is_full) page.list(std::move(ops));
}

}  // namespace

void add_structure(const analysis::anomalies::DeviceAnomalies& device,
                   const AnomaliesDetail& detail, layout::Page& page) {
  for (std::size_t g = 0; g < device.structures.size(); ++g) {
    if (g > 0 && !detail.is_full) break;
    if (device.structures[g].structures.empty()) continue;
    add_breakdown(device.structures[g], device, g, detail.is_full, page);
  }
}

void add_operators(const analysis::anomalies::DeviceAnomalies& device, const std::string& small_ops,
                   const AnomaliesDetail& detail, layout::Page& page) {
  const analysis::anomalies::OpTable& ops = device.ops;
  const std::size_t count = std::min(ops.rows.size(), detail.is_full ? kFullOps : kOps);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const analysis::anomalies::OpRow& costly = ops.rows[i];
    const analysis::anomalies::OpRow& lasting = ops.rows[ops.by_duration[i]];
    rows.push_back({layout::human_time_of(costly.total_cost()),
                    layout::share_of(costly.to_device, costly.total_cost()), costly.text,
                    layout::human_time_of(lasting.duration), grouped(lasting.count), lasting.text});
  }
  page.heading("Operators by total cost (duration + gap before) and by duration");
  page.table({{"total cost", Align::kRight},
              {"waiting", Align::kRight},
              {"by total cost", Align::kLeft, true, 0, layout::Table::Holds::kKernels},
              {"duration", Align::kRight},
              {"count", Align::kRight, false, 1},
              {"by duration", Align::kLeft, true, 0, layout::Table::Holds::kKernels}},
             std::move(rows));
  if (!small_ops.empty()) page.paragraph(small_ops);
}

void add_wait_anchors(const analysis::anomalies::DeviceAnomalies& device,
                      const AnomaliesDetail& detail, layout::Page& page) {
  const analysis::anomalies::OpTable& ops = device.ops;
  std::vector<std::uint32_t> anchors = ops.wait_anchors;
  for (const std::uint32_t i : ops.compute_wait_anchors) {
    if (std::ranges::count(anchors, i) == 0) anchors.push_back(i);
  }
  if (anchors.empty()) return;
  std::vector<Row> rows;
  for (const std::uint32_t i : anchors) {
    if (!detail.is_full && rows.size() == kAnchors) break;
    const analysis::anomalies::OpRow& row = ops.rows[i];
    const bool is_over_all = std::ranges::count(ops.wait_anchors, i) > 0;
    const bool is_over_computing = std::ranges::count(ops.compute_wait_anchors, i) > 0;
    rows.push_back(
        {layout::human_time_of(mean_of(row.total_cost(), row.count)),
         layout::human_time_of(mean_of(row.duration, row.count)),
         row.waits_in_artefact() ? "artefact" : layout::share_of(row.to_device, row.total_cost()),
         grouped(row.count),
         is_over_all ? (is_over_computing ? "both" : "all rows") : "computing rows", row.text});
  }
  page.heading(fmt::format(
      "Wait anchors ({} of {}): the device had idled before them; they are not slow themselves",
      rows.size(), anchors.size()));
  page.table({{"mean cost", Align::kRight},
              {"mean duration", Align::kRight},
              {"waiting", Align::kRight},
              {"count", Align::kRight},
              {"ranked over", Align::kLeft, false, 1},
              {"operator", Align::kLeft, true, 0, layout::Table::Holds::kKernels}},
             std::move(rows));
}

void add_aicpu(const analysis::anomalies::DeviceAnomalies& device, const trace::Trace& trace,
               const AnomaliesDetail& detail, layout::Page& page) {
  if (device.ops.aicpu.empty()) return;
  struct Sum {
    std::uint64_t count = 0;
    WideTime duration = 0;
    WideTime masked = 0;
  };
  std::map<std::pair<analysis::anomalies::AicpuClass, std::string>, Sum> sums;
  for (const analysis::anomalies::AicpuRow& one : device.ops.aicpu) {
    const std::string name = kernel_name(trace, device.timeline.kernels[one.kernel]);
    Sum& sum = sums[{one.aicpu, name}];
    ++sum.count;
    sum.duration += one.duration.ps;
    sum.masked += one.masked.ps;
  }
  std::vector<std::tuple<WideTime, analysis::anomalies::AicpuClass, std::string, Sum>> order;
  for (const auto& [key, sum] : sums) {
    order.emplace_back(sum.masked - sum.duration, key.first, key.second, sum);
  }
  std::ranges::sort(order, {}, [](const auto& one) {
    return std::tuple(std::get<0>(one), std::get<1>(one), std::get<2>(one));
  });
  std::vector<Row> rows;
  for (const auto& [exposed, aicpu, name, sum] : order) {
    if (!detail.is_full && rows.size() == kOps) break;
    rows.push_back({layout::human_time_of(sum.duration), layout::share_of(sum.masked, sum.duration),
                    grouped(sum.count), std::string(name_of(aicpu)), name});
  }
  page.heading(fmt::format("AI CPU ({} of {})", counted(rows.size(), "row"), order.size()));
  page.table({{"duration", Align::kRight},
              {"masked", Align::kRight},
              {"count", Align::kRight},
              {"class", Align::kLeft},
              {"operator", Align::kLeft, true, 0, layout::Table::Holds::kKernels}},
             std::move(rows));
}

}  // namespace lockstep::report::anomalies
