// Pages that SQLite reads without a word although rows are gone, and good databases of many sorts.
#include "formats/sqlite_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/sqlite_hostile_for_test.h"

namespace lockstep {
namespace {

std::vector<std::uint32_t> roots_of(const std::string& path) {
  std::vector<std::uint32_t> roots;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, "SELECT rootpage FROM sqlite_schema WHERE type = 'table'", -1,
                     &statement, nullptr);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    roots.push_back(static_cast<std::uint32_t>(sqlite3_column_int64(statement, 0)));
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return roots;
}

std::uint64_t damage_in(const std::string& path) {
  return damaged_pages(path, roots_of(path)).value().pages;
}

const char* const kRows =
    "CREATE TABLE K(a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
    "< 40000) INSERT INTO K SELECT i, printf('%.*c', i % 50, 'x') FROM n;";

TEST(SqlitePages, FindNothingInGoodDatabases) {
  for (const std::string settings : {"", "PRAGMA page_size = 512;", "PRAGMA page_size = 65536;",
                                     "PRAGMA auto_vacuum = FULL;", "PRAGMA encoding = 'UTF-16';"}) {
    for (const std::string more :
         {"", "CREATE INDEX I ON K(b);", "DELETE FROM K WHERE a % 3 = 0;",
          "DELETE FROM K WHERE a > 9000;", "UPDATE K SET b = printf('%.*c', 30 + a % 70, 'y');",
          "INSERT INTO K SELECT i, printf('%.*c', 9000 + i, 'z') FROM (SELECT 1 AS i UNION SELECT "
          "2000 UNION SELECT 4000);",
          "CREATE TABLE W(a PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO W SELECT a, b FROM K;",
          "CREATE TABLE L(a); DROP TABLE K; INSERT INTO L VALUES (1);"}) {
      SqliteTestFile made;
      made.run(settings + kRows + more);
      EXPECT_EQ(damage_in(made.path()), 0U) << settings << more;
    }
  }
}

// A database with one number of one page changed; rows that SQLite then finds.
class ChangedPage : public testing::Test {
 protected:
  ChangedPage() {
    made_.run(kRows);
    bytes_ = bytes_of_file(made_.path());
  }
  // The first page of this sort behind the first ones.
  [[nodiscard]] std::size_t page_of_sort(char sort) const {
    for (std::size_t at = 4096; at < bytes_.size(); at += 4096) {
      if (bytes_[at] == sort && at > 8192) return at;
    }
    return bytes_[4096] == sort ? 4096 : 0;
  }
  [[nodiscard]] std::int64_t rows() {
    write_file(made_.path(), bytes_);
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(made_.path().c_str(), &database), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, "SELECT a FROM K", -1, &statement, nullptr);
    std::int64_t rows = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) ++rows;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return rows;
  }

  SqliteTestFile made_;
  std::string bytes_;
};

TEST_F(ChangedPage, ThatSaysItHasFewerRows) {
  const std::size_t leaf = page_of_sort(0x0D);
  bytes_[leaf + 4] = static_cast<char>(bytes_[leaf + 4] - 5);
  EXPECT_EQ(rows(), 40000 - 5) << "SQLite reads over it";
  EXPECT_EQ(damage_in(made_.path()), 1U);
}

TEST_F(ChangedPage, ThatSaysItHasFewerBranches) {
  const std::size_t branch = page_of_sort(0x05);
  bytes_[branch + 4] = static_cast<char>(bytes_[branch + 4] - 3);
  EXPECT_LT(rows(), 40000) << "SQLite reads over it";
  EXPECT_GE(damage_in(made_.path()), 1U);
}

TEST_F(ChangedPage, WhoseBranchLeadsToAnotherLeaf) {
  const std::size_t branch = page_of_sort(0x05);
  const auto cell = [&](std::size_t i) {
    const std::size_t at = branch + 12 + 2 * i;
    return branch + static_cast<unsigned char>(bytes_[at]) * 256U +
           static_cast<unsigned char>(bytes_[at + 1]);
  };
  bytes_.replace(cell(7), 4, bytes_, cell(3), 4);
  EXPECT_GT(rows(), 0);
  EXPECT_EQ(damage_in(made_.path()), 2U) << "one leaf is met twice, one never";
}

TEST_F(ChangedPage, OfAnotherFileOrNone) {
  write_file(made_.path(), "SQLite");
  EXPECT_EQ(damaged_pages(made_.path(), {}).value().pages, 0U);
  EXPECT_EQ(damaged_pages(made_.path() + ".none", {}).error().text(),
            made_.path() + ".none: no such file or directory");
}

// Whatever stands there, the look at it has an end inside the page.
TEST_F(ChangedPage, OfNoise) {
  for (std::size_t i = 4096; i < bytes_.size(); ++i) {
    bytes_[i] = static_cast<char>((i * 2654435761U) >> 13);
    if (i % 4096 == 0) bytes_[i] = i % 8192 == 0 ? 0x0D : 0x05;
  }
  write_file(made_.path(), bytes_);
  EXPECT_GT(damaged_pages(made_.path(), {2}).value().pages, 100U);
}

}  // namespace
}  // namespace lockstep
