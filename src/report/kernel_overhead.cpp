// A table of cycles, and the same as rows.
#include "report/kernel_overhead.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "report/json_row.h"
#include "report/json_text.h"
#include "report/table.h"
#include "report/text_width.h"

namespace lockstep {
namespace {

using Align = Table::Align;

std::vector<std::string> variants_of(const MarkerCosts& costs) {
  std::vector<std::string> variants;
  for (const MarkerCost& cost : costs.costs) {
    if (std::ranges::count(variants, cost.variant) == 0) variants.push_back(cost.variant);
  }
  return variants;
}

std::set<std::uint32_t> warps_of(const MarkerCosts& costs) {
  std::set<std::uint32_t> warps;
  for (const MarkerCost& cost : costs.costs) warps.insert(cost.warps);
  return warps;
}

std::string cell(const MarkerCosts& costs, const std::string& variant, std::uint32_t warps) {
  for (const MarkerCost& cost : costs.costs) {
    if (cost.variant == variant && cost.warps == warps) return fmt::format("{:.1f}", cost.cycles);
  }
  return "-";
}

}  // namespace

std::string kernel_overhead_text(const MarkerCosts& costs, const TextStyle& style) {
  const std::set<std::uint32_t> warps = warps_of(costs);
  std::vector<Table::Column> columns = {{"marker", Align::kLeft}};
  for (const std::uint32_t count : warps)
    columns.push_back({counted(count, "warp"), Align::kRight});
  Table table(columns);
  for (const std::string& variant : variants_of(costs)) {
    std::vector<std::string> row = {variant};
    for (const std::uint32_t count : warps) row.push_back(cell(costs, variant, count));
    table.add_row(std::move(row));
  }
  const std::string heading =
      fmt::format("{} ({}), driver {}", costs.device, costs.arch, costs.driver);
  return style.heading(one_line(heading)) + "\n\n" +
         style.heading("Cycles a marker, by warps of a block that all mark") + "\n" +
         table.render(style.width);
}

std::string kernel_overhead_json(const MarkerCosts& costs) {
  JsonText json;
  json.member("schema", kOverheadSchema);
  json.member("device", costs.device);
  json.member("arch", costs.arch);
  json.member("driver", costs.driver);
  json.begin_array("markers");
  for (const MarkerCost& cost : costs.costs) {
    JsonRow row;
    row.member("variant", cost.variant).member("warps", cost.warps);
    json.raw_element(row.raw("cycles", fmt::format("{:.3f}", cost.cycles)).finish());
  }
  json.end_array();
  return json.finish();
}

}  // namespace lockstep
