// Claims on tables.
#include "report/table.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

Table count_and_name() {
  return Table({{"count", Table::Align::kRight}, {"name", Table::Align::kLeft, true}});
}

TEST(Table, NumbersAreAlignedRightAndNamesLeft) {
  Table table = count_and_name();
  table.add_row({"7", "gemm"});
  table.add_row({"12,345", "a"});
  EXPECT_EQ(table.render(80),
            "   count  name\n"
            "       7  gemm\n"
            "  12,345  a\n");
}

TEST(Table, OnlyTheShrinkableColumnGivesWay) {
  Table table = count_and_name();
  table.add_row({"12,345", "abcdefghijklmnopqrstuvwxyz"});
  EXPECT_EQ(table.render(28),
            "   count  name\n"
            "  12,345  abcdefghi\xE2\x80\xA6stuvwxyz\n");
}

TEST(Table, NamesKeepAReadableRestHoweverNarrowTheTerminal) {
  Table table = count_and_name();
  table.add_row({"1", "abcdefghijklmnopqrstuvwxyz"});
  EXPECT_EQ(table.render(1), table.render(25));
}

TEST(Table, WideCharactersKeepTheColumnsInLine) {
  Table table({{"name", Table::Align::kLeft}, {"n", Table::Align::kRight}});
  table.add_row({"\xE6\xA0\xB8", "1"});
  table.add_row({"abcd", "2"});
  EXPECT_EQ(table.render(80), "  name  n\n  \xE6\xA0\xB8    1\n  abcd  2\n");
}

TEST(Table, MissingCellsAreEmpty) {
  Table table = count_and_name();
  table.add_row({"1"});
  EXPECT_EQ(table.render(80), "  count  name\n      1\n");
}

}  // namespace
}  // namespace lockstep
