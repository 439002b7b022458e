// Claims on workbooks whose parts lack something.
#include "report/sinks/xlsx_check.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/sinks/xlsx_book.h"

namespace lockstep::report::sinks {
namespace {

constexpr std::uint64_t kRows = 300;
constexpr std::uint64_t kCells = 3 * kRows + 2;  // with the titles; empty cells are not kept

std::string book() {
  XlsxSheet sheet{"a", {{"Name"}, {"Value"}}, {}};
  for (std::uint64_t i = 0; i < kRows; ++i) {
    sheet.rows.push_back({{"name <&> " + std::to_string(i)},
                          {static_cast<double>(i)},
                          {},
                          {std::string()},
                          {{}, 0xFF0000}});
  }
  io::MemorySink sink;
  EXPECT_TRUE(write_xlsx({sheet}, sink).ok());
  return sink.bytes();
}

TEST(XlsxCheck, BookThatWasWrittenIsWhole) { EXPECT_TRUE(is_whole_book(book(), kCells)); }

TEST(XlsxCheck, MissingCellsAreNoticed) {
  EXPECT_FALSE(is_whole_book(book(), kCells + 1));
  EXPECT_FALSE(is_whole_book(book(), kCells - 1));
}

TEST(XlsxCheck, BookThatIsCutIsNotWhole) {
  const std::string whole = book();
  for (std::size_t size = 0; size < whole.size(); size += 101) {
    EXPECT_FALSE(is_whole_book(whole.substr(0, size), kCells)) << size;
  }
}

// The packed bytes of a part are held against its checksum; some of those around them are not read.
TEST(XlsxCheck, ChangedContentIsNotWhole) {
  const std::string whole = book();
  const std::size_t first = whole.find("xl/worksheets/sheet1.xml") + 24;
  const std::size_t next = whole.find("PK\x03\x04", first);
  ASSERT_NE(next, std::string::npos);
  for (std::size_t at = first; at < next; at += 7) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0xFF);
    EXPECT_FALSE(is_whole_book(changed, kCells)) << at;
  }
}

// Numbers of the directory that decide where a part is and what it is; others tell nothing of it.
TEST(XlsxCheck, ADirectoryThatSaysOtherThingsIsNotThatOfAWholeBook) {
  const std::string whole = book();
  const auto is_whole_without = [&](std::size_t at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0xFF);
    return is_whole_book(changed, kCells);
  };
  const std::size_t end = whole.rfind("PK\x05\x06");
  std::size_t entries = 0;
  for (std::size_t entry = whole.find("PK\x01\x02"); entry < end;
       entry = whole.find("PK\x01\x02", entry + 1)) {
    ++entries;
    for (const std::size_t field : {0, 1, 2, 3, 10, 11, 16, 19, 20, 23, 24, 27, 42, 45}) {
      EXPECT_FALSE(is_whole_without(entry + field)) << field;
    }
    for (const std::size_t time : {12, 13, 14, 15}) EXPECT_TRUE(is_whole_without(entry + time));
  }
  EXPECT_GT(entries, 5U);
  for (const std::size_t field : {0, 1, 2, 3, 10, 11, 16, 19}) {
    EXPECT_FALSE(is_whole_without(end + field)) << field;
  }
}

}  // namespace
}  // namespace lockstep::report::sinks
