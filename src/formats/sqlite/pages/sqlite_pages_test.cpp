// Pages that SQLite reads without a word although rows are gone, and good databases of many sorts.
#include "formats/sqlite/pages/sqlite_pages.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/sqlite/pages/sqlite_damage_for_test.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

const char* const kRows =
    "CREATE TABLE K(a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
    "< 40000) INSERT INTO K SELECT i, printf('%.*c', i % 50, 'x') FROM n;";

TEST(SqlitePages, FindNothingInGoodDatabases) {
  for (const std::string settings :
       {"", "PRAGMA page_size = 512;", "PRAGMA page_size = 65536;", "PRAGMA auto_vacuum = FULL;",
        "PRAGMA auto_vacuum = INCREMENTAL;", "PRAGMA encoding = 'UTF-16';"}) {
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
      EXPECT_EQ(list_of_tables(made.path()), TableList::kFits) << settings << more;
    }
  }
}

TEST(SqlitePages, FindNothingWhereColumnsCameWentOrAreComputed) {
  for (const std::string change :
       {"ALTER TABLE K ADD COLUMN c; INSERT INTO K VALUES (1, 2, 3);",
        "ALTER TABLE K DROP COLUMN b;",
        "CREATE TABLE G(a, b AS (a + 1) STORED, c AS (a + 2)); INSERT INTO G SELECT a FROM K;"}) {
    SqliteTestFile made;
    made.run(kRows + change);
    EXPECT_EQ(damage_in(made.path()), 0U) << change;
  }
}

// Each has rows of fitting numbers, so that SQLite's own check finds nothing.
TEST(SqlitePages, FindTablesThatChangedPlaces) {
  SqliteTestFile made;
  made.run(
      "CREATE TABLE A(a, b); INSERT INTO A VALUES (1, 2); "
      "CREATE TABLE B(a, b, c); INSERT INTO B VALUES (1, 2, 3), (4, 5, 6);");
  std::string bytes = bytes_of_file(made.path());
  const std::size_t page = bytes.size() / 3;
  std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(page),
                   bytes.begin() + static_cast<std::ptrdiff_t>(2 * page),
                   bytes.begin() + static_cast<std::ptrdiff_t>(2 * page));
  write_file(made.path(), bytes);
  EXPECT_TRUE(is_sound_for_sqlite(made.path()));
  EXPECT_EQ(damage_in(made.path()), 1U);
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
    for (std::size_t at = page_; at < bytes_.size(); at += page_) {
      if (bytes_[at] == sort && at > 2 * page_) return at;
    }
    return bytes_[page_] == sort ? page_ : 0;
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
  std::size_t page_ = 4096;
};

TEST_F(ChangedPage, ThatSaysItHasFewerRows) {
  const std::size_t leaf = page_of_sort(0x0D);
  bytes_[leaf + 4] = static_cast<char>(bytes_[leaf + 4] - 5);
  EXPECT_EQ(rows(), 40000 - 5) << "SQLite reads over it";
  EXPECT_EQ(damage_in(made_.path()), 1U);
}

TEST_F(ChangedPage, ThatHasARowTwice) {
  const std::size_t leaf = page_of_sort(0x0D);
  bytes_.replace(leaf + 8 + 2 * 7, 2, bytes_, leaf + 8 + 2 * 6, 2);
  EXPECT_EQ(rows(), 40000) << "SQLite reads over it";
  EXPECT_EQ(damage_in(made_.path()), 1U);
}

TEST_F(ChangedPage, ThatHasARowWhoseValuesDoNotFillIt) {
  const std::size_t leaf = page_of_sort(0x0D);
  const std::size_t row = leaf + static_cast<unsigned char>(bytes_[leaf + 8]) * 256U +
                          static_cast<unsigned char>(bytes_[leaf + 9]);
  std::size_t head = row + 1;  // behind the length of the row: its number, of some bytes
  while ((static_cast<unsigned char>(bytes_[head]) & 0x80U) != 0) ++head;
  const std::size_t type = head + 2;  // behind the length of the head
  for (const char other : {'\x00', '\x05', '\x0A', '\x0B', '\x7F'}) {
    const char before = std::exchange(bytes_[type], other);
    ASSERT_NE(before, other);
    write_file(made_.path(), bytes_);
    EXPECT_EQ(damage_in(made_.path()), 1U) << int{other};
    bytes_[type] = before;
  }
  write_file(made_.path(), bytes_);
  EXPECT_EQ(damage_in(made_.path()), 0U);
}

