// Claims on tables.
#include "report/layout/table.h"

#include <gtest/gtest.h>

namespace lockstep::report::layout {
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

Table with_droppable_columns() {
  Table table({{"count", Table::Align::kRight},
               {"min", Table::Align::kRight, false, 1},
               {"max", Table::Align::kRight, false, 2},
               {"name", Table::Align::kLeft, true}});
  table.add_row({"12,345", "1 us", "2 us", "abcdefghijklmnopqrstuvwxyz"});
  return table;
}

TEST(Table, ColumnsAreDroppedWhereShorterNamesDoNotHelp) {
  const Table table = with_droppable_columns();
  EXPECT_EQ(table.render(38),
            "   count   min   max  name\n"
            "  12,345  1 us  2 us  abcdefgh\xE2\x80\xA6tuvwxyz\n");
  EXPECT_EQ(table.render(37),
            "   count   max  name\n"
            "  12,345  2 us  abcdefghij\xE2\x80\xA6qrstuvwxyz\n")
      << "the name takes the room that is free now";
  EXPECT_EQ(table.render(26),
            "   count  name\n"
            "  12,345  abcdefgh\xE2\x80\xA6tuvwxyz\n");
}

TEST(Table, WidestNameGivesWayFirst) {
  Table table({{"a", Table::Align::kLeft, true}, {"b", Table::Align::kLeft, true}});
  table.add_row({std::string(18, 'a'), std::string(200'000, 'b')});
  EXPECT_NE(table.render(42).find(std::string(18, 'a') + "  b"), std::string::npos)
      << table.render(42);
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
}  // namespace lockstep::report::layout
