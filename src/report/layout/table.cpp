// Column widths and padding.
#include "report/layout/table.h"

#include <algorithm>
#include <array>

#include "report/layout/shorten_apart.h"
#include "report/layout/text_width.h"

namespace lockstep::report::layout {
namespace {

constexpr std::size_t kGap = 2;         // before every column
constexpr std::size_t kMinShrunk = 16;  // a name shorter than this says nothing
// What names of kernels keep before other columns are left out, and where that is too much.
constexpr std::array<std::size_t, 3> kRoomForKernels = {44, 30, kMinShrunk};

std::size_t total_of(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width == 0 ? 0 : kGap + width;
  return total;
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = display_width(columns_[i].title);
    if (columns_[i].is_whole) {
      widths.push_back(widest);
      continue;
    }
    for (const auto& row : rows_) widest = std::max(widest, display_width(row[i]));
    widths.push_back(widest);
  }
  return widths;
}

std::vector<std::size_t> Table::widths_without(int dropped, std::size_t width,
                                               std::size_t least) const {
  std::vector<std::size_t> widths = natural_widths();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const int order = columns_[i].drop_order;
    if (order > 0 && order <= dropped) widths[i] = 0;
  }
  std::size_t total = total_of(widths);
  // The widest name gives way first.
  while (total > width) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool has_kernels = columns_[i].holds == Holds::kKernels;
      if (!columns_[i].may_shrink || widths[i] <= (has_kernels ? least : kMinShrunk)) continue;
      if (widest == columns_.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::vector<std::size_t> Table::column_widths(std::size_t width) const {
  int last = 0;
  std::size_t of_kernels = 0;
  for (const Column& column : columns_) {
    last = std::max(last, column.drop_order);
    if (column.holds == Holds::kKernels) ++of_kernels;
  }
  std::vector<std::size_t> widths;
  for (const std::size_t room : kRoomForKernels) {
    const std::size_t least = std::max(kMinShrunk, room / std::max<std::size_t>(of_kernels, 1));
    for (int dropped = 0; dropped <= last; ++dropped) {
      widths = widths_without(dropped, width, least);
      if (total_of(widths) <= width) return widths;
    }
  }
  return widths;
}

void Table::render_row(const std::vector<std::string>& cells,
                       const std::vector<std::size_t>& widths, std::string& out) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths[i] == 0) continue;
    const std::string& cell = cells[i];
    const std::string padding(widths[i] - std::min(widths[i], display_width(cell)), ' ');
    line.append(kGap, ' ');
    line += columns_[i].align == Align::kRight ? padding + cell : cell + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

std::string Table::render(std::size_t width) const {
  const std::vector<std::size_t> widths = column_widths(width);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string out;
  render_row(titles, widths, out);
  std::vector<std::vector<std::string>> rows = rows_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].is_whole || widths[i] == 0) continue;
    std::vector<std::string> cells;
    for (const auto& row : rows_) cells.push_back(row[i]);
    cells = shorten_apart(cells, widths[i]);
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r][i] = std::move(cells[r]);
  }
  for (const auto& row : rows) render_row(row, widths, out);
  return out;
}

}  // namespace lockstep::report::layout
