// Claims on workbooks, read back as far as their names and bytes tell.
#include "report/sinks/xlsx_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::report::sinks {
namespace {

using testing::StartsWith;

std::string bytes_of(const std::vector<XlsxSheet>& sheets) {
  io::MemorySink sink;
  const Status status = write_xlsx(sheets, sink);
  EXPECT_TRUE(status.ok());
  return sink.bytes();
}

XlsxSheet sheet_named(std::string name) {
  return {std::move(name),
          {{"Name", 40}, {"Value"}},
          {{{"=1+1"}, {2.5}}, {{"red", 0xFF0000, true}, {}}}};
}

TEST(XlsxBook, IsAZipFileAndTheSameEveryTime) {
  const std::string bytes = bytes_of({sheet_named("a")});
  EXPECT_THAT(bytes, StartsWith("PK"));
  EXPECT_EQ(bytes, bytes_of({sheet_named("a")}));
}

TEST(XlsxBook, NamesThatAreIllegalOrEqualAreNoTrouble) {
  const std::string longest(100, 'n');
  bytes_of({sheet_named("a/b:c"), sheet_named("A/B:C"), sheet_named(""), sheet_named(longest),
            sheet_named(longest), sheet_named("\xFF"), sheet_named("'q'")});
}

TEST(XlsxBook, TextOfAnyLengthAndBytesFits) {
  XlsxSheet sheet = sheet_named("a");
  sheet.rows.push_back({{std::string(40'000, 'x')}, {std::string("\xC3\x28\x01")}});
  sheet.rows.push_back({{std::string(32'766, 'x') + "é"}});
  bytes_of({sheet});
}

std::string bytes_of_rows(const std::vector<std::string>& texts, std::size_t most_rows) {
  XlsxSheet sheet{"a", {{"Name"}}, {}};
  for (const std::string& text : texts) sheet.rows.push_back({{text}});
  io::MemorySink sink;
  EXPECT_TRUE(write_xlsx({sheet}, sink, most_rows).ok());
  return sink.bytes();
}

TEST(XlsxBook, RowsThatASheetCannotHoldAreSaidInItsLastOne) {
  const std::string cut = "Left out: 3 rows (--csv writes all)";
  EXPECT_EQ(bytes_of_rows({"a", "b", "c", "d", "e"}, 3), bytes_of_rows({"a", "b", cut}, 10));
  EXPECT_EQ(bytes_of_rows({"a", "b", "c"}, 3), bytes_of_rows({"a", "b", "c"}, 10));
}

TEST(XlsxBook, TextThatACellCannotHoldEndsWithAnEllipsis) {
  const std::string most(32'764, 'x');
  EXPECT_EQ(bytes_of_rows({most + "xxxx"}, 1), bytes_of_rows({most + "\xE2\x80\xA6"}, 1));
  EXPECT_EQ(bytes_of_rows({most.substr(1) + "\xC3\xA9xxx"}, 1),
            bytes_of_rows({most.substr(1) + "\xE2\x80\xA6"}, 1));
  EXPECT_NE(bytes_of_rows({most + "xxx"}, 1), bytes_of_rows({most + "\xE2\x80\xA6"}, 1))
      << "it fits";
}

TEST(XlsxBook, SheetWithoutRowsOrColumnsIsNoTrouble) { bytes_of({{"empty", {}, {}}}); }

// The library writes an archive that says it has another end and has none.
TEST(XlsxBook, MoreSheetsThanAnArchiveCountsAreRefused) {
  io::MemorySink sink;
  const Status status = write_xlsx(std::vector<XlsxSheet>(65'001), sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().text(),
            "workbook: cannot be written: it would have 65,001 sheets, and 65,000 are the most. "
            "Write CSV files instead (--csv)");
  EXPECT_EQ(sink.bytes(), "");
}

}  // namespace
}  // namespace lockstep::report::sinks
