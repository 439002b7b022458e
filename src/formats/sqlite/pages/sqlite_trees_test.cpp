// Trees that lead back to their own pages and rows that share their text: reading them has an end.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_file_for_test.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<SqliteFile> open(const std::string& path) {
  io::MemorySource unused("");
  auto file = SqliteFile::open(unused, path);
  EXPECT_TRUE(file.ok()) << file.error().text();
  return std::move(file).value();
}

// Every branch of an inner page leads to the next inner page, so that the last one is met as often
// as all branches multiply to. The first inner page is the root.
std::string with_repeated_pages(std::string bytes, std::size_t page_bytes) {
  const auto number_at = [&](std::size_t at) {
    return static_cast<unsigned char>(bytes[at]) * 256U + static_cast<unsigned char>(bytes[at + 1]);
  };
  const auto header_of = [&](std::size_t page) { return page == 0 ? 100 : page * page_bytes; };
  std::vector<std::size_t> inner;
  for (std::size_t page = 0; page < bytes.size() / page_bytes && inner.size() < 7; ++page) {
    if (bytes[header_of(page)] == 5) inner.push_back(page);
  }
  EXPECT_GE(inner.size(), 3U);
  for (std::size_t i = 0; i + 1 < inner.size(); ++i) {
    const std::size_t header = header_of(inner[i]);
    const std::size_t next = inner[i + 1] + 1;  // pages are counted from 1
    const std::string child{0, 0, static_cast<char>(next >> 8), static_cast<char>(next & 0xFF)};
    for (std::size_t cell = 0; cell < number_at(header + 3); ++cell) {
      bytes.replace(inner[i] * page_bytes + number_at(header + 12 + 2 * cell), 4, child);
    }
    bytes.replace(header + 8, 4, child);
  }
  return bytes;
}

// A log that holds nothing: the database is copied, and SQLite looks at the log of the copy.
const std::string kEmptyLog = std::string("\x37\x7f\x06\x82", 4) + std::string(28, '\0');

// They would give rows without end.
TEST(HostileTree, ThatRepeatsItsPagesHasAnEnd) {
  SqliteTestFile large;
  large.run(
      "PRAGMA page_size = 512; CREATE TABLE K(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
      "SELECT "
      "i + 1 FROM n WHERE i < 20000) INSERT INTO K SELECT printf('%0100d', i) FROM n");
  const std::string bytes = with_repeated_pages(bytes_of_file(large.path()), 512);
  for (const bool has_log : {false, true}) {
    SqliteTestFile made;
    write_file(made.path(), bytes);
    if (has_log) write_file(made.path() + "-wal", kEmptyLog);
    const auto file = open(made.path());
    SqliteScan scan = file->scan("K", {""});  // their text has an end of its own
    while (scan.next()) {
    }
    EXPECT_EQ(scan.rows(), bytes.size() / 5);
    EXPECT_EQ(file->diagnostics().count_of(kDamagedTable), 1U);
  }
}

TEST(HostileTree, OfTablesThatRepeatsItsPagesHasAnEnd) {
  SqliteTestFile made;
  std::string tables = "PRAGMA page_size = 512; BEGIN;";
  for (int i = 0; i < 300; ++i) {  // one a page
    tables += "CREATE TABLE T" + std::to_string(i) + "(" + std::string(300, 'a') + ");";
  }
  made.run(tables + "COMMIT");
  EXPECT_EQ(open(made.path())->tables().size(), 300U);
  write_file(made.path(), with_repeated_pages(bytes_of_file(made.path()), 512));
  for (const bool has_log : {false, true}) {
    if (has_log) write_file(made.path() + "-wal", kEmptyLog);
    io::MemorySource unused("");
    const auto file = SqliteFile::open(unused, made.path());
    ASSERT_FALSE(file.ok());
    EXPECT_THAT(file.error().text(), HasSubstr("(its list of tables has no end)"));
  }
}

