// Claims on workbooks, which are opened and read.
#include "report/sinks/xlsx_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sinks/xlsx_for_test.h"

namespace lockstep::report::sinks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
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

TEST(XlsxBook, CellsAreTextNumbersAndFillsAndNoFormulas) {
  const ReadSheet sheet = read_book(bytes_of({sheet_named("a")})).at(0);
  EXPECT_EQ(sheet.name, "a");
  EXPECT_THAT(sheet.cells, ElementsAre(Pair("A1", "Name [bold]"), Pair("A2", "=1+1"),
                                       Pair("A3", "red [bold FF0000]"), Pair("B1", "Value [bold]"),
                                       Pair("B2", "#2.5")));
}

TEST(XlsxBook, TitlesAreFrozenAndFiltered) {
  const std::string xml = read_book(bytes_of({sheet_named("a")})).at(0).xml;
  EXPECT_THAT(xml, HasSubstr("<autoFilter ref=\"A1:B3\"/>"));
  EXPECT_THAT(xml, HasSubstr("<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" "
                             "state=\"frozen\"/>"));
}

TEST(XlsxBook, NamesThatAreIllegalOrEqualAreMadeLegalAndToldApart) {
  const std::string longest(100, 'n');
  const std::string bytes =
      bytes_of({sheet_named("a/b:c"), sheet_named("A/B:C"), sheet_named(""), sheet_named(longest),
                sheet_named(longest), sheet_named("\xFF"), sheet_named("'q'")});
  std::vector<std::string> names;
  for (const ReadSheet& sheet : read_book(bytes)) {
    names.push_back(sheet.name);
    EXPECT_EQ(sheet.cells.size(), 5U) << sheet.name;
  }
  EXPECT_THAT(names, ElementsAre("a_b_c", "A_B_C 2", "Sheet", std::string(31, 'n'),
                                 std::string(29, 'n') + " 2", "\xEF\xBF\xBD", "_q_"));
}

TEST(XlsxBook, TextOfAnyLengthAndBytesFits) {
  XlsxSheet sheet = sheet_named("a");
  sheet.rows.push_back({{std::string(40'000, 'x')}, {std::string("\xC3\x28\x01")}});
  sheet.rows.push_back({{std::string(32'766, 'x') + "\xC3\xA9"}});
  auto cells = read_book(bytes_of({sheet})).at(0).cells;
  EXPECT_EQ(cells["A4"], std::string(32'764, 'x') + "\xE2\x80\xA6");
  EXPECT_EQ(cells["B4"], "\xEF\xBF\xBD(\xEF\xBF\xBD");
  EXPECT_EQ(cells["A5"], std::string(32'764, 'x') + "\xE2\x80\xA6");
}

// The first column below its title.
std::vector<std::string> column_of(const std::vector<std::string>& texts, std::size_t most_rows) {
  XlsxSheet sheet{"a", {{"Name"}}, {}};
  for (const std::string& text : texts) sheet.rows.push_back({{text}});
  io::MemorySink sink;
  EXPECT_TRUE(write_xlsx({sheet}, sink, most_rows).ok());
  auto cells = read_book(sink.bytes()).at(0).cells;
  std::vector<std::string> column;
  for (std::size_t row = 2; row <= cells.size(); ++row) {
    column.push_back(cells["A" + std::to_string(row)]);
  }
  return column;
}

TEST(XlsxBook, RowsThatASheetCannotHoldAreSaidInItsLastOne) {
  EXPECT_THAT(column_of({"a", "b", "c", "d", "e"}, 3),
              ElementsAre("a", "b", "Left out: 3 rows (--csv writes all)"));
  EXPECT_THAT(column_of({"a", "b", "c"}, 3), ElementsAre("a", "b", "c"));
}

TEST(XlsxBook, TextThatACellCannotHoldEndsWithAnEllipsis) {
  const std::string most(32'764, 'x');
  EXPECT_THAT(column_of({most + "xxxx"}, 1), ElementsAre(most + "\xE2\x80\xA6"));
  EXPECT_THAT(column_of({most.substr(1) + "\xC3\xA9xxx"}, 1),
              ElementsAre(most.substr(1) + "\xE2\x80\xA6"));
  EXPECT_THAT(column_of({most + "xxx"}, 1), ElementsAre(most + "xxx"));
}

TEST(XlsxBook, SheetWithoutRowsOrColumnsHasItsNameAndNoCells) {
  const std::vector<ReadSheet> sheets = read_book(bytes_of({{"empty", {}, {}}}));
  ASSERT_EQ(sheets.size(), 1U);
  EXPECT_EQ(sheets[0].name, "empty");
  EXPECT_TRUE(sheets[0].cells.empty());
}

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
