// Definitions of tables: what one wrong bit makes of them is told, and what others write is not.
#include "formats/sqlite/pages/sqlite_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_file_for_test.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kCalls =
    "CREATE TABLE CALLS (start INTEGER, -- when\n"
    "  correlationId INTEGER,\n"
    "  threadId INTEGER)";
constexpr const char* kOneCall = ";INSERT INTO CALLS VALUES (10, 7, 3)";

// What is said of a database, one bit of which may be wrong.
struct Reading {
  std::vector<std::string> said;
  std::int64_t correlation = -1;
};

Reading read(const std::string& path) {
  Reading reading;
  io::MemorySource unused("");
  const auto file = SqliteFile::open(unused, path);
  if (!file.ok()) {
    reading.said.push_back(file.error().text());
    return reading;
  }
  for (int twice = 0; twice < 2; ++twice) {
    SqliteScan scan = file.value()->scan("CALLS", {"start", "correlationId", "threadId", "endNs"});
    if (scan.next()) reading.correlation = scan.integer(1, -1);
  }
  for (const Diagnostic& one : file.value()->diagnostics().entries()) {
    for (std::uint64_t i = 0; i < one.count; ++i) {
      reading.said.push_back(std::string(one.kind->name) + ": " + one.example);
    }
  }
  return reading;
}

// The database with `now` in place of `before`, which is as long, where that stands last: in the
// definition.
Reading read_with(const std::string& before, const std::string& now) {
  SqliteTestFile made;
  made.run(std::string(kCalls) + kOneCall);
  std::string bytes = bytes_of_file(made.path());
  const std::size_t at = bytes.rfind(before);
  EXPECT_NE(at, std::string::npos);
  write_file(made.path(), bytes.replace(at, now.size(), now));
  return read(made.path());
}

TEST(SqliteDefinition, SaysNothingWhereNothingIsWrong) {
  EXPECT_THAT(read_with("when", "then").said, IsEmpty());
  EXPECT_EQ(read_with("when", "then").correlation, 7);
}

TEST(SqliteDefinition, NamesAreTheSameInAnyCase) {
  // The name of the table stands in front of its definition twice.
  for (const auto& [before, now] :
       {std::pair("correlationId", "correlatioNId"), std::pair("CALLS (", "CALlS ("),
        std::pair("tableCALLS", "tablecALLS"), std::pair("CALLSCALLS", "CALLSCALLs")}) {
    const Reading reading = read_with(before, now);
    EXPECT_THAT(reading.said, IsEmpty());
    EXPECT_EQ(reading.correlation, 7) << now;
  }
}

TEST(SqliteDefinition, AColumnWithOneWrongBitIsNoticedOnce) {
  EXPECT_THAT(
      read_with("correlationId", "korrelationId").said,
      ElementsAre("damaged_definition: table CALLS: column correlationId is named korrelationId"));
}

TEST(SqliteDefinition, BytesThatAreNoTextAreNoticed) {
  for (const char* now :
       {"correl\xE1tionId INTEGER", "correlationId INTEGER\x0C", "correlationId INTEGER\xAC"}) {
    EXPECT_THAT(read_with("correlationId INTEGER,", now).said,
                ElementsAre("damaged_definition: table CALLS: control characters or bytes that are "
                            "not UTF-8"));
  }
}

// All columns behind it would be read under the name of the one in front.
TEST(SqliteDefinition, AColumnThatBecamePartOfATypeIsNoticed) {
  EXPECT_THAT(read_with("INTEGER,\n  thr", "INTEGERl\n  thr").said,
              ElementsAre("damaged_definition: table CALLS: column correlationId is of type "
                          "INTEGERl\n  threadId INTEGER"));
  const SqliteTable table{"T", "CREATE TABLE T (start$ end)", {{"start$", "end", false}}};
  EXPECT_EQ(damage_of_missing(table, "start", {}), "column start is named start$");
  EXPECT_EQ(damage_of_missing(table, "end", {}), "column end is written and is none");
}

TEST(SqliteDefinition, AColumnThatBecamePartOfACommentOrANameIsNoticed) {
  EXPECT_THAT(read_with("-- when\n  ", "-- whenJ  ").said,
              ElementsAre("damaged_definition: table CALLS: column correlationId is written and is "
                          "none"));
  EXPECT_THAT(read_with("-- when\n  ", "-- when*  ").said,
              ElementsAre("damaged_definition: table CALLS: column correlationId is written and is "
                          "none"));
  EXPECT_THAT(read_with("threadId INTEGER", "threadId0INTEGER").said,
              ElementsAre("damaged_definition: table CALLS: column threadId is written and is "
                          "none"));
}

TEST(SqliteDefinition, AColumnThatBecameTwoIsNoticed) {
  for (const char* now : {"corre,ationId", "correlation\td"}) {
    EXPECT_THAT(read_with("correlationId", now).said,
                ElementsAre("damaged_definition: table CALLS: column correlationId is written and "
                            "is none"));
  }
}

