// The rows of one table of a database, one after the other.
//
// A column that a version of the profiler does not write reads as null, so that a reader names the
// columns of all versions at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "formats/sqlite/sqlite_connection.h"
#include "formats/sqlite/sqlite_rows.h"

namespace lockstep::formats::sqlite {

class SqliteFile;

// For an id that a row does not have.
inline constexpr std::int64_t kNoId = -1;

extern const DiagnosticKind kDamagedTable;
extern const DiagnosticKind kDamagedDetails;

// What a scan reads of a table. Rows whose details cannot be read come without them, so that who
// asks for details finds the same rows as who does not.
struct SqliteColumns {
  std::vector<std::string_view> needed;
  std::vector<std::string_view> details = {};  // follow the needed ones
};

// Rows of one table. Values are read by the position of their column in the scan; they are valid
// until the next row. Text in a column of numbers and numbers in a column of text convert. A large
// table is stepped through on a thread of its own.
class SqliteScan {
 public:
  SqliteScan(SqliteScan&&) = default;
  SqliteScan& operator=(SqliteScan&&) = delete;
  ~SqliteScan() = default;

  // False after the last row, and where the database is damaged: that is counted as
  // kDamagedTable.
  [[nodiscard]] bool next();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }  // so far
  [[nodiscard]] bool has(int column) const;                   // the table has it; row or not

  [[nodiscard]] bool is_null(int column) const;
  // Null, and text that is no number, is `otherwise`. Text is read in full: 19 digits stay exact.
  [[nodiscard]] std::int64_t integer(int column, std::int64_t otherwise = 0) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;  // empty for null

 private:
  friend class SqliteFile;
  struct Queries {
    std::string whole;
    std::string without_details;  // the same where none are asked for
  };
  SqliteScan(SqliteStatement statement, Queries queries, std::string table,
             std::vector<bool> present, SqliteFile* file);

  [[nodiscard]] const SqliteCell& cell(int column) const { return batch_->cell(at_, column); }
  [[nodiscard]] bool refill();
  void start_thread();
  [[nodiscard]] bool goes_on_without_details();
  void end(std::string_view reason);

  SqliteStatement statement_;  // null when there are no rows (left)
  Queries queries_;
  std::string table_;
  std::vector<bool> present_;
  SqliteFile* file_;
  std::unique_ptr<SqliteRows> batch_;
  std::unique_ptr<SqliteRowThread> thread_;
  std::size_t at_ = 0;  // in the batch
  std::uint64_t rows_ = 0;
  std::uint64_t text_bytes_ = 0;
  mutable std::vector<std::string> scratch_;  // numbers as text, by column
};

}  // namespace lockstep::formats::sqlite
