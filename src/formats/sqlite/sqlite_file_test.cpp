// SQLite files: opened without a trace, scanned with the columns that are there, damaged ones told.
#include "formats/sqlite/sqlite_file.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/sqlite/sqlite_file_for_test.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTwoRows =
    "CREATE TABLE K(start INTEGER, name TEXT);"
    "INSERT INTO K VALUES (5, 'a'), (1736405443881410320, 'b');"
    "CREATE VIEW V AS SELECT * FROM K;";

std::unique_ptr<SqliteFile> open(const std::string& path) {
  io::MemorySource unused("");
  auto file = SqliteFile::open(unused, path);
  EXPECT_TRUE(file.ok()) << file.error().text();
  return std::move(file).value();
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SqliteFile, ListsBaseTablesOnly) {
  SqliteTestFile made;
  made.run(kTwoRows);
  const auto file = open(made.path());
  EXPECT_THAT(file->tables(), ElementsAre("K"));
  EXPECT_TRUE(file->has_column("K", "start"));
  EXPECT_FALSE(file->has_column("K", "end"));
  EXPECT_FALSE(file->has_table("V"));
}

TEST(SqliteFile, LeavesNothingBesideTheFile) {
  SqliteTestFile made("odd name %41?#.db");
  made.run("PRAGMA journal_mode=WAL; CREATE TABLE K(a); INSERT INTO K VALUES (1)");
  const auto before = names_in(made.folder());
  const std::string bytes = bytes_of(made.path());
  {
    const auto file = open(made.path());
    SqliteScan scan = file->scan("K", {"a"});
    EXPECT_TRUE(scan.next());
  }
  EXPECT_EQ(names_in(made.folder()), before);
  EXPECT_EQ(bytes_of(made.path()), bytes);
}

TEST(SqliteFile, ReadsAPathThatBeginsWithTwoSlashes) {
  SqliteTestFile made;
  made.run(kTwoRows);
  EXPECT_THAT(open("/" + made.path())->tables(), ElementsAre("K"));
}

// A writer that still runs, or was killed, leaves its last rows in the -wal file.
TEST(SqliteFile, ReadsWhatIsInTheLogBesideIt) {
  SqliteTestFile made;
  made.run("PRAGMA journal_mode=WAL; CREATE TABLE K(a); INSERT INTO K VALUES (1)");
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(made.path().c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "PRAGMA wal_autocheckpoint=0; INSERT INTO K VALUES (2)", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  const std::string log = bytes_of(made.path() + "-wal");
  ASSERT_FALSE(log.empty());
  {
    const auto file = open(made.path());
    SqliteScan scan = file->scan("K", {"a"});
    std::vector<std::int64_t> rows;
    while (scan.next()) rows.push_back(scan.integer(0));
    EXPECT_THAT(rows, ElementsAre(1, 2));
  }
  EXPECT_EQ(bytes_of(made.path() + "-wal"), log);
  sqlite3_close(writer);
}

TEST(SqliteFile, FindsTheLogBehindALink) {
  SqliteTestFile made;
  made.run("PRAGMA journal_mode=WAL; CREATE TABLE K(a)");
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(made.path().c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "PRAGMA wal_autocheckpoint=0; INSERT INTO K VALUES (2)", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  SqliteTestFile elsewhere("link.db");
  std::filesystem::create_symlink(made.path(), elsewhere.path());
  const auto file = open(elsewhere.path());
  SqliteScan scan = file->scan("K", {"a"});
  EXPECT_TRUE(scan.next());
  sqlite3_close(writer);
}

// A writer that died inside a transaction has changed pages; the journal says what they were.
TEST(SqliteFile, TakesBackWhatAJournalTakesBack) {
  SqliteTestFile made;
  make_interrupted(made.path());
  const auto file = open(made.path());
  SqliteScan scan = file->scan("K", {"a"});
  std::vector<std::int64_t> rows;
  while (scan.next()) rows.push_back(scan.integer(0));
  EXPECT_THAT(rows, ElementsAre(1));
  EXPECT_TRUE(file->diagnostics().entries().empty());
}

TEST(SqliteFile, ReadsFromAPipe) {
  SqliteTestFile made;
  made.run(kTwoRows);
  io::MemorySource pipe(bytes_of(made.path()));
  auto file = SqliteFile::open(pipe, "-");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file.value()->tables(), ElementsAre("K"));
}

TEST(SqliteFile, RefusesWhatIsNone) {
  io::MemorySource noise(std::string(kSqliteMagic) + std::string(5000, '\xA7'));
  const auto file = SqliteFile::open(noise, "-");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().text(), HasSubstr("SQLite database"));
  EXPECT_EQ(file.error().code, ErrorCode::kInput);
}

