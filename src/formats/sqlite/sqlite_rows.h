// Rows of an SQLite statement, copied out in batches, so that a thread of its own can step through
// a large table while another one uses what it found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/bounded_queue.h"
#include "base/threads/on_threads.h"
#include "formats/sqlite/sqlite_connection.h"

namespace lockstep::formats::sqlite {

struct SqliteCell {
  enum class Type : std::uint8_t { kNull, kInteger, kReal, kText };  // a blob is text
  Type type = Type::kNull;
  std::uint32_t size = 0;  // of text
  std::int64_t value = 0;  // or the bits of a double, or where the text begins
};

class SqliteRows {
 public:
  // Steps until the batch is full, the rows end or SQLite fails. Throws std::bad_alloc where SQLite
  // has no memory: that is no damage of the file.
  void fill(sqlite3_stmt* statement, std::size_t most_rows);

  // No rows, and none to follow.
  void end_with(int code);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t text_bytes() const { return text_.size(); }
  [[nodiscard]] bool is_last() const;               // no row follows
  [[nodiscard]] int code() const { return code_; }  // of the last step
  [[nodiscard]] const SqliteCell& cell(std::size_t row, int column) const {
    return cells_[row * columns_ + static_cast<std::size_t>(column)];
  }
  [[nodiscard]] std::string_view text(const SqliteCell& cell) const {
    return std::string_view(text_).substr(static_cast<std::size_t>(cell.value), cell.size);
  }
  // Pages that the connection has read since the batch before.
  std::uint64_t pages = 0;

 private:
  [[nodiscard]] SqliteCell cell_of(sqlite3_stmt* statement, int column);

  std::size_t columns_ = 0;
  std::size_t rows_ = 0;
  int code_ = 0;
  std::vector<SqliteCell> cells_;
  std::string text_;
};

inline constexpr std::size_t kRowsPerBatch = 1024;

// Steps through the rows of a query behind the first `skip` on a thread and a connection of its
// own. Throws std::system_error where no thread can be had.
class SqliteRowThread {
 public:
  SqliteRowThread(SqliteConnection connection, std::string query, std::uint64_t skip);
  ~SqliteRowThread();
  SqliteRowThread(const SqliteRowThread&) = delete;
  SqliteRowThread& operator=(const SqliteRowThread&) = delete;

  // The next batch, in exchange for one that is used up. What was thrown on the thread is thrown
  // here.
  [[nodiscard]] std::unique_ptr<SqliteRows> next(std::unique_ptr<SqliteRows> used);

 private:
  void step_through(std::uint64_t skip);

  SqliteConnection connection_;
  std::string query_;
  BoundedQueue<std::unique_ptr<SqliteRows>> full_;
  BoundedQueue<std::unique_ptr<SqliteRows>> used_;
  PipelineThread thread_;
};

}  // namespace lockstep::formats::sqlite