// SQLite compares every name with many others.
TEST(HostileTree, OfMoreTablesThanAnyProfilerWritesIsRefused) {
  for (const int tables : {16'384, 16'385}) {
    SqliteTestFile made;
    made.run(
        fmt::format("PRAGMA writable_schema = 1; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
                    "i + 1 FROM n "
                    "WHERE i < {}) INSERT INTO sqlite_master SELECT 'view', 'v' || i, 'v' || i, 0, "
                    "'CREATE VIEW "
                    "v' || i || ' AS SELECT 1' FROM n",
                    tables));
    io::MemorySource unused("");
    const auto file = SqliteFile::open(unused, made.path());
    EXPECT_EQ(file.ok() ? "" : file.error().text(),
              tables == 16'384 ? ""
                               : made.path() +
                                     ": lists more than 16384 tables and indexes. No profiler "
                                     "writes so many; export one session at a time");
  }
}

// A thousand entries of the first page that are one and the same long one.
TEST(HostileTree, OfTablesThatSharesItsTextHasAnEnd) {
  constexpr std::size_t kHeader = 100;
  SqliteTestFile made;
  std::string bytes;
  std::string entry;
  // How much of it lies on the page depends on how long it is; there must be room for many more.
  for (std::size_t more = 0; more < 4092 && (entry.empty() || entry < "\x08"); more += 400) {
    std::filesystem::remove(made.path());
    made.run("CREATE TABLE K(a /*" + std::string(900'000 + more, 'x') + "*/)");
    bytes = bytes_of_file(made.path());
    entry = bytes.substr(kHeader + 8, 2);
  }
  ASSERT_GT(entry, "\x08");
  EXPECT_THAT(open(made.path())->tables(), ElementsAre("K"));
  std::string entries;
  for (int i = 0; i < 1000; ++i) entries += entry;
  bytes.replace(kHeader + 8, entries.size(), entries);
  bytes.replace(kHeader + 3, 2, "\x03\xE8");
  write_file(made.path(), bytes);
  io::MemorySource unused("");
  const auto file = SqliteFile::open(unused, made.path());
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().text(), HasSubstr("(its list of tables has no end)"));
}

// A long cell goes on in a chain of pages. Here those of all rows lead to the same chain, and each
// row says that it is as long as the one whose chain it is.
TEST(HostileTree, WhoseRowsShareTheirTextHasAnEnd) {
  constexpr std::size_t kLocal = 489;  // of a row whose other bytes fill pages of 4,092
  constexpr std::size_t kShort = kLocal + 4092 * 5;
  constexpr std::size_t kLong = kLocal + 4092 * 240;
  constexpr std::size_t kHeader = 4;
  SqliteTestFile made;
  made.run(fmt::format(
      "CREATE TABLE K(a); INSERT INTO K VALUES (printf('%.*c', {}, 'x')); WITH RECURSIVE n(i) AS "
      "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO K SELECT printf('%.*c', "
      "{}, 'y') FROM n",
      kLong - kHeader, kShort - kHeader));
  std::string bytes = bytes_of_file(made.path());
  // In a cell: the length, the row's number, the length of the header, its one type, then the text.
  const auto three = [](std::size_t n) {
    return std::string{static_cast<char>(0x80 | n >> 14), static_cast<char>(0x80 | (n >> 7 & 0x7F)),
                       static_cast<char>(n & 0x7F)};
  };
  const auto type = [&](std::size_t row) { return three(2 * (row - kHeader) + 13); };
  const std::size_t first = bytes.find(three(kLong) + "\x01\x04" + type(kLong));
  ASSERT_NE(first, std::string::npos);
  const std::string chain = bytes.substr(first + 4 + kLocal, 4);
  std::size_t changed = 0;
  for (char row = 2; row <= 61; ++row) {
    const std::size_t at = bytes.find(three(kShort) + row + "\x04" + type(kShort));
    if (at == std::string::npos) continue;
    bytes.replace(at, 3, three(kLong)).replace(at + 5, 3, type(kLong));
    bytes.replace(at + 4 + kLocal, 4, chain);
    ++changed;
  }
  ASSERT_GT(changed, 50U);
  write_file(made.path(), bytes);
  const auto file = open(made.path());
  SqliteScan scan = file->scan("K", {"a"});
  std::size_t text = 0;
  while (scan.next()) text += scan.text(0).size();
  EXPECT_GT(text, kLong);
  EXPECT_LE(text, 2 * bytes.size());
  EXPECT_EQ(file->diagnostics().count_of(kDamagedTable), 1U);
}

}  // namespace
}  // namespace lockstep::formats::sqlite
