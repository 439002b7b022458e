// Claims on fields of CSV.
#include "report/sinks/csv_text.h"

#include <gtest/gtest.h>

namespace lockstep::report::sinks {
namespace {

TEST(CsvText, FieldsAreQuotedWhereNeeded) {
  EXPECT_EQ(csv_field("plain name"), "plain name");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(CsvText, NamesThatSpreadsheetsWouldRunAreText) {
  for (const std::string name : {"=1+2", "+1", "-1", "@SUM"}) EXPECT_EQ(csv_name(name), "'" + name);
  EXPECT_EQ(csv_name("=f(a, b)"), "\"'=f(a, b)\"");
  EXPECT_EQ(csv_name("gemm"), "gemm");
  EXPECT_EQ(csv_name(""), "");
}

}  // namespace
}  // namespace lockstep::report::sinks