TEST_F(ChangedPage, ThatHasItsRowsInAnotherOrder) {
  const std::size_t leaf = page_of_sort(0x0D);
  const std::string pointer = bytes_.substr(leaf + 8, 2);
  bytes_.replace(leaf + 8, 2, bytes_, leaf + 10, 2);
  bytes_.replace(leaf + 10, 2, pointer);
  EXPECT_EQ(rows(), 40000) << "SQLite reads over it";
  EXPECT_EQ(damage_in(made_.path()), 1U);
}

// The rows of one page are there twice, and those of another one are gone.
TEST_F(ChangedPage, ThatIsOverwrittenByAnotherLeaf) {
  const std::size_t leaf = page_of_sort(0x0D);
  const std::string whole = bytes_;
  for (const std::size_t other : {leaf + page_, leaf + 100 * page_}) {
    for (const auto& [to, from] : {std::pair(leaf, other), std::pair(other, leaf)}) {
      ASSERT_EQ(whole[from], 0x0D);
      bytes_.replace(to, page_, whole, from, page_);
      EXPECT_GT(rows(), 39000) << "SQLite reads over it";
      EXPECT_EQ(damage_in(made_.path()), 1U) << to << " " << from;
      bytes_ = whole;
    }
  }
}

TEST_F(ChangedPage, ThatHasNoRowsAnyMore) {
  const std::size_t leaf = page_of_sort(0x0D);
  bytes_.replace(leaf, page_, std::string("\x0D\0\0\0\0\x10\0\0", 8) + std::string(page_ - 8, 0));
  EXPECT_LT(rows(), 40000) << "SQLite reads over it";
  EXPECT_EQ(damage_in(made_.path()), 1U);
}

TEST_F(ChangedPage, ThatIsNoneOfATable) {
  const std::size_t leaf = page_of_sort(0x0D);
  for (const char sort : {'\x00', '\x0A', '\x02'}) {
    bytes_[leaf] = sort;
    write_file(made_.path(), bytes_);
    EXPECT_EQ(damage_in(made_.path()), 1U) << int{sort};
  }
}

