// Copying of rows, and the thread that steps.
#include "formats/sqlite/sqlite_rows.h"

#include <algorithm>
#include <bit>
#include <new>

#include <sqlite3.h>

#include "formats/sqlite/sqlite_memory.h"

namespace lockstep::formats::sqlite {
namespace {

// A batch ends early when its text grows beyond this: cells may hold megabytes.
constexpr std::size_t kTextPerBatch = std::size_t{1} << 20;
constexpr std::size_t kBatchesAhead = 4;

}  // namespace

bool SqliteRows::is_last() const { return code_ != SQLITE_ROW; }

void SqliteRows::fill(sqlite3_stmt* statement, std::size_t most_rows) {
  columns_ = static_cast<std::size_t>(sqlite3_column_count(statement));
  rows_ = 0;
  cells_.resize(columns_ * most_rows);
  text_.clear();
  code_ = SQLITE_ROW;
  while (rows_ < most_rows && text_.size() < kTextPerBatch) {
    code_ = sqlite3_step(statement);
    throw_if_out_of_memory(code_);
    if (code_ != SQLITE_ROW) return;
    SqliteCell* const row = &cells_[rows_ * columns_];
    for (std::size_t i = 0; i < columns_; ++i) row[i] = cell_of(statement, static_cast<int>(i));
    ++rows_;
  }
}

void SqliteRows::end_with(int code) {
  rows_ = 0;
  code_ = code;
}

SqliteCell SqliteRows::cell_of(sqlite3_stmt* statement, int column) {
  sqlite3_value* value = sqlite3_column_value(statement, column);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) return {SqliteCell::Type::kInteger, 0, sqlite3_value_int64(value)};
  if (type == SQLITE_NULL) return {};
  if (type == SQLITE_FLOAT) {
    return {SqliteCell::Type::kReal, 0, std::bit_cast<std::int64_t>(sqlite3_value_double(value))};
  }
  // A blob is taken as it is; text may be stored as UTF-16.
  const void* bytes = type == SQLITE_BLOB ? sqlite3_value_blob(value)
                                          : static_cast<const void*>(sqlite3_value_text(value));
  const int size = std::max(sqlite3_value_bytes(value), 0);
  // Text always has an address, if only that of its end.
  if (bytes == nullptr && (type == SQLITE_TEXT || size > 0)) throw std::bad_alloc();
  const auto begin = static_cast<std::int64_t>(text_.size());
  if (size > 0) text_.append(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  return {SqliteCell::Type::kText, static_cast<std::uint32_t>(size), begin};
}

SqliteRowThread::SqliteRowThread(SqliteConnection connection, std::string query, std::uint64_t skip)
    : connection_(std::move(connection)),
      query_(std::move(query)),
      full_(kBatchesAhead),
      used_(kBatchesAhead + 2),
      thread_("SQLite rows", [this, skip] { step_through(skip); }, [this] { full_.close(); }) {}

SqliteRowThread::~SqliteRowThread() {
  full_.close();
  used_.close();
}

std::unique_ptr<SqliteRows> SqliteRowThread::next(std::unique_ptr<SqliteRows> used) {
  used_.try_push(std::move(used));
  if (auto batch = full_.pop()) return std::move(*batch);
  thread_.rethrow_if_any();
  return nullptr;
}

void SqliteRowThread::step_through(std::uint64_t skip) {
  const SqliteStatement statement = prepared(connection_, query_);
  if (!statement) throw_if_out_of_memory(sqlite3_errcode(connection_.get()));
  int code = statement ? SQLITE_ROW : SQLITE_ERROR;
  while (code == SQLITE_ROW && skip-- > 0) code = sqlite3_step(statement.get());
  throw_if_out_of_memory(code);
  bool is_last = false;
  while (!is_last) {
    auto batch = used_.try_pop().value_or(nullptr);
    if (!batch) batch = std::make_unique<SqliteRows>();
    code == SQLITE_ROW ? batch->fill(statement.get(), kRowsPerBatch) : batch->end_with(code);
    batch->pages = pages_read(connection_);
    is_last = batch->is_last();
    if (!full_.push(std::move(batch))) return;
  }
}

}  // namespace lockstep::formats::sqlite
