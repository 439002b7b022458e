// Scans: the rows of a table in order, whatever their columns hold, whole even where it is large.
#include "formats/sqlite/sqlite_scan.h"

#include <gtest/gtest.h>

#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_file_for_test.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

constexpr const char* kTwoRows =
    "CREATE TABLE K(start INTEGER, name TEXT);"
    "INSERT INTO K VALUES (5, 'a'), (1736405443881410320, 'b')";

std::unique_ptr<SqliteFile> open(const std::string& path) {
  io::MemorySource unused("");
  auto file = SqliteFile::open(unused, path);
  EXPECT_TRUE(file.ok()) << file.error().text();
  return std::move(file).value();
}

TEST(SqliteScan, ScansWithMissingColumnsAsNull) {
  SqliteTestFile made;
  made.run(kTwoRows);
  const auto file = open(made.path());
  SqliteScan scan = file->scan("K", {"name", "end", "start"});
  EXPECT_TRUE(scan.has(0));
  EXPECT_FALSE(scan.has(1));
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.text(0), "a");
  EXPECT_TRUE(scan.is_null(1));
  EXPECT_EQ(scan.integer(1, -7), -7);
  EXPECT_EQ(scan.integer(2), 5);
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.integer(2), 1736405443881410320);
  EXPECT_FALSE(scan.next());
  EXPECT_FALSE(scan.next()) << "stays at the end";
  EXPECT_EQ(scan.rows(), 2U);
}

TEST(SqliteScan, ATableThatIsNotThereHasNoRows) {
  SqliteTestFile made;
  made.run(kTwoRows);
  const auto file = open(made.path());
  SqliteScan scan = file->scan("GONE", {"a"});
  EXPECT_FALSE(scan.next());
  EXPECT_TRUE(file->diagnostics().entries().empty());
}

TEST(SqliteScan, TextIsReadAsAnExactNumber) {
  SqliteTestFile made;
  made.run(
      "CREATE TABLE P(t TEXT, u); INSERT INTO P VALUES ('1736405443881410321', 'x9'), ('', 2.5)");
  const auto file = open(made.path());
  SqliteScan scan = file->scan("P", {"t", "u"});
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.integer(0), 1736405443881410321);
  EXPECT_EQ(scan.integer(1, -1), -1);
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.integer(0, -1), -1);
  EXPECT_EQ(scan.integer(1), 2);
}

// A reader may hold the texts of several columns of one row.
TEST(SqliteScan, NumbersReadAsTextDoNotOverwriteEachOther) {
  SqliteTestFile made;
  made.run("CREATE TABLE K(a, b, c); INSERT INTO K VALUES (1736405443881410321, 0.5, -7)");
  const auto file = open(made.path());
  SqliteScan scan = file->scan("K", {"a", "b", "c"});
  ASSERT_TRUE(scan.next());
  const std::string_view a = scan.text(0);
  const std::string_view b = scan.text(1);
  const std::string_view c = scan.text(2);
  EXPECT_EQ(a, "1736405443881410321");
  EXPECT_EQ(b, "0.5");
  EXPECT_EQ(c, "-7");
}

TEST(SqliteScan, ReadsTablesWithoutRowIdsAndTextOfAnyEncoding) {
  SqliteTestFile made;
  made.run(
      "PRAGMA encoding = 'UTF-16'; CREATE TABLE K(a PRIMARY KEY, b TEXT) WITHOUT ROWID;"
      "INSERT INTO K VALUES (2, 'zwei'), (1, 'eins')");
  const auto file = open(made.path());
  SqliteScan scan = file->scan("K", {"a", "b"});
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.text(1), "eins");
}

TEST(SqliteScan, ReportsProgress) {
  SqliteTestFile made;
  made.run(
      "CREATE TABLE K(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
      "i < 300000) INSERT INTO K SELECT i FROM n");
  const auto file = open(made.path());
  std::vector<std::uint64_t> reports;
  file->report_progress_to([&](std::uint64_t bytes) { reports.push_back(bytes); });
  SqliteScan scan = file->scan("K", {"a"});
  while (scan.next()) {
  }
  ASSERT_GT(reports.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(reports));
  const std::uint64_t size = bytes_of_file(made.path()).size();
  EXPECT_GT(reports.back(), size / 2);
  EXPECT_LE(reports.back(), size);
}

