// Columns by name, rows by column.
#include "formats/ascend_text/device_table.h"

#include <algorithm>
#include <array>

#include "base/letters.h"
#include "formats/ascend_text/defects.h"
#include "formats/shared/byte_order_mark.h"
#include "formats/shared/record_defects.h"
#include "formats/shared/text_damage.h"

namespace lockstep::formats::ascend_text {
namespace {

struct ColumnNames {
  std::string_view shown;                  // in messages
  std::array<std::string_view, 4> folded;  // every era's name; see folded_column()
};

// In the order of DeviceTable::Column.
constexpr std::array<ColumnNames, 8> kColumnNames = {{
    {"Name", {"name", "opname", "kernelname"}},
    {"Type", {"type", "optype"}},
    {"Accelerator Core", {"acceleratorcore", "tasktype", "kerneltype", "coretype"}},
    {"Start Time(us)", {"starttime(us)", "taskstarttime(us)", "taskstart(us)"}},
    {"Duration(us)", {"duration(us)", "taskduration(us)", "tasktime(us)"}},
    {"Stream ID", {"streamid"}},
    {"Device_id", {"deviceid"}},
    {"Step Id", {"stepid"}},
}};

bool is_one_of(const ColumnNames& names, std::string_view folded) {
  return !folded.empty() && std::ranges::find(names.folded, folded) != names.folded.end();
}

std::vector<std::string> split_line(std::string_view line) {
  std::vector<std::string> cells;
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(shared::byte_order_mark_size(line));
  while (true) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string folded_column(std::string_view cell) {
  std::string out;
  for (const char c : trimmed(cell)) {
    if (c == ' ' || c == '_') continue;
    out += small_letter(c);
  }
  return out;
}

TableSort table_sort(std::string_view header_line) {
  int known = 0;
  bool is_tasks = false;
  bool has_time = false;
  for (const std::string& cell : split_line(header_line)) {
    const std::string folded = folded_column(cell);
    is_tasks |= folded == "kernelname" || folded == "kerneltype" || folded == "taskstart(us)";
    for (const auto column : {DeviceTable::kName, DeviceTable::kCore, DeviceTable::kStart,
                              DeviceTable::kDuration, DeviceTable::kStream}) {
      if (!is_one_of(kColumnNames[column], folded)) continue;
      ++known;
      has_time |= column == DeviceTable::kStart || column == DeviceTable::kDuration;
    }
  }
  // operator_memory.csv and its kin share names and durations, but neither cores nor streams.
  if (known < 3 || !has_time) return TableSort::kNone;
  return is_tasks ? TableSort::kTasks : TableSort::kKernels;
}

DeviceTable::DeviceTable(io::ByteSource& bytes, std::string path,
                         const shared::ReadOptions& options, Diagnostics& diagnostics)
    : path_(std::move(path)), diagnostics_(diagnostics), scanner_(bytes, options) {}

Status DeviceTable::open() {
  LOCKSTEP_ASSIGN_OR_RETURN(const bool any, scanner_.next(cells_));
  if (!any) return input_error(path_, "is an empty table");
  scanner_.expect_cells(cells_.size());
  // Commas at the end of rows are forgiven, so those of the head are.
  while (cells_.size() > 1 && trimmed(cells_.back()).empty()) cells_.pop_back();
  std::string line;
  columns_.assign(kColumns, kNone);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    header_.emplace_back(trimmed(cells_[i]));
    line.append(i == 0 ? "" : ",").append(header_.back());
    const std::string folded = folded_column(cells_[i]);
    for (std::size_t column = 0; column < kColumns; ++column) {
      if (columns_[column] == kNone && is_one_of(kColumnNames[column], folded)) {
        columns_[column] = i;
      }
    }
  }
  sort_ = table_sort(line);
  if (sort_ == TableSort::kNone) {
    return input_error(path_, "is not a table of kernels or tasks",
                       "Its first line names none of the columns of kernel_details.csv, op_summary "
                       "or task_time");
  }
  for (const Column column : {kName, kStart, kDuration}) {
    if (columns_[column] == kNone) {
      return input_error(path_, "has no column '" + std::string(kColumnNames[column].shown) + "'",
                         "Without it there is no timeline; export the profile again");
    }
    needed_cells_ = std::max(needed_cells_, columns_[column] + 1);
  }
  return {};
}

bool DeviceTable::is_own_column(std::size_t column) const {
  for (const Column own : {kName, kStart, kDuration, kStream, kDevice}) {
    if (columns_[own] == column) return true;
  }
  return false;
}

std::string_view DeviceTable::value(Column column) const {
  const std::size_t at = columns_[column];
  if (at >= cells_.size()) return {};
  const std::string_view text = trimmed(cells_[at]);
  return is_blank(text) ? std::string_view() : text;
}

// Whether the row has the cells that it needs.
bool DeviceTable::is_whole(std::uint64_t row) {
  if (cells_.size() < header_.size() && scanner_.ended_with_file()) {
    // Even the last cell that is there may have lost its end.
    diagnostics_.add(kTruncatedTable, Place::row(row));
    was_cut_ = true;
    return false;
  }
  if (cells_.size() < needed_cells_) {
    diagnostics_.add(kShortRow, Place::row(row));
    return false;
  }
  if (cells_.size() < header_.size()) diagnostics_.add(kNarrowRow, Place::row(row));
  // Commas at the end of a row are no cells.
  const bool is_long = std::any_of(cells_.begin() + std::min(header_.size(), cells_.size()),
                                   cells_.end(), [](auto cell) { return !trimmed(cell).empty(); });
  if (is_long) diagnostics_.add(kLongRow, Place::row(row));
  return true;
}

void DeviceTable::report_damage() {
  if (scanner_.ended_with_file() && !was_cut_) {
    diagnostics_.add(kUnendedTable, Place::row(scanner_.row()));
    was_cut_ = true;
  }
  const auto report = [this](const DiagnosticKind& kind, const CsvScanner::Defects& defects) {
    diagnostics_.add(kind, Place::row(defects.first_row), {}, defects.count);
  };
  report(kDamagedRecord, scanner_.damaged_records());
  report(shared::kDamagedText, scanner_.damaged_texts());
  report(kJoinedCells, scanner_.joined_cells());
}

bool DeviceTable::fill(DeviceRow& row) {
  row.row = scanner_.row();
  if (!is_whole(row.row)) return false;
  const auto start = parse_decimal(value(kStart), kMicrosecondsToPicoseconds);
  if (!start) {
    diagnostics_.add(shared::kMissingTime, Place::row(row.row));
    return false;
  }
  const auto duration = parse_decimal(value(kDuration), kMicrosecondsToPicoseconds);
  if (!duration) diagnostics_.add(shared::kMissingDuration, Place::row(row.row));
  row.start = *start;
  row.duration = duration.value_or(0);
  row.name = clean(cells_[columns_[kName]], name_);
  row.type = value(kType);
  row.core = value(kCore);
  row.stream = value(kStream);
  row.device = value(kDevice);
  row.step = value(kStep);
  row.cells = std::span(cells_).first(std::min(cells_.size(), header_.size()));
  return true;
}

Result<bool> DeviceTable::next(DeviceRow& row) {
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const bool any, scanner_.next(cells_));
    if (!any) {
      report_damage();
      return false;
    }
    if (!fill(row)) continue;
    ++rows_;
    return true;
  }
}

}  // namespace lockstep::formats::ascend_text