TEST_F(ChangedPage, OfTheFirstAndLastNumbersThereAreIsNoDamage) {
  std::filesystem::remove(made_.path());
  made_.run(
      "CREATE TABLE K(a INTEGER PRIMARY KEY, b); WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT "
      "i + 1 FROM n WHERE i < 900) INSERT INTO K SELECT -9223372036854775807 - 1 + i, "
      "zeroblob(200) FROM n UNION ALL SELECT 9223372036854775807 - i, zeroblob(200) FROM n UNION "
      "ALL SELECT i - 450, zeroblob(200) FROM n");
  EXPECT_EQ(damage_in(made_.path()), 0U);
  made_.run("DELETE FROM K WHERE abs(a % 7) > 1");
  EXPECT_EQ(damage_in(made_.path()), 0U);
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

// Pages that say who refers to whom lie between the others, the first one in front of all rows.
TEST_F(ChangedPage, OfAFileWithPagesThatMapTheOthers) {
  std::filesystem::remove(made_.path());
  page_ = 512;
  made_.run(std::string("PRAGMA page_size = 512; PRAGMA auto_vacuum = INCREMENTAL;") + kRows);
  const std::string whole = bytes_of_file(made_.path());
  ASSERT_GT(whole.size() / page_, page_ / 5 * 10) << "several maps";

  bytes_ = whole;
  const std::size_t leaf = page_of_sort(0x0D);
  bytes_[leaf + 4] = static_cast<char>(bytes_[leaf + 4] - 5);
  EXPECT_EQ(rows(), 40000 - 5) << "SQLite reads over it";
  EXPECT_EQ(damage_in(made_.path()), 1U);

  // What is wrong in a map takes no rows away.
  bytes_ = whole;
  bytes_.replace(page_, page_, std::string(page_, 0x0D));
  EXPECT_EQ(rows(), 40000);
  EXPECT_EQ(damage_in(made_.path()), 0U);
}

// Its rows lie in pages like those of indexes, of which those that are none do not matter.
TEST_F(ChangedPage, OfATableWithoutRowIds) {
  std::filesystem::remove(made_.path());
  made_.run(
      "CREATE TABLE K(a PRIMARY KEY, b) WITHOUT ROWID; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
      "SELECT i + 1 FROM n WHERE i < 40000) INSERT INTO K SELECT i, printf('%.*c', i % 50 + CASE i "
      "% 999 WHEN 0 THEN 3000 ELSE 0 END, 'x') FROM n");
  const std::string whole = bytes_of_file(made_.path());
  bytes_ = whole;
  EXPECT_EQ(rows(), 40000);
  EXPECT_EQ(damage_in(made_.path()), 0U);
  for (const char sort : {'\x0A', '\x02'}) {
    bytes_ = whole;
    const std::size_t page = page_of_sort(sort);
    bytes_[page + 4] = static_cast<char>(bytes_[page + 4] - 3);
    EXPECT_LT(rows(), 40000) << "SQLite reads over it";
    EXPECT_GE(damage_in(made_.path()), 1U) << static_cast<int>(sort);
  }
}

TEST_F(ChangedPage, OfAnIndexIsNoDamage) {
  made_.run("CREATE INDEX I ON K(b)");
  bytes_ = bytes_of_file(made_.path());
  const std::size_t page = page_of_sort(0x0A);
  bytes_[page + 4] = static_cast<char>(bytes_[page + 4] - 3);
  EXPECT_EQ(rows(), 40000);
  EXPECT_EQ(damage_in(made_.path()), 0U);
}

// A database in a file that goes on behind it.
TEST_F(ChangedPage, BehindTheLastOne) {
  bytes_ += bytes_.substr(page_of_sort(0x0D), 4096) + std::string(4096, 0x0D);
  EXPECT_EQ(rows(), 40000);
  EXPECT_EQ(damage_in(made_.path()), 0U);
}

// The tables are listed in a tree of their own, which begins on the first page.
class ChangedSchema : public ChangedPage {
 protected:
  ChangedSchema() {
    std::filesystem::remove(made_.path());
    std::string tables = "PRAGMA page_size = 512; BEGIN;";
    for (int i = 0; i < kTables; ++i) {  // one a page
      tables += "CREATE TABLE T" + std::to_string(i) + "(" + std::string(300, 'a') + ");";
    }
    made_.run(tables + "COMMIT");
    bytes_ = bytes_of_file(made_.path());
  }
  [[nodiscard]] std::size_t number_at(std::size_t at) const {
    return static_cast<unsigned char>(bytes_[at]) * 256U +
           static_cast<unsigned char>(bytes_[at + 1]);
  }
  // How many pages lie one below the other, from one that is a branch.
  [[nodiscard]] std::size_t levels() const {
    std::size_t levels = 1;
    for (std::size_t at = 100; bytes_[at] == 0x05; ++levels) {
      at = (number_at(at + 8) * 65536 + number_at(at + 10) - 1) * 512;
    }
    return levels;
  }

  static constexpr int kTables = 400;
};

TEST_F(ChangedSchema, IsFoundOnEveryLevel) {
  ASSERT_GE(levels(), 3U);
  EXPECT_EQ(damage_in(made_.path()), 0U);
  EXPECT_EQ(list_of_tables(made_.path()), TableList::kFits);
  const std::string whole = bytes_;
  const std::vector<SqliteRoot> roots = roots_of(made_.path());
  EXPECT_EQ(roots.size(), static_cast<std::size_t>(kTables));
  std::size_t at = 100;
  for (std::size_t level = 0; level < levels(); ++level) {
    bytes_[at + 4] = static_cast<char>(bytes_[at + 4] - 1);
    write_file(made_.path(), bytes_);
    EXPECT_LT(roots_of(made_.path()).size(), roots.size()) << "SQLite reads over it";
    EXPECT_GE(damage_in(made_.path()), 1U) << level;
    bytes_ = whole;
    if (bytes_[at] == 0x05) at = (number_at(at + 8) * 65536 + number_at(at + 10) - 1) * 512;
  }
}

TEST_F(ChangedPage, OfAnotherFileOrNone) {
  write_file(made_.path(), "SQLite");
  EXPECT_EQ(damaged_pages(made_.path(), {}).value().pages, 0U);
  EXPECT_EQ(damaged_pages(made_.path() + ".none", {}).error().text(),
            made_.path() + ".none: no such file or directory");
  EXPECT_EQ(list_of_tables(made_.path()), TableList::kFits);
  EXPECT_EQ(list_of_tables(made_.path() + ".none"), TableList::kFits);
}

// Whatever stands there, the look at it has an end inside the page.
TEST_F(ChangedPage, OfNoise) {
  for (std::size_t i = 4096; i < bytes_.size(); ++i) {
    bytes_[i] = static_cast<char>((i * 2654435761U) >> 13);
    if (i % 4096 == 0) bytes_[i] = i % 8192 == 0 ? 0x0D : 0x05;
  }
  write_file(made_.path(), bytes_);
  EXPECT_GT(damaged_pages(made_.path(), {{.page = 2}}).value().pages, 100U);
  bytes_[100] = 0x05;
  write_file(made_.path(), bytes_);
  (void)list_of_tables(made_.path());
}

}  // namespace
}  // namespace lockstep::formats::sqlite
