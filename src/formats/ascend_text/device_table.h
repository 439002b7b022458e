// The tables of device tasks: kernel_details.csv, op_summary_*.csv and task_time_*.csv. They are
// one table with renames; columns are found by name, in any order, and most may be missing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/time.h"
#include "formats/ascend_text/csv_scanner.h"

namespace lockstep::formats::ascend_text {

enum class TableSort : std::uint8_t {
  kNone,
  kKernels,  // kernel_details, op_summary: every row is a kernel or a collective
  kTasks,    // task_time: copies and waits as well
};

// One row; views are valid until the next one is read. Cells that say nothing are empty.
struct DeviceRow {
  std::string_view name;
  std::string_view type;  // of the operator: "MatMulV2"
  std::string_view core;  // "AI_CORE", "HCCL"
  std::string_view stream;
  std::string_view device;
  std::string_view step;
  WideTime start = 0;
  WideTime duration = 0;
  std::uint64_t row = 0;
  std::span<const std::string_view> cells;  // all, as they stand in the file
};

class DeviceTable {
 public:
  // `bytes` must outlive this.
  DeviceTable(io::ByteSource& bytes, std::string path, const shared::ReadOptions& options,
              Diagnostics& diagnostics);

  // Reads the header. An error says which column is missing.
  [[nodiscard]] Status open();
  [[nodiscard]] TableSort sort() const { return sort_; }
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  [[nodiscard]] bool has_streams() const { return columns_[kStream] != kNone; }
  [[nodiscard]] bool has_steps() const { return columns_[kStep] != kNone; }
  // Columns that become something else than an argument.
  [[nodiscard]] bool is_own_column(std::size_t column) const;

  // False at the end. Rows that lack a time are counted and passed over.
  [[nodiscard]] Result<bool> next(DeviceRow& row);
  [[nodiscard]] std::uint64_t rows() const { return rows_; }  // given out so far
  [[nodiscard]] bool was_cut() const { return was_cut_; }

 private:
  enum Column : std::uint8_t { kName, kType, kCore, kStart, kDuration, kStream, kDevice, kStep };
  static constexpr std::size_t kColumns = 8;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  [[nodiscard]] std::string_view value(Column column) const;
  [[nodiscard]] bool is_whole(std::uint64_t row);
  [[nodiscard]] bool fill(DeviceRow& row);
  void report_damage();

  std::string path_;
  Diagnostics& diagnostics_;
  CsvScanner scanner_;
  std::vector<std::string> header_;
  std::vector<std::size_t> columns_;
  std::size_t needed_cells_ = 0;
  std::vector<std::string_view> cells_;
  std::string name_;  // when it had to be changed
  TableSort sort_ = TableSort::kNone;
  std::uint64_t rows_ = 0;
  bool was_cut_ = false;

  friend TableSort table_sort(std::string_view header_line);
};

// What is missing where op_summary has to stand in for kernel_details.csv.
inline constexpr const char* kWithoutKernelDetails =
    "kernels are those of op_summary, which knows no steps";

// What the first line of a file says that it is.
[[nodiscard]] TableSort table_sort(std::string_view header_line);

// A header in the form in which columns are compared: lower case, no spaces and underscores.
[[nodiscard]] std::string folded_column(std::string_view cell);

}  // namespace lockstep::formats::ascend_text
