// The columns and colours are those that readers of such sheets know. A kernel that is gone is no
// improvement: whether the iteration got faster, the totals tell.
#include "report/compare/compare_xlsx.h"

#include <fmt/format.h>

#include "report/layout/quantities.h"

namespace lockstep::report::compare {
namespace {

constexpr double kNameWidth = 60;
constexpr std::uint32_t kSameFill = 0xE2EFDA;
constexpr std::uint32_t kSimilarFill = 0xDDEBF7;
constexpr std::uint32_t kRemovedFill = 0xFFC7CE;
constexpr std::uint32_t kNewFill = 0xFFEB9C;
constexpr std::uint32_t kFasterFill = 0x00B050;
constexpr std::uint32_t kAlikeFill = 0xFFC000;
constexpr std::uint32_t kSlowerFill = 0xFF0000;
constexpr double kAlikePercent = 5;

struct MatchType {
  std::string_view name;
  std::optional<std::uint32_t> fill;
};

MatchType match_type(analysis::compare::RowKind kind) {
  switch (kind) {
    case analysis::compare::RowKind::kSame:
      return {"exact", kSameFill};
    case analysis::compare::RowKind::kSimilar:
      return {"similar", kSimilarFill};
    case analysis::compare::RowKind::kFused:
      return {"fused", kSimilarFill};
    case analysis::compare::RowKind::kSplit:
      return {"split", kSimilarFill};
    case analysis::compare::RowKind::kOnlyA:
      return {"removed", kRemovedFill};
    case analysis::compare::RowKind::kOnlyB:
      return {"new_only", kNewFill};
    case analysis::compare::RowKind::kIdle:
    case analysis::compare::RowKind::kOverlap:
      break;
  }
  return {name_of(kind), std::nullopt};
}

double us_of_ns(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }

sinks::XlsxCell change_cell(const std::optional<double>& percent, bool is_significant) {
  if (!percent) return {};
  std::uint32_t fill = kAlikeFill;
  if (*percent < -kAlikePercent) fill = kFasterFill;
  if (*percent > kAlikePercent) fill = kSlowerFill;
  return {*percent, fill, is_significant};
}

bool is_on_both_sides(analysis::compare::RowKind kind) {
  return kind != analysis::compare::RowKind::kOnlyA && kind != analysis::compare::RowKind::kOnlyB;
}

void add_side(const analysis::compare::CompareRow& row, const analysis::compare::RowSide& side,
              bool is_there, const std::optional<std::uint32_t>& fill,
              std::vector<sinks::XlsxCell>& cells) {
  if (!is_there) {
    cells.insert(cells.end(), 5, sinks::XlsxCell{});
    return;
  }
  cells.push_back({kernels_words(row, side), fill});
  cells.push_back({us_of_ns(side.mean_ns)});
  cells.push_back({layout::microseconds(side.min)});
  cells.push_back({layout::microseconds(side.max)});
  cells.push_back({layout::microseconds(side.stddev_ps)});
}

std::vector<sinks::XlsxCell> row_cells(const analysis::compare::CompareRow& row) {
  const MatchType type = match_type(row.kind);
  std::vector<sinks::XlsxCell> cells;
  add_side(row, row.a, row.kind != analysis::compare::RowKind::kOnlyB, type.fill, cells);
  add_side(row, row.b, row.kind != analysis::compare::RowKind::kOnlyA, type.fill, cells);
  cells.push_back(is_on_both_sides(row.kind) ? change_cell(row.percent, row.is_significant)
                                             : sinks::XlsxCell{});
  cells.push_back({std::string(type.name), type.fill});
  return cells;
}

sinks::XlsxCell bold(double value) { return {value, std::nullopt, true}; }

std::vector<sinks::XlsxCell> totals(const analysis::compare::ComparePair& pair) {
  const sinks::XlsxCell total{std::string("TOTAL"), std::nullopt, true};
  return {total,
          bold(us_of_ns(pair.a->wall_ns)),
          {},
          {},
          bold(layout::microseconds(pair.a->wall_stddev_ps)),
          total,
          bold(us_of_ns(pair.b->wall_ns)),
          {},
          {},
          bold(layout::microseconds(pair.b->wall_stddev_ps)),
          change_cell(pair.percent, pair.is_significant),
          {}};
}

sinks::XlsxSheet pair_sheet(std::size_t number, const analysis::compare::ComparePair& pair) {
  sinks::XlsxSheet sheet{fmt::format("{} {}", number, pair_words(pair)),
                         {{"Baseline Kernel", kNameWidth},
                          {"Base Avg (us)"},
                          {"Base Min (us)"},
                          {"Base Max (us)"},
                          {"Base StdDev (us)"},
                          {"New Kernel", kNameWidth},
                          {"New Avg (us)"},
                          {"New Min (us)"},
                          {"New Max (us)"},
                          {"New StdDev (us)"},
                          {"Change (%)"},
                          {"Match Type"}},
                         {}};
  sheet.rows.push_back(totals(pair));
  for (const analysis::compare::CompareRow& row : pair.rows) sheet.rows.push_back(row_cells(row));
  return sheet;
}

sinks::XlsxCell count_of(const std::optional<analysis::compare::PairSide>& side,
                         std::uint32_t analysis::compare::PairSide::* member) {
  return side ? sinks::XlsxCell{static_cast<double>((*side).*member)} : sinks::XlsxCell{};
}

sinks::XlsxCell wall_of_side(const std::optional<analysis::compare::PairSide>& side) {
  return side ? sinks::XlsxCell{us_of_ns(side->wall_ns)} : sinks::XlsxCell{};
}

std::vector<sinks::XlsxCell> summary_row(std::size_t number,
                                         const analysis::compare::ComparePair& pair) {
  std::size_t significant = 0;
  for (const analysis::compare::CompareRow& row : pair.rows)
    significant += row.is_significant ? 1 : 0;
  return {{static_cast<double>(number)},
          {std::string(name_of(pair.kind))},
          {pair_words(pair)},
          count_of(pair.a, &analysis::compare::PairSide::iterations),
          count_of(pair.a, &analysis::compare::PairSide::kernels),
          wall_of_side(pair.a),
          count_of(pair.b, &analysis::compare::PairSide::iterations),
          count_of(pair.b, &analysis::compare::PairSide::kernels),
          wall_of_side(pair.b),
          pair.delta_ns ? sinks::XlsxCell{us_of_ns(*pair.delta_ns)} : sinks::XlsxCell{},
          change_cell(pair.percent, pair.is_significant),
          {pair.similarity},
          {static_cast<double>(significant)}};
}

sinks::XlsxSheet summary_sheet(const analysis::compare::Comparison& comparison) {
  sinks::XlsxSheet sheet{"Summary",
                         {{"Pair"},
                          {"Kind"},
                          {"What", 24},
                          {"Base Iterations"},
                          {"Base Kernels"},
                          {"Base Wall (us)"},
                          {"New Iterations"},
                          {"New Kernels"},
                          {"New Wall (us)"},
                          {"Delta (us)"},
                          {"Change (%)"},
                          {"Similarity"},
                          {"Rows beyond noise"}},
                         {}};
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
    sheet.rows.push_back(summary_row(i, comparison.pairs[i]));
  }
  std::vector<sinks::XlsxCell> total(sheet.columns.size());
  total[2] = {std::string("TOTAL of matched pairs, by iterations in A"), std::nullopt, true};
  total[5] = bold(us_of_ns(comparison.total_ns_a));
  total[9] = bold(us_of_ns(comparison.total_delta_ns));
  total[10] = change_cell(comparison.total_percent(), false);
  sheet.rows.push_back(std::move(total));
  return sheet;
}

}  // namespace

std::vector<sinks::XlsxSheet> compare_sheets(const analysis::compare::Comparison& comparison) {
  std::vector<sinks::XlsxSheet> sheets = {summary_sheet(comparison)};
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
    if (is_matched(comparison.pairs[i])) sheets.push_back(pair_sheet(i, comparison.pairs[i]));
  }
  return sheets;
}

}  // namespace lockstep::report::compare
