// Makes small SQLite databases for tests.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace lockstep {

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
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << (message == nullptr ? "" : message);
    sqlite3_free(message);
    sqlite3_close(database);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace lockstep