TEST(SqliteFile, SaysThatItsFirstPageIsDamaged) {
  SqliteTestFile made;
  made.run(kTwoRows);
  std::string bytes = bytes_of(made.path());
  bytes[100] = '\xFF';  // the kind of the page that lists the tables
  io::MemorySource source(bytes);
  const auto file = SqliteFile::open(source, "-");
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().text(),
              HasSubstr("is a damaged SQLite database (database disk image is malformed). It may "
                        "be cut off; export it again"));
}

// SQLite by itself takes 512 bytes.
TEST(SqliteFile, ReadsAFileWithALongPath) {
  SqliteTestFile made;
  made.run(kTwoRows);
  std::filesystem::path deep = made.folder();
  for (int i = 0; i < 3; ++i) deep /= std::string(200, 'x');
  std::filesystem::create_directories(deep);
  std::filesystem::copy_file(made.path(), deep / "trace.db");
  EXPECT_THAT(open((deep / "trace.db").string())->tables(), ElementsAre("K"));
}

// Which is not the fault of the file.
TEST(SqliteFile, SaysThatTheNameOfTheTemporaryFolderIsTooLong) {
  SqliteTestFile made;
  make_interrupted(made.path());
  std::filesystem::path deep = made.folder();
  for (int i = 0; i < 3; ++i) deep /= std::string(200, 'x');
  std::filesystem::create_directories(deep);
  const char* const before = std::getenv("TMPDIR");
  const std::string usual = before == nullptr ? "" : before;
  setenv("TMPDIR", deep.c_str(), 1);
  io::MemorySource unused("");
  const auto file = SqliteFile::open(unused, made.path());
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", usual.c_str(), 1);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().text(), deep.string() +
                                     ": has too long a name for the copy of a database with a log. "
                                     "Name a shorter folder for temporary files with TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(deep));
}

TEST(SqliteFile, SaysWhySqliteCannotOpenIt) {
  SqliteTestFile made;
  made.run(kTwoRows);
  std::string bytes = bytes_of(made.path());
  bytes[19] = 9;  // the version that can read it
  write_file(made.path(), bytes);
  io::MemorySource unused("");
  const auto file = SqliteFile::open(unused, made.path());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().text(), HasSubstr("is not an SQLite database that can be read"));
}

// Rows of 100 bytes, and a small table in front of them.
std::string large_database(int rows) {
  SqliteTestFile made;
  made.run(
      "CREATE TABLE First(a); INSERT INTO First VALUES (7); CREATE TABLE K(a);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
      std::to_string(rows) + ") INSERT INTO K SELECT printf('%0100d', i) FROM n");
  return bytes_of(made.path());
}

