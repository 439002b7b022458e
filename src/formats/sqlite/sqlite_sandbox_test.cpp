// Ways out of a database, each tried: none leads to a file that nobody named.
#include "formats/sqlite/sqlite_sandbox.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Access = SqliteSandbox::Access;
namespace fs = std::filesystem;

std::unique_ptr<SqliteFile> open(const std::string& path) {
  io::MemorySource unused("");
  auto file = SqliteFile::open(unused, path);
  EXPECT_TRUE(file.ok()) << file.error().text();
  return std::move(file).value();
}

std::vector<std::int64_t> rows_of_k(SqliteFile& file) {
  SqliteScan scan = file.scan("K", {"a"});
  std::vector<std::int64_t> rows;
  while (scan.next()) rows.push_back(scan.integer(0));
  return rows;
}

// One database that a writer left with a journal, and a file of the user that has nothing to do
// with it.
class Journal : public testing::Test {
 protected:
  Journal() {
    make_interrupted(made_.path());
    write_file(victim_, "precious");
  }
  void name_in_journal(const std::string& name) const {
    std::ofstream(made_.path() + "-journal", std::ios::binary | std::ios::app)
        << name_of_other_journal(name);
  }

  SqliteTestFile made_;
  SqliteTestFile elsewhere_;
  std::string victim_ = (elsewhere_.folder() / "notes.txt").string();
};

// Else the tests below would show nothing.
TEST_F(Journal, DeletesTheFileThatItNamesInPlainSqlite) {
  name_in_journal(victim_);
  made_.run("SELECT count(*) FROM K");
  EXPECT_FALSE(fs::exists(victim_));
}

TEST_F(Journal, ThatNamesAnotherFileDeletesNothing) {
  name_in_journal(victim_);
  const auto file = open(made_.path());
  EXPECT_THAT(rows_of_k(*file), ElementsAre(1));
  EXPECT_EQ(bytes_of_file(victim_), "precious");
  EXPECT_EQ(file->diagnostics().count_of(kSharedJournal), 1U);
}

TEST_F(Journal, ThatNamesARelativePathDeletesNothing) {
  const fs::path before = fs::current_path();
  fs::current_path(elsewhere_.folder());
  name_in_journal("notes.txt");
  EXPECT_THAT(rows_of_k(*open(made_.path())), ElementsAre(1));
  fs::current_path(before);
  EXPECT_EQ(bytes_of_file(victim_), "precious");
}

