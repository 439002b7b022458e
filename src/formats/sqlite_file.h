// A trace in an SQLite database, opened so that nothing beside it is touched (sqlite_sandbox.h),
// and read table by table in the order of its pages: no ORDER BY, no JOIN, no views.
//
// A column that a version of the profiler does not write reads as null, so that a reader names the
// columns of all versions at once.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/sqlite_connection.h"
#include "formats/sqlite_pages.h"
#include "formats/sqlite_place.h"
#include "formats/sqlite_rows.h"
#include "formats/sqlite_sandbox.h"
#include "io/byte_source.h"

namespace lockstep {

class SqliteFile;

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

class SqliteFile {
 public:
  // `path` is opened in place, read only, when it is a plain database file; with a non-empty -wal
  // or -journal beside it all are copied and the copy is opened. Everything else (a pipe, a
  // compressed file) is spooled from `bytes` into a temporary file.
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open(ByteSource& bytes,
                                                                const std::string& path);
  // A copy of a plain database, which nobody writes to.
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open_copy(const std::string& path);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  // Base tables, in the order of the file; views and virtual tables are not among them.
  [[nodiscard]] const std::vector<std::string>& tables() const { return tables_; }
  [[nodiscard]] bool has_table(std::string_view name) const;
  [[nodiscard]] bool has_column(std::string_view table, std::string_view column) const;

  // All rows of a table. A table that is not there has no rows.
  [[nodiscard]] SqliteScan scan(std::string_view table, const SqliteColumns& columns);
  [[nodiscard]] SqliteScan scan(std::string_view table, std::vector<std::string_view> columns) {
    return scan(table, SqliteColumns{std::move(columns)});
  }

  // Whether somebody has written to the file since it was opened: what was read may be of two
  // states. Copies do not change.
  [[nodiscard]] bool has_changed() const;

  // Looks at all pages beside the scans, for damage that SQLite reads over; finish() waits for it.
  void start_looking_at_pages();
  void finish();

  [[nodiscard]] const std::string& path() const { return path_; }  // as the user gave it
  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }
  // Called now and then during scans with the bytes read so far.
  void report_progress_to(std::function<void(std::uint64_t raw_bytes)> on_progress);

 private:
  friend class SqliteScan;
  SqliteFile() = default;
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open_at(
      SqlitePlace place, std::unique_ptr<SqliteFile> file);
  [[nodiscard]] Status for_each_text(const std::string& query, int column,
                                     const std::function<void(std::string_view)>& take);
  void report_progress(std::uint64_t pages);
  [[nodiscard]] Status open_database();
  [[nodiscard]] Status list_tables();
  // Goes on where SQLite would refuse the whole file.
  void accept_damage();
  [[nodiscard]] Error error_of(int code) const;

  std::string path_;
  SqlitePlace place_;                       // outlives the connections to it
  std::unique_ptr<SqliteSandbox> sandbox_;  // as well
  SqliteConnection database_;
  std::future<Result<SqlitePageDamage>> page_damage_;
  std::vector<std::string> tables_;
  std::unordered_map<std::string, std::vector<std::string>> columns_;
  Diagnostics diagnostics_;
  std::uint64_t most_rows_ = 0;  // that a table can have
  std::uint64_t most_text_ = 0;  // that its rows can have together
  bool accepts_damage_ = false;
  std::function<void(std::uint64_t)> on_progress_;
  std::uint64_t page_bytes_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace lockstep
