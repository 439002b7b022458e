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

TEST(XlsxCheck, ChangedBytesNeverCrashTheCheck) {
  const std::string whole = book();
  for (std::size_t at = 0; at < whole.size(); at += 83) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0xFF);
    (void)is_whole_book(changed, kCells);
  }
}

}  // namespace
}  // namespace lockstep::report::sinks
