// Strings by number: found, kept out of the trace until asked for, odd ids.
#include "formats/sqlite/sqlite_strings.h"

#include <gtest/gtest.h>

#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

class SqliteStringsTest : public testing::Test {
 protected:
  void read(const std::string& rows) {
    made_.run("CREATE TABLE S(id, value); INSERT INTO S VALUES " + rows);
    io::MemorySource unused("");
    auto file = SqliteFile::open(unused, made_.path());
    ASSERT_TRUE(file.ok());
    strings_.read(*file.value(), "S", "id", "value");
  }

  SqliteTestFile made_;
  StringPool pool_;
  SqliteStrings strings_{pool_};
};

TEST_F(SqliteStringsTest, EntersTheTraceWhenAsked) {
  const std::size_t before = pool_.size();
  read("(0, 'zero'), (1, 'one')");
  EXPECT_EQ(pool_.size(), before);
  ASSERT_TRUE(strings_.find(1));
  EXPECT_EQ(pool_.view(*strings_.find(1)), "one");
  EXPECT_EQ(pool_.size(), before + 1);
  EXPECT_EQ(strings_.text(0), "zero");
}

TEST_F(SqliteStringsTest, HugeAndNegativeIdsAreFound) {
  read("(-5, 'minus'), (268435456, 'far'), (9223372036854775807, 'last'), (3, '')");
  EXPECT_EQ(strings_.text(-5), "minus");
  EXPECT_EQ(strings_.text(268435456), "far");
  EXPECT_EQ(strings_.text(9223372036854775807), "last");
  EXPECT_EQ(strings_.find(3), kEmptyString);
  EXPECT_FALSE(strings_.find(4));
  EXPECT_FALSE(strings_.find(-1));
  EXPECT_EQ(strings_.text(4), "");
}

TEST_F(SqliteStringsTest, TheFirstOfAnIdCountsAndNullIsNoId) {
  read("(1, 'first'), (1, 'second'), (NULL, 'nothing'), ('x', 'text'), (2, NULL)");
  EXPECT_EQ(strings_.text(1), "first");
  EXPECT_EQ(strings_.find(2), kEmptyString);
  EXPECT_EQ(strings_.size(), 3U);
}

}  // namespace
}  // namespace lockstep::formats::sqlite
