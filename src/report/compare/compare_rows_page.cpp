// Lines of a pair: what reads alike is one, the largest changes first.
#include "report/compare/compare_rows_page.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/compare/compare_view.h"
#include "report/layout/text_width.h"

namespace lockstep::report::compare {
namespace {

using Align = layout::Table::Align;

constexpr std::size_t kGap = 2;  // before a column, as tables have it
// Columns of a line for names: with less room other columns are left out, and words are fewer.
constexpr std::size_t kMinNames = 30;
constexpr std::size_t kBriefNames = 48;
constexpr int kLastDropped = 3;

bool is_of_kernels(const RowGroup& group) {
  return group.first->kind != analysis::compare::RowKind::kIdle &&
         group.first->kind != analysis::compare::RowKind::kOverlap;
}

// Kernels, the largest change first; idle and overlap stand at the end. What did not change is left
// out, unless all are asked for.
std::vector<RowGroup> groups_to_show(const analysis::compare::ComparePair& pair, std::size_t top,
                                     bool has_full_names, std::vector<RowGroup>& left_out) {
  std::vector<RowGroup> groups = grouped_rows(pair, has_full_names);
  if (top != 0) {
    const auto same = std::ranges::stable_partition(
        groups, [](const RowGroup& group) { return !group.is_unchanged(); });
    left_out.assign(same.begin(), same.end());
    groups.erase(same.begin(), same.end());
  }
  const auto others = std::ranges::stable_partition(groups, is_of_kernels);
  const std::vector<RowGroup> idle(others.begin(), others.end());
  groups.erase(others.begin(), others.end());
  std::ranges::stable_sort(groups, std::ranges::greater{}, [](const RowGroup& group) {
    return group.delta_ns() < 0 ? -group.delta_ns() : group.delta_ns();
  });
  if (top != 0 && groups.size() > top) {
    left_out.insert(left_out.end(), groups.begin() + static_cast<std::ptrdiff_t>(top),
                    groups.end());
    groups.resize(top);
  }
  groups.insert(groups.end(), idle.begin(), idle.end());
  return groups;
}

// The cells of a line before its name.
std::vector<std::string> figures_of(const RowGroup& group) {
  return {group.significant > 0 ? "*" : "",
          signed_ns(group.delta_ns()),
          group.first->kind == analysis::compare::RowKind::kOverlap
              ? ""
              : percent_words(group.percent()),
          human_time(time_of_ns(group.mean_ns_a)),
          human_time(time_of_ns(group.mean_ns_b)),
          grouped(group.rows),
          std::string(name_of(group.first->kind))};
}

// What a table takes for these cells, which are those before the names.
std::size_t width_of(const std::vector<layout::Table::Column>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
  std::size_t width = kGap;
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    std::size_t widest = layout::display_width(columns[i].title);
    for (const auto& row : rows) widest = std::max(widest, layout::display_width(row[i]));
    width += widest == 0 ? 0 : kGap + widest;
  }
  return width;
}

// Leaves out what gives way first until names have this much room, or nothing more can go: they are
// fitted here, so that the table need not cut them again.
void make_room(std::size_t names, std::size_t width, std::vector<layout::Table::Column>& columns,
               std::vector<std::vector<std::string>>& rows) {
  for (int order = 1; order <= kLastDropped && width_of(columns, rows) + names > width; ++order) {
    const auto gone = std::ranges::find(columns, order, &layout::Table::Column::drop_order);
    if (gone == columns.end()) continue;
    const auto at = gone - columns.begin();
    for (auto& row : rows) row.erase(row.begin() + at);
    columns.erase(gone);
  }
}

void add_groups(const std::vector<RowGroup>& groups, const layout::PageRoom& room,
                layout::Page& page) {
  std::vector<layout::Table::Column> columns = {
      {"", Align::kLeft},
      {"delta", Align::kRight},
      {"change", Align::kRight, false, 3},
      {"A", Align::kRight},
      {"B", Align::kRight},
      {"rows", Align::kRight, false, 1},
      {"kind", Align::kLeft, false, 2},
      {"kernel", Align::kLeft, true, 0, layout::Table::Holds::kShownKernels}};
  std::vector<std::vector<std::string>> rows;
  for (const RowGroup& group : groups) rows.push_back(figures_of(group));
  // Whole names are not fitted.
  const std::size_t width = room.has_full_names ? layout::PageRoom().names : room.names;
  make_room(kMinNames, width, columns, rows);
  const std::size_t for_names = width - std::min(width, width_of(columns, rows));
  const bool has_kinds =
      std::ranges::find(columns, "kind", &layout::Table::Column::title) != columns.end();
  std::vector<RowName> names;
  for (const RowGroup& group : groups)
    names.push_back(row_name(group, has_kinds, for_names < kBriefNames));
  const std::vector<std::string> shown = row_names(names, for_names);
  for (std::size_t i = 0; i < groups.size(); ++i) rows[i].push_back(shown[i]);
  page.table(std::move(columns), std::move(rows));
}

std::string left_out_words(const std::vector<RowGroup>& left_out) {
  std::int64_t rest = 0;
  std::size_t rows = 0;
  std::size_t significant = 0;
  for (const RowGroup& group : left_out) {
    rest += group.delta_ns();
    rows += group.rows;
    significant += group.significant;
  }
  if (std::ranges::all_of(left_out, &RowGroup::is_unchanged)) {
    // Means are whole nanoseconds, so that rows add up: one of them may have got another one.
    const std::string together =
        rest == 0 ? std::string() : fmt::format(", together {}", signed_ns(rest));
    return fmt::format("and {} that did not change{}", counted(rows, "row"), together);
  }
  return fmt::format("and {}, {} beyond noise, together {}", counted(rows, "row"),
                     grouped(significant), signed_ns(rest));
}

}  // namespace

void add_rows(const analysis::compare::ComparePair& pair, std::size_t top,
              const layout::PageRoom& room, layout::Page& page) {
  std::vector<RowGroup> left_out;
  const std::vector<RowGroup> groups = groups_to_show(pair, top, room.has_full_names, left_out);
  if (groups.empty()) {
    if (!left_out.empty()) page.paragraph("the same in every row; --top 0 shows all");
    return;
  }
  add_groups(groups, room, page);
  if (!left_out.empty()) page.paragraph(left_out_words(left_out) + "; --top 0 shows all");
}

}  // namespace lockstep::report::compare
