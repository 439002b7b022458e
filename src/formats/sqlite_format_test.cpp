// Telling SQLite databases apart, and what is said of those that no reader knows.
#include "formats/sqlite_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/load.h"
#include "formats/sqlite_test_file.h"

namespace lockstep {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& path) {
  const auto loaded = load({path}, {});
  EXPECT_FALSE(loaded.ok());
  return loaded.ok() ? "" : loaded.error().text();
}

TEST(SqliteFormat, NamesTheTablesOfAnotherTool) {
  SqliteTestFile made;
  made.run("CREATE TABLE moz_places(a); CREATE TABLE moz_hosts(a);");
  EXPECT_THAT(refusal(made.path()),
              HasSubstr("is an SQLite database of no profiler that lockstep knows (tables: "
                        "moz_places, moz_hosts). lockstep reads exports of Nsight Systems"));
}

TEST(SqliteFormat, SaysThatThereIsNoTable) {
  SqliteTestFile made;
  made.run("PRAGMA user_version = 3; VACUUM");
  EXPECT_THAT(refusal(made.path()), HasSubstr("is an SQLite database without tables"));
}

TEST(SqliteFormat, SuspectsEncryption) {
  SqliteTestFile made("secret.db");
  std::string noise;
  for (int i = 0; i < 4096; ++i) noise += static_cast<char>((i * 167 + i / 7) % 256);
  std::FILE* file = std::fopen(made.path().c_str(), "wb");
  std::fwrite(noise.data(), 1, noise.size(), file);
  std::fclose(file);
  EXPECT_THAT(refusal(made.path()), HasSubstr("named like an SQLite database and does not begin "
                                              "like one. It may be encrypted"));
}

}  // namespace
}  // namespace lockstep
