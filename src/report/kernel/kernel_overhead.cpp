// A table of cycles, and the same as rows.
#include "report/kernel/kernel_overhead.h"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "report/sinks/json_row.h"
#include "report/sinks/json_text.h"

namespace lockstep::report::kernel {
namespace {

using Align = layout::Table::Align;

std::vector<std::string> variants_of(std::span<const MarkerCost> costs) {
  std::vector<std::string> variants;
  for (const MarkerCost& cost : costs) {
    if (std::ranges::count(variants, cost.variant) == 0) variants.push_back(cost.variant);
  }
  return variants;
}

std::string cell(std::span<const MarkerCost> costs, const std::string& variant,
                 std::uint32_t warps) {
  for (const MarkerCost& cost : costs) {
    if (cost.variant == variant && cost.warps == warps) return fmt::format("{:.1f}", cost.cycles);
  }
  return "-";
}

// A row a variant, a column a number of warps.
void add_costs(std::span<const MarkerCost> costs, layout::Page& page) {
  std::set<std::uint32_t> warps;
  for (const MarkerCost& cost : costs) warps.insert(cost.warps);
  std::vector<layout::Table::Column> columns = {{"", Align::kLeft}};
  for (const std::uint32_t count : warps) {
    columns.push_back({counted(count, "warp"), Align::kRight});
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::string& variant : variants_of(costs)) {
    std::vector<std::string> row = {variant};
    for (const std::uint32_t count : warps) row.push_back(cell(costs, variant, count));
    rows.push_back(std::move(row));
  }
  page.table(std::move(columns), std::move(rows));
}

void add_rows(std::string_view key, std::span<const MarkerCost> costs, sinks::JsonText& json) {
  json.begin_array(key);
  for (const MarkerCost& cost : costs) {
    sinks::JsonRow row;
    row.member("variant", cost.variant).member("warps", cost.warps);
    json.raw_element(row.raw("cycles", fmt::format("{:.3f}", cost.cycles)).finish());
  }
  json.end_array();
}

}  // namespace

layout::Page kernel_overhead_page(const MarkerCosts& costs) {
  layout::Page page;
  page.title({{"", fmt::format("{} ({}), driver {}", costs.device, costs.arch, costs.driver), {}}});
  page.heading("Cycles a marker, by warps of a block that all mark");
  add_costs(costs.markers, page);
  if (costs.frames.empty()) return page;
  page.heading("Cycles of init and finalize together, 64 records staged");
  add_costs(costs.frames, page);
  return page;
}

std::string kernel_overhead_text(const MarkerCosts& costs, const layout::TextStyle& style) {
  return layout::page_text(kernel_overhead_page(costs), style);
}

std::string kernel_overhead_markdown(const MarkerCosts& costs) {
  return layout::page_markdown("What a marker costs", kernel_overhead_page(costs));
}

std::string kernel_overhead_json(const MarkerCosts& costs) {
  sinks::JsonText json;
  json.member("schema", kOverheadSchema);
  json.member("device", costs.device);
  json.member("arch", costs.arch);
  json.member("driver", costs.driver);
  add_rows("markers", costs.markers, json);
  add_rows("frames", costs.frames, json);
  return json.finish();
}

}  // namespace lockstep::report::kernel
