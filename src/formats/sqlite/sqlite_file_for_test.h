// Makes small SQLite databases for tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace lockstep::formats::sqlite {

// A file in a folder of its own, which goes away with the object.
class SqliteTestFile {
 public:
  explicit SqliteTestFile(const std::string& name = "trace.db") {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep_db.XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = (folder_ / name).string();
  }
  ~SqliteTestFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  SqliteTestFile(const SqliteTestFile&) = delete;
  SqliteTestFile& operator=(const SqliteTestFile&) = delete;

  // Runs statements on the database and closes it again.
  void run(const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    // Nothing here must outlive the machine; waiting for its disk made tests slow.
    sqlite3_exec(database, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << (message == nullptr ? "" : message);
    sqlite3_free(message);
    sqlite3_close(database);
  }

  // Overwrites the first page of a table, so that none of its rows can be read.
  void damage(const std::string& table) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    const auto number = [&](const std::string& query) {
      sqlite3_stmt* statement = nullptr;
      sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr);
      EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
      const int value = sqlite3_column_int(statement, 0);
      sqlite3_finalize(statement);
      return value;
    };
    const int root = number("SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'");
    const int page_bytes = number("PRAGMA page_size");
    sqlite3_close(database);
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(std::streamoff{root - 1} * page_bytes);
    file << std::string(static_cast<std::size_t>(page_bytes), '\xFF');
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace lockstep::formats::sqlite
