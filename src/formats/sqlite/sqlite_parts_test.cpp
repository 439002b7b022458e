// What is said of tables that are missing, empty or unknown.
#include "formats/sqlite/sqlite_parts.h"

#include <array>

#include <gtest/gtest.h>

#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

using Use = trace::SourcePart::Use;

class SqliteParts : public testing::Test {
 protected:
  void open(const std::string& sql) {
    made_.run(sql);
    io::MemorySource unused("");
    auto opened = SqliteFile::open(unused, made_.path());
    ASSERT_TRUE(opened.ok());
    file_ = std::move(opened).value();
  }
  [[nodiscard]] const std::vector<trace::SourcePart>& parts() { return builder_.rank().parts; }

  SqliteTestFile made_;
  std::unique_ptr<SqliteFile> file_;
  trace::Trace trace_;
  shared::RankBuilder builder_{trace_, "a.db", "nsys", trace::KeepArguments::kNone};
};

TEST_F(SqliteParts, RowsAreFoundWhateverTheColumns) {
  open("CREATE TABLE K(a, id); INSERT INTO K VALUES (NULL, NULL), (1, 2); CREATE TABLE Empty(a)");
  EXPECT_TRUE(has_rows(*file_, "K"));
  EXPECT_EQ(count_rows(*file_, "K"), 2U);
  EXPECT_FALSE(has_rows(*file_, "Empty"));
  EXPECT_FALSE(has_rows(*file_, "Gone"));
  EXPECT_EQ(count_rows(*file_, "Gone"), 0U);
}

TEST_F(SqliteParts, AnEmptyTableIsAsGoodAsNone) {
  open("CREATE TABLE K(a); INSERT INTO K VALUES (1); CREATE TABLE Empty(a)");
  constexpr std::array<NeededTable, 3> kNeeded = {{{"K", "x"}, {"Empty", "y"}, {"Gone", "z"}}};
  list_missing_tables(*file_, kNeeded, builder_);
  use_table(builder_, "Empty", 0, "nothing");
  use_table(builder_, "K", 1, "kernels");
  ASSERT_EQ(parts().size(), 3U);
  EXPECT_EQ(parts()[0].name, "Empty");
  EXPECT_EQ(parts()[0].use, Use::kMissing);
  EXPECT_EQ(parts()[0].note, "y");
  EXPECT_EQ(parts()[1].name, "Gone");
  EXPECT_EQ(parts()[2].use, Use::kUsed);
  EXPECT_EQ(parts()[2].records, 1U);
}

TEST_F(SqliteParts, ManyOtherTablesAreCounted) {
  std::string sql = "CREATE TABLE K(a); INSERT INTO K VALUES (1); CREATE TABLE Empty(a);";
  for (int i = 0; i < 30; ++i) {
    const std::string name = "T" + std::to_string(i);
    sql += "CREATE TABLE " + name + "(a); INSERT INTO " + name + " VALUES (1);";
  }
  open(sql);
  list_other_tables(*file_, [](std::string_view table) { return table == "K"; }, builder_);
  ASSERT_EQ(parts().size(), 25U);
  EXPECT_EQ(parts()[0].name, "T0");
  EXPECT_EQ(parts()[0].use, Use::kUnused);
  EXPECT_EQ(parts()[24].name, "6 more tables");
}

TEST_F(SqliteParts, AnUnknownStringIsCountedAndNamedByItsNumber) {
  open("CREATE TABLE S(id, value); INSERT INTO S VALUES (4, 'gemm')");
  SqliteStrings strings(trace_.strings);
  strings.read(*file_, "S", "id", "value");
  EXPECT_EQ(trace_.text(string_numbered(strings, 4, 1, builder_)), "gemm");
  EXPECT_EQ(trace_.text(string_numbered(strings, 5, 1, builder_)), "string 5");
  EXPECT_EQ(builder_.diagnostics().count_of(kUnknownString), 1U);
}

}  // namespace
}  // namespace lockstep::formats::sqlite