TEST(SqliteFile, ReadsACutDatabaseUpToTheCut) {
  const std::string whole = large_database(5000);
  for (const std::size_t part : {3U, 4U, 5U, 9U}) {
    io::MemorySource cut(whole.substr(0, whole.size() * part / 10));
    auto file = SqliteFile::open(cut, "-");
    ASSERT_TRUE(file.ok()) << file.error().text();
    EXPECT_EQ(file.value()->diagnostics().count_of(kDamagedDatabase), 1U);
    SqliteScan first = file.value()->scan("First", {"a"});
    ASSERT_TRUE(first.next());
    EXPECT_EQ(first.integer(0), 7);
    SqliteScan scan = file.value()->scan("K", {"a"});
    while (scan.next()) {
    }
    EXPECT_GT(scan.rows(), part * 450U);
    EXPECT_LT(scan.rows(), 5000U);
    EXPECT_EQ(file.value()->diagnostics().count_of(kDamagedTable), 1U);
  }
}

// Every cut of a small file is refused with a sentence or read with a count.
TEST(SqliteFile, SurvivesEveryCut) {
  SqliteTestFile made;
  made.run(
      "PRAGMA page_size = 512; CREATE TABLE K(a, b TEXT); INSERT INTO K VALUES (1, 'x'), (2, 'y')");
  const std::string whole = bytes_of(made.path());
  for (std::size_t size = 16; size < whole.size(); ++size) {
    io::MemorySource cut(whole.substr(0, size));
    auto file = SqliteFile::open(cut, "-");
    if (!file.ok()) {
      EXPECT_THAT(file.error().text(), HasSubstr("SQLite database"));
      continue;
    }
    SqliteScan scan = file.value()->scan("K", {"a", "b"});
    while (scan.next()) EXPECT_LT(scan.text(1).size(), 2U);
    EXPECT_FALSE(file.value()->diagnostics().entries().empty()) << size;
  }
}

// Some programs put something behind a database.
TEST(SqliteFile, MayGoOnBehindItsLastPage) {
  for (const std::size_t more : {1, 4095, 4096, 40960}) {
    io::MemorySource longer(large_database(500) + std::string(more, '\x0D'));
    auto file = SqliteFile::open(longer, "-");
    ASSERT_TRUE(file.ok());
    file.value()->start_looking_at_pages();
    SqliteScan scan = file.value()->scan("K", {"a"});
    while (scan.next()) {
    }
    file.value()->finish();
    EXPECT_EQ(scan.rows(), 500U);
    EXPECT_TRUE(file.value()->diagnostics().entries().empty()) << more;
  }
}

TEST(SqliteFile, LeavesVirtualTablesAndComputedColumnsAlone) {
  SqliteTestFile made;
  made.run(
      "CREATE TABLE K(a, b AS (a * 2)); INSERT INTO K VALUES (4);"
      "PRAGMA writable_schema = ON;"
      "INSERT INTO sqlite_schema VALUES ('table', 'V', 'V', 0, 'CREATE VIRTUAL TABLE V USING "
      "fts5(x)')");
  const auto file = open(made.path());
  EXPECT_THAT(file->tables(), ElementsAre("K"));
  SqliteScan scan = file->scan("K", {"a", "b"});
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.integer(0), 4);
  EXPECT_TRUE(scan.is_null(1));
}

// SQLite has it open and reads on.
TEST(SqliteFile, SaysThatItsPagesCouldNotBeLookedAt) {
  SqliteTestFile made;
  made.run(kTwoRows);
  const auto file = open(made.path());
  std::filesystem::remove(made.path());
  file->start_looking_at_pages();
  file->finish();
  EXPECT_EQ(file->diagnostics().count_of(kPagesNotChecked), 1U);
  EXPECT_EQ(kPagesNotChecked.severity, Severity::kDataLoss);
}

TEST(SqliteFile, NoticesThatItIsBeingWritten) {
  SqliteTestFile made;
  made.run(kTwoRows);
  const auto file = open(made.path());
  EXPECT_FALSE(file->has_changed());
  made.run("INSERT INTO K VALUES (7, 'c')");
  EXPECT_TRUE(file->has_changed());
}

}  // namespace
}  // namespace lockstep::formats::sqlite
