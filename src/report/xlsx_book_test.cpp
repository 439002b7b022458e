// Claims on workbooks, read back as far as their names and bytes tell.
#include "report/xlsx_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::StartsWith;

std::string bytes_of(const std::vector<XlsxSheet>& sheets) {
  MemorySink sink;
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

TEST(XlsxBook, SheetWithoutRowsOrColumnsIsNoTrouble) { bytes_of({{"empty", {}, {}}}); }

// The library writes an archive that says it has another end and has none.
TEST(XlsxBook, MoreSheetsThanAnArchiveCountsAreRefused) {
  MemorySink sink;
  const Status status = write_xlsx(std::vector<XlsxSheet>(65'001), sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().text(),
            "workbook: cannot be written: it would have 65,001 sheets, and 65,000 are the most. "
            "Write CSV files instead (--csv)");
  EXPECT_EQ(sink.bytes(), "");
}

}  // namespace
}  // namespace lockstep
