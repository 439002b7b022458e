// Telling SQLite databases apart, and what is said of those that no reader knows.
#include "formats/input/sqlite_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/input/load.h"
#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::input {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& path) {
  const auto loaded = load({path}, {});
  EXPECT_FALSE(loaded.ok());
  return loaded.ok() ? "" : loaded.error().text();
}

TEST(SqliteFormat, NamesTheTablesOfAnotherTool) {
  sqlite::SqliteTestFile made;
  made.run("CREATE TABLE moz_places(a); CREATE TABLE moz_hosts(a);");
  EXPECT_THAT(refusal(made.path()),
              HasSubstr("is an SQLite database of no profiler that lockstep knows (tables: "
                        "moz_places, moz_hosts). lockstep reads exports of Nsight Systems"));
}

TEST(SqliteFormat, SaysThatThereIsNoTable) {
  sqlite::SqliteTestFile made;
  made.run("PRAGMA user_version = 3; VACUUM");
  EXPECT_THAT(refusal(made.path()), HasSubstr("is an SQLite database without tables"));
}

TEST(SqliteFormat, SuspectsEncryption) {
  sqlite::SqliteTestFile made("secret.db");
  std::string noise;
  for (int i = 0; i < 4096; ++i) noise += static_cast<char>((i * 167 + i / 7) % 256);
  std::FILE* file = std::fopen(made.path().c_str(), "wb");
  std::fwrite(noise.data(), 1, noise.size(), file);
  std::fclose(file);
  EXPECT_THAT(refusal(made.path()), HasSubstr("named like an SQLite database and does not begin "
                                              "like one. It may be encrypted"));
}

// An export of Nsight Systems that is large enough for reports of progress.
constexpr const char* kManyKernels =
    "CREATE TABLE META_DATA_EXPORT(name, value);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');"
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'gemm');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,"
    "  correlationId, globalPid, demangledName, shortName, mangledName);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
    "  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + 5, 0, 1, 7, i, 1, 1, 1, 1 "
    "FROM n";
constexpr const char* kOneMore =
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (900000, 900005, 0, 1, 7, 1, 1, 1, 1, 1)";

// Reads the database while somebody adds a row at each of the first `writes` reports of progress.
trace::Trace read_while_written(sqlite::SqliteTestFile& made, int writes) {
  io::MemorySource unused("");
  shared::ReadOptions options;
  options.on_progress = [&](std::uint64_t) {
    if (writes-- > 0) made.run(kOneMore);
  };
  trace::Trace trace;
  EXPECT_TRUE(sqlite_format().read(unused, made.path(), options, trace).ok());
  return trace;
}

TEST(SqliteFormat, ReadsADatabaseAgainThatWasWrittenMeanwhile) {
  sqlite::SqliteTestFile made;
  made.run(kManyKernels);
  const trace::Trace trace = read_while_written(made, 1);
  EXPECT_EQ(trace.events.size(), 20001U);
  EXPECT_EQ(trace.ranks.size(), 1U);
  EXPECT_FALSE(trace.diagnostics.has_loss());
}

// The copy is of one moment, so what is added later harms nothing.
TEST(SqliteFormat, ReadsACopyOfADatabaseThatIsWrittenAllTheTime) {
  sqlite::SqliteTestFile made;
  made.run(kManyKernels);
  const trace::Trace trace = read_while_written(made, 1000);
  EXPECT_GT(trace.events.size(), 20000U);
  EXPECT_FALSE(trace.diagnostics.has_loss());
}

}  // namespace
}  // namespace lockstep::formats::input