// Tables that are large enough for a thread of their own.
constexpr const char* kManyRows =
    "CREATE TABLE K(a, b, c, d); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
    "WHERE i < 50000) INSERT INTO K SELECT i, 'row ' || i, i / 4.0, CASE WHEN i % 3 = 0 THEN NULL "
    "ELSE i END FROM n";

TEST(SqliteScan, LargeTablesComeInOrderAndWhole) {
  SqliteTestFile made;
  made.run(kManyRows);
  const auto file = open(made.path());
  SqliteScan scan = file->scan("K", {"a", "b", "c", "d"});
  for (std::int64_t i = 1; i <= 50000; ++i) {
    ASSERT_TRUE(scan.next());
    ASSERT_EQ(scan.integer(0), i);
    ASSERT_EQ(scan.text(1), "row " + std::to_string(i));
    ASSERT_EQ(scan.real(2), static_cast<double>(i) / 4);
    ASSERT_EQ(scan.is_null(3), i % 3 == 0);
  }
  EXPECT_FALSE(scan.next());
  EXPECT_EQ(scan.rows(), 50000U);
  EXPECT_TRUE(file->diagnostics().entries().empty());
}

TEST(SqliteScan, LargeTablesMayBeReadSideBySideAndLeftEarly) {
  SqliteTestFile made;
  made.run(kManyRows);
  const auto file = open(made.path());
  SqliteScan first = file->scan("K", {"a"});
  SqliteScan second = file->scan("K", {"a"});
  for (std::int64_t i = 1; i <= 20000; ++i) {
    ASSERT_TRUE(first.next() && second.next());
    ASSERT_EQ(first.integer(0) + second.integer(0), 2 * i);
  }
}

TEST(SqliteScan, LongTextDoesNotFillMemory) {
  SqliteTestFile made;
  made.run(
      "CREATE TABLE K(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
      "i < 40) INSERT INTO K SELECT printf('%.*c', 900000, 'x') FROM n");
  const auto file = open(made.path());
  SqliteScan scan = file->scan("K", {"a"});
  while (scan.next()) EXPECT_EQ(scan.text(0).size(), 900000U);
  EXPECT_EQ(scan.rows(), 40U);
}

// A cell on a page of its own that is lost, in a row whose other cells are not.
TEST(SqliteScan, RowsWhoseDetailsAreDamagedComeWithoutThem) {
  SqliteTestFile made;
  made.run(
      "CREATE TABLE K(a, b, c); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
      "WHERE i < 100) INSERT INTO K SELECT i, i, CASE i WHEN 50 THEN printf('%.*c', 9000, 'x') "
      "ELSE 'c' || i END FROM n");
  std::string bytes = bytes_of_file(made.path());
  const std::size_t last = bytes.rfind(std::string(1000, 'x'));
  // The page in front of the last one of the long cell: where it says which one follows.
  const std::size_t page = (last / 4096 - 1) * 4096;
  bytes.replace(page, 4, "\x7f\xff\xff\xff", 4);
  write_file(made.path(), bytes);

  const auto count = [&](const SqliteColumns& columns, const DiagnosticKind& kind) {
    const auto file = open(made.path());
    SqliteScan scan = file->scan("K", columns);
    while (scan.next()) EXPECT_EQ(scan.integer(0), static_cast<std::int64_t>(scan.rows()));
    return std::pair(scan.rows(), file->diagnostics().count_of(kind));
  };
  EXPECT_EQ(count({{"a", "b"}}, kDamagedTable), std::pair(std::uint64_t{100}, std::uint64_t{0}));
  EXPECT_EQ(count({{"a", "b"}, {"c"}}, kDamagedDetails),
            std::pair(std::uint64_t{100}, std::uint64_t{1}));
  EXPECT_EQ(count({{"a", "b", "c"}}, kDamagedTable).first, 49U) << "where it is needed";
}

}  // namespace
}  // namespace lockstep::formats::sqlite