TEST_F(Journal, ThatNamesAPipeIsNotWaitedFor) {
  const std::string pipe = (elsewhere_.folder() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  name_in_journal(pipe);
  EXPECT_THAT(rows_of_k(*open(made_.path())), ElementsAre(1));
  EXPECT_TRUE(fs::exists(pipe));
}

// Cutting the last name off would bring out the one before.
TEST_F(Journal, ThatNamesSeveralFilesDeletesNothing) {
  name_in_journal(victim_);
  std::ofstream(made_.path() + "-journal", std::ios::binary | std::ios::app)
      << "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  EXPECT_THAT(rows_of_k(*open(made_.path())), ElementsAre(1));
  EXPECT_EQ(bytes_of_file(victim_), "precious");
}

TEST_F(Journal, StaysAsItIsBesideItsDatabase) {
  name_in_journal(victim_);
  const std::string database = bytes_of_file(made_.path());
  const std::string journal = bytes_of_file(made_.path() + "-journal");
  EXPECT_THAT(rows_of_k(*open(made_.path())), ElementsAre(1));
  EXPECT_EQ(bytes_of_file(made_.path()), database);
  EXPECT_EQ(bytes_of_file(made_.path() + "-journal"), journal);
}

// The second wall: what SQLite would do with a copy whose journal still has its name.
TEST_F(Journal, ReachesNothingThroughTheSandboxAlone) {
  name_in_journal(victim_);
  const SqliteSandbox sandbox(fs::canonical(made_.path()), Access::kPrivateCopy);
  SqliteConnection connection;
  ASSERT_EQ(connect(sandbox, connection), SQLITE_OK);
  const SqliteStatement rows = prepared(connection, "SELECT a FROM K");
  ASSERT_TRUE(rows);
  EXPECT_EQ(sqlite3_step(rows.get()), SQLITE_ROW);
  EXPECT_EQ(bytes_of_file(victim_), "precious");
}

class Sandbox : public testing::Test {
 protected:
  Sandbox() { made_.run("CREATE TABLE K(a); INSERT INTO K VALUES (1)"); }
  // What SQLite says to a statement, in a private copy, where it may do most.
  [[nodiscard]] std::string answer(const std::string& statement) const {
    const SqliteSandbox sandbox(fs::canonical(made_.path()), Access::kPrivateCopy);
    SqliteConnection connection;
    EXPECT_EQ(connect(sandbox, connection), SQLITE_OK);
    const int code = sqlite3_exec(connection.get(), statement.c_str(), nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? "done" : sqlite3_errmsg(connection.get());
  }
  [[nodiscard]] std::vector<std::string> folder() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(made_.folder())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  SqliteTestFile made_;
};

TEST_F(Sandbox, ReadsTables) { EXPECT_EQ(answer("SELECT a FROM K"), "done"); }

TEST_F(Sandbox, AttachesNothing) {
  const std::string other = (made_.folder() / "other.db").string();
  EXPECT_EQ(answer("ATTACH '" + other + "' AS other"), "not authorized");
  EXPECT_EQ(answer("VACUUM INTO '" + other + "'"), "authorization denied");
  EXPECT_THAT(folder(), ElementsAre("trace.db"));
}

TEST_F(Sandbox, WritesNothing) {
  const std::string before = bytes_of_file(made_.path());
  for (const char* statement :
       {"INSERT INTO K VALUES (2)", "DELETE FROM K", "CREATE TABLE L(a)", "DROP TABLE K",
        "CREATE TEMP TABLE L(a)", "PRAGMA journal_mode = WAL", "PRAGMA writable_schema = ON",
        "BEGIN IMMEDIATE"}) {
    EXPECT_EQ(answer(statement), "not authorized") << statement;
  }
  EXPECT_EQ(bytes_of_file(made_.path()), before);
}

TEST_F(Sandbox, LoadsNoExtensionsAndCallsNoFunctions) {
  EXPECT_THAT(answer("SELECT load_extension('libc.so.6')"), HasSubstr("not authorized"));
  EXPECT_THAT(answer("SELECT readfile('/etc/passwd')"), HasSubstr("no such function"));
  EXPECT_THAT(answer("SELECT zeroblob(1000000000)"), HasSubstr("not authorized"));
}

TEST_F(Sandbox, RunsNoModules) {
  EXPECT_THAT(answer("SELECT * FROM dbstat"), HasSubstr("no such table"));
  EXPECT_THAT(answer("SELECT * FROM json_each('[1]')"), HasSubstr("no such table"));
  EXPECT_EQ(answer("CREATE VIRTUAL TABLE V USING fts5(x)"), "not authorized");
}

// By an entry of the schema, which is parsed without asking anybody.
TEST_F(Sandbox, RunsNoModulesOfASchemaEither) {
  made_.run(
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT 'table', 'V', 'V', rootpage, "
      "'CREATE VIRTUAL TABLE V USING fts5(x)' FROM sqlite_schema WHERE name = 'K'");
  const auto file = open(made_.path());
  SqliteScan scan = file->scan("V", {"x"});
  EXPECT_FALSE(scan.next());
  EXPECT_THAT(rows_of_k(*file), ElementsAre(1));
  EXPECT_GT(file->diagnostics().count_of(kDamagedTable), 0U);
}

TEST_F(Sandbox, ReadsNoViewUnderTheNameOfATable) {
  made_.run(
      "CREATE VIEW V AS SELECT 7 AS a; PRAGMA writable_schema = ON;"
      "UPDATE sqlite_schema SET type = 'table', rootpage = 2 WHERE name = 'V'");
  const auto file = open(made_.path());
  SqliteScan scan = file->scan("V", {"a"});
  EXPECT_FALSE(scan.next());
}

// Not even where a statement that writes were let through.
TEST_F(Sandbox, FiresNoTriggers) {
  made_.run(
      "CREATE TABLE L(a); CREATE TRIGGER T AFTER INSERT ON K BEGIN INSERT INTO L VALUES (1); END");
  {
    const SqliteSandbox sandbox(fs::canonical(made_.path()), Access::kPrivateCopy);
    SqliteConnection connection;
    ASSERT_EQ(connect(sandbox, connection), SQLITE_OK);
    sqlite3_set_authorizer(connection.get(), nullptr, nullptr);
    ASSERT_EQ(sqlite3_exec(connection.get(), "INSERT INTO K VALUES (2)", nullptr, nullptr, nullptr),
              SQLITE_OK);
  }
  const auto file = open(made_.path());
  EXPECT_THAT(rows_of_k(*file), ElementsAre(1, 2));
  EXPECT_FALSE(file->scan("L", {"a"}).next());
}

TEST_F(Sandbox, ComputesNoColumns) {
  made_.run("CREATE TABLE M(a, b AS (abs(a)) STORED, c AS (abs(a))); INSERT INTO M(a) VALUES (-5)");
  const auto file = open(made_.path());
  SqliteScan scan = file->scan("M", {"a", "b", "c"});
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.integer(0), -5);
  EXPECT_TRUE(scan.is_null(1));
  EXPECT_TRUE(scan.is_null(2));
}

TEST(SqliteSandbox, KnowsTheDatabaseAndNothingBesideIt) {
  const SqliteSandbox sandbox("/some/trace.db", Access::kReadOnly);
  EXPECT_TRUE(sandbox.may_open("/some/trace.db", SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READONLY));
  EXPECT_FALSE(sandbox.may_open("/some/trace.db", SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE));
  EXPECT_FALSE(sandbox.may_open("/some/trace.db-wal", SQLITE_OPEN_WAL));
  EXPECT_FALSE(sandbox.may_open("/some/other.db", SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READONLY));
  EXPECT_FALSE(sandbox.may_open(nullptr, SQLITE_OPEN_TEMP_DB));
}

TEST(SqliteSandbox, KnowsTheLogsOfACopy) {
  const SqliteSandbox sandbox("/some/trace.db", Access::kPrivateCopy);
  EXPECT_TRUE(sandbox.may_open("/some/trace.db-wal", SQLITE_OPEN_WAL));
  EXPECT_TRUE(sandbox.may_open("/some/trace.db-journal", SQLITE_OPEN_MAIN_JOURNAL));
  EXPECT_FALSE(sandbox.may_open("/some/trace.db-journal", SQLITE_OPEN_SUPER_JOURNAL));
  EXPECT_FALSE(sandbox.may_open("/some/trace.db-mj0123", SQLITE_OPEN_SUPER_JOURNAL));
  EXPECT_FALSE(sandbox.is_log("/some/trace.db"));
}

TEST(SqliteSandbox, IsForgottenWithItsObject) {
  std::string name;
  {
    const SqliteSandbox sandbox("/some/trace.db", Access::kReadOnly);
    name = sandbox.name();
    EXPECT_NE(sqlite3_vfs_find(name.c_str()), nullptr);
  }
  EXPECT_EQ(sqlite3_vfs_find(name.c_str()), nullptr);
}

TEST(SqliteSandbox, NeedsALibraryThatHasMemoryToStart) {
  sqlite3_shutdown();
  sqlite3_mem_methods usual{};
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual), SQLITE_OK);
  sqlite3_mem_methods none = usual;
  none.xInit = [](void*) { return SQLITE_NOMEM; };
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &none), SQLITE_OK);
  EXPECT_THROW(SqliteSandbox("/some/trace.db", Access::kReadOnly), std::bad_alloc);
  EXPECT_THROW(SqliteSandbox("/some/trace.db", Access::kPrivateCopy), std::bad_alloc);
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &usual), SQLITE_OK);
}

}  // namespace
}  // namespace lockstep::formats::sqlite
