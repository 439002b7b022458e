// Stepping through a table, batch by batch, on a thread where it is large.
#include "formats/sqlite/sqlite_scan.h"

#include <bit>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_memory.h"

namespace lockstep::formats::sqlite {

const DiagnosticKind kDamagedTable{
    "damaged_table", Severity::kDataLoss,
    "A table of the database cannot be read to its end; the rows before the damage were read."};

const DiagnosticKind kDamagedDetails{
    "damaged_details", Severity::kDataLoss,
    "Arguments of rows of a table cannot be read; the rows from there on were kept without them."};

namespace {

// Many scans want a few rows only.
constexpr std::size_t kRowsOfFirstBatch = 64;
// A thread and a connection cost about as much as reading this many rows.
constexpr std::uint64_t kRowsBeforeThread = 8192;

}  // namespace

SqliteScan::SqliteScan(SqliteStatement statement, Queries queries, std::string table,
                       std::vector<bool> present, SqliteFile* file)
    : statement_(std::move(statement)),
      queries_(std::move(queries)),
      table_(std::move(table)),
      present_(std::move(present)),
      file_(file),
      scratch_(present_.size()) {}

bool SqliteScan::next() {
  if (batch_ && at_ + 1 < batch_->rows()) {
    ++at_;
  } else if (!refill()) {
    return false;
  }
  if (rows_ >= file_->most_rows_) {
    end("more rows than the file can hold");
    return false;
  }
  ++rows_;
  return true;
}

// The next batch, with at least one row. A table that proves large gets a thread.
bool SqliteScan::refill() {
  if (!statement_) return false;
  if (batch_ && batch_->is_last() && !goes_on_without_details()) {
    end(batch_->code() == SQLITE_DONE ? "" : sqlite_reason(batch_->code()));
    return false;
  }
  if (!thread_ && rows_ >= kRowsBeforeThread && !file_->accepts_damage_) {
    start_thread();
  }
  if (thread_) {
    batch_ = thread_->next(std::move(batch_));
    if (!batch_) {
      end("its thread ended early");
      return false;
    }
    file_->report_progress(batch_->pages);
  } else {
    if (!batch_) batch_ = std::make_unique<SqliteRows>();
    batch_->fill(statement_.get(), rows_ == 0 ? kRowsOfFirstBatch : kRowsPerBatch);
  }
  at_ = 0;
  // Rows of a damaged table may share their pages.
  text_bytes_ += batch_->text_bytes();
  if (text_bytes_ > file_->most_text_) {
    end("more text than the file can hold");
    return false;
  }
  return batch_->rows() > 0 || refill();  // an empty one is the last
}

// Where no thread or connection can be had, the scan goes on without.
void SqliteScan::start_thread() {
  SqliteConnection connection;
  if (connect(*file_->sandbox_, connection) != SQLITE_OK) return;
  try {
    thread_ = std::make_unique<SqliteRowThread>(std::move(connection), queries_.whole, rows_);
  } catch (const std::system_error&) {
    thread_.reset();
  }
}

// A row that cannot be read with its details may be readable without them. True when the scan
// stands before the next row again.
bool SqliteScan::goes_on_without_details() {
  if (batch_->code() == SQLITE_DONE || queries_.whole == queries_.without_details) return false;
  SqliteStatement rest = prepared(file_->database_, queries_.without_details);
  if (!rest) throw_if_out_of_memory(sqlite3_errcode(file_->database_.get()));
  if (!rest) return false;
  for (std::uint64_t row = 0; row < rows_; ++row) {
    const int code = sqlite3_step(rest.get());
    throw_if_out_of_memory(code);
    if (code != SQLITE_ROW) return false;
  }
  file_->diagnostics_.add(kDamagedDetails, Place::row(rows_ + 1),
                          fmt::format("table {}: {}", table_, sqlite_reason(batch_->code())));
  queries_.whole = queries_.without_details;
  thread_.reset();
  batch_.reset();
  statement_ = std::move(rest);
  return true;
}

// No row follows; a reason is a loss.
void SqliteScan::end(std::string_view reason) {
  if (!reason.empty()) {
    file_->diagnostics_.add(kDamagedTable, Place::row(rows_ + 1),
                            fmt::format("table {}: {}", table_, reason));
  }
  thread_.reset();
  statement_.reset();
  batch_.reset();
}

bool SqliteScan::has(int column) const { return present_[static_cast<std::size_t>(column)]; }

bool SqliteScan::is_null(int column) const { return cell(column).type == SqliteCell::Type::kNull; }

std::int64_t SqliteScan::integer(int column, std::int64_t otherwise) const {
  const SqliteCell& one = cell(column);
  if (one.type == SqliteCell::Type::kInteger) return one.value;
  if (one.type == SqliteCell::Type::kNull) return otherwise;
  if (one.type == SqliteCell::Type::kReal) {
    const double value = std::bit_cast<double>(one.value);
    const bool fits = value > -9.2e18 && value < 9.2e18;
    return fits ? static_cast<std::int64_t>(value) : otherwise;
  }
  const std::string_view digits = batch_->text(one);
  std::int64_t value = otherwise;
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), value);
  return failure == std::errc() && end == digits.end() ? value : otherwise;
}

double SqliteScan::real(int column) const {
  const SqliteCell& one = cell(column);
  if (one.type == SqliteCell::Type::kReal) return std::bit_cast<double>(one.value);
  if (one.type == SqliteCell::Type::kInteger) return static_cast<double>(one.value);
  if (one.type == SqliteCell::Type::kNull) return 0;
  const std::string_view digits = batch_->text(one);
  double value = 0;
  std::from_chars(digits.begin(), digits.end(), value);
  return value;
}

std::string_view SqliteScan::text(int column) const {
  const SqliteCell& one = cell(column);
  switch (one.type) {
    case SqliteCell::Type::kNull:
      return {};
    case SqliteCell::Type::kText:
      return batch_->text(one);
    case SqliteCell::Type::kInteger:
      return scratch_[static_cast<std::size_t>(column)] = std::to_string(one.value);
    case SqliteCell::Type::kReal:
      return scratch_[static_cast<std::size_t>(column)] =
                 fmt::format("{}", std::bit_cast<double>(one.value));
  }
  return {};
}

}  // namespace lockstep::formats::sqlite