// The number of a row is not stored a second time: a key that is one reads as null when it is not
// known for one.
TEST(SqliteDefinition, AKeyThatIsNoNumberOfRowsAnyMoreIsNoticed) {
  const std::string key = "CREATE TABLE CALLS (correlationId INTEGER NOT NULL PRIMARY KEY)";
  const std::string plain = "CREATE TABLE CALLS (correlationId INTEGER PRIMARY KEY)";
  for (const auto& [sql, before, now] :
       {std::tuple(key, "INTEGER NOT", "INTEGEZ NOT"), std::tuple(key, "NOT NULL", "NOU NULL"),
        std::tuple(plain, "INTEGER P", "INTEGUR P"), std::tuple(plain, "PRIMARY", "PRIMERY")}) {
    SqliteTestFile made;
    made.run(sql + ";INSERT INTO CALLS VALUES (7)");
    std::string bytes = bytes_of_file(made.path());
    EXPECT_THAT(read(made.path()).said, IsEmpty());
    bytes.replace(bytes.rfind(before), std::string_view(now).size(), now);
    write_file(made.path(), bytes);
    const Reading reading = read(made.path());
    EXPECT_EQ(reading.correlation, -1);
    ASSERT_EQ(reading.said.size(), 1U) << now;
    EXPECT_TRUE(reading.said[0].starts_with(
        "damaged_definition: table CALLS: the key correlationId is of type INTEG"))
        << reading.said[0];
  }
}

// The columns of one profiler may be one bit apart; a version may write one and not the other.
TEST(SqliteDefinition, AKnownColumnIsNotTakenForAnother) {
  const SqliteTable table{"T",
                          "CREATE TABLE T (gridX INTEGER, globalPid INTEGER)",
                          {{"gridX", "INTEGER", false}, {"globalPid", "INTEGER", false}}};
  const std::vector<std::string_view> both = {"gridX", "gridY"};
  const std::vector<std::string_view> one = {"gridY"};
  EXPECT_EQ(damage_of_missing(table, "gridY", both), "");
  EXPECT_EQ(damage_of_missing(table, "gridY", one), "column gridY is named gridX");
  EXPECT_EQ(damage_of_missing(table, "globalTid", one), "");
}

TEST(SqliteDefinition, AColumnThatACommentOrAValueSpeaksOfIsNoDamage) {
  for (const std::string rest :
       {"/* correlationId INTEGER is not written */ threadId INTEGER",
        "-- correlationId INTEGER left out, J correlationId INTEGER too\n threadId INTEGER",
        "/* J  correlationId INTEGER\n   correlationId INTEGER */ threadId INTEGER",
        "note TEXT DEFAULT 'correlationId INTEGER'", "note TEXT DEFAULT \"correlationId INTEGER\"",
        "note TEXT DEFAULT 'it''s correlationId INTEGER'",
        "note TEXT CHECK (note <> 'corre,ationId'), -- corre,ationId\n threadId INTEGER",
        "note INTEGER /* correlationId */ UNSIGNED", "note INTEGER -- correlationId INTEGER"}) {
    SqliteTestFile made;
    made.run("CREATE TABLE CALLS (start INTEGER, " + rest +
             "\n); INSERT INTO CALLS(start) VALUES (1)");
    EXPECT_THAT(read(made.path()).said, IsEmpty()) << rest;
  }
}

// What stands in quotes without end is damage, and is looked at.
TEST(SqliteDefinition, AQuoteWithoutEndHidesNothing) {
  for (const std::string rest : {"'", "\"", "[", "`", "/*"}) {
    const SqliteTable table{"T", "CREATE TABLE T (start INTEGER, " + rest + " end INTEGER)", {}};
    EXPECT_EQ(damage_of_missing(table, "end", {}), "column end is written and is none") << rest;
  }
}

// Each character is looked at a few times: this would take hours otherwise.
TEST(SqliteDefinition, LongOnesOfManyQuotesAndCommentsHaveAnEnd) {
  for (const std::string part : {"[", "'", "/*", "--\n", "-- J", "\"a\"", "[]"}) {
    std::string definition;
    for (int i = 0; i < 300'000; ++i) definition += part;
    EXPECT_EQ(damage_of_missing({"T", definition, {}}, "end", {}), "") << part;
  }
}

TEST(SqliteDefinition, AColumnThatAVersionDoesNotWriteIsNoDamage) {
  const SqliteTable table{
      "T",
      "CREATE TABLE T (start INTEGER, -- the end is not known, see text\n note TEXT, b AS (2))",
      {{"start", "INTEGER", false}, {"note", "TEXT", false}}};
  for (const std::string_view column : {"", "end", "text", "b", "star", "starts", "stbrs"}) {
    EXPECT_EQ(damage_of_missing(table, column, {}), "") << column;
  }
  EXPECT_EQ(damage_of_missing(table, "stert", {}), "column stert is named start");
}

}  // namespace
}  // namespace lockstep::formats::sqlite
