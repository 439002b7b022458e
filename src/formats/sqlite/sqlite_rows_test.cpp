// Shortage of memory in SQLite: thrown to the reader from whichever thread, and no damage.
#include "formats/sqlite/sqlite_rows.h"

#include <algorithm>
#include <memory>
#include <new>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

// While it lives SQLite gets no more memory than it has.
class NoMoreMemoryForSqlite {
 public:
  NoMoreMemoryForSqlite() {
    sqlite3_hard_heap_limit64(std::max<sqlite3_int64>(1, sqlite3_memory_used()));
  }
  ~NoMoreMemoryForSqlite() { sqlite3_hard_heap_limit64(0); }
};

constexpr const char* kManyRows =
    "CREATE TABLE K(name TEXT);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
    "INSERT INTO K SELECT 'a name that is long enough to fill pages ' || i FROM n;";

TEST(SqliteRows, ShortageIsThrownAndIsNoDamage) {
  SqliteTestFile made;
  made.run(kManyRows);
  io::MemorySource unused("");
  const auto opened = SqliteFile::open(unused, made.path());
  ASSERT_TRUE(opened.ok());
  SqliteFile* const file = opened.value().get();
  SqliteScan scan = file->scan("K", {"name"});
  const NoMoreMemoryForSqlite limit;
  EXPECT_THROW(while (scan.next()){}, std::bad_alloc);
  EXPECT_TRUE(file->diagnostics().entries().empty());
}

TEST(SqliteRows, ShortageOnTheThreadOfATableIsThrownToTheReader) {
  SqliteTestFile made;
  made.run(kManyRows);
  const SqliteSandbox sandbox(std::filesystem::canonical(made.path()),
                              SqliteSandbox::Access::kReadOnly);
  SqliteConnection connection;
  ASSERT_EQ(connect(sandbox, connection), SQLITE_OK);
  const NoMoreMemoryForSqlite limit;
  SqliteRowThread thread(std::move(connection), "SELECT name FROM K", 0);
  std::unique_ptr<SqliteRows> batch;
  EXPECT_THROW(
      do { batch = thread.next(std::move(batch)); } while (batch && !batch->is_last()),
      std::bad_alloc);
}

TEST(SqliteRows, ShortageWhileOpeningIsThrown) {
  SqliteTestFile made;
  made.run("CREATE TABLE K(name TEXT);");
  const NoMoreMemoryForSqlite limit;
  io::MemorySource unused("");
  EXPECT_THROW((void)SqliteFile::open(unused, made.path()), std::bad_alloc);
}

}  // namespace
}  // namespace lockstep::formats::sqlite
