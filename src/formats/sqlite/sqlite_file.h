// A trace in an SQLite database, opened so that nothing beside it is touched (sqlite_sandbox.h),
// and read table by table in the order of its pages: no ORDER BY, no JOIN, no views.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/sqlite/pages/sqlite_definition.h"
#include "formats/sqlite/pages/sqlite_pages.h"
#include "formats/sqlite/pages/sqlite_place.h"
#include "formats/sqlite/sqlite_connection.h"
#include "formats/sqlite/sqlite_sandbox.h"
#include "formats/sqlite/sqlite_scan.h"
#include "io/byte_source.h"

namespace lockstep::formats::sqlite {

class SqliteFile {
 public:
  // `path` is opened in place, read only, when it is a plain database file; with a non-empty -wal
  // or -journal beside it all are copied and the copy is opened. Everything else (a pipe, a
  // compressed file) is spooled from `bytes` into a temporary file.
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open(io::ByteSource& bytes,
                                                                const std::string& path);
  // A copy of a plain database, which nobody writes to.
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open_copy(const std::string& path);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  // Base tables, in the order of the file; views and virtual tables are not among them. Names are
  // found in any case, as SQLite does.
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
  using TakeRow = std::function<void(std::span<const std::string_view> texts)>;
  SqliteFile() = default;
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open_at(
      SqlitePlace place, std::unique_ptr<SqliteFile> file);
  // Null is empty.
  [[nodiscard]] Status for_each_row(const std::string& query, const TakeRow& take);
  void report_progress(std::uint64_t pages);
  [[nodiscard]] Status open_database();
  [[nodiscard]] Status list_tables();
  [[nodiscard]] Status list_columns(SqliteTable& table);
  void say_damaged_definitions();
  [[nodiscard]] const SqliteTable* find(std::string_view table) const;
  void say_damaged_columns(SqliteTable& table, const SqliteColumns& columns);
  void say_damage(SqliteTable& table, const std::string& damage);
  // Goes on where SQLite would refuse the whole file.
  void accept_damage();
  [[nodiscard]] Error error_of(int code) const;

  std::string path_;
  SqlitePlace place_;                       // outlives the connections to it
  std::unique_ptr<SqliteSandbox> sandbox_;  // as well
  SqliteConnection database_;
  std::future<Result<SqlitePageDamage>> page_damage_;
  std::vector<std::string> tables_;
  std::unordered_map<std::string, SqliteTable> definitions_;  // by name in lower case
  Diagnostics diagnostics_;
  std::uint64_t most_rows_ = 0;  // that a table can have
  std::uint64_t most_text_ = 0;  // that its rows can have together
  bool accepts_damage_ = false;
  std::function<void(std::uint64_t)> on_progress_;
  std::uint64_t page_bytes_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace lockstep::formats::sqlite
