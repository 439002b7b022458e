// Logs of writers of many sorts, and what can become of them.
#include "formats/sqlite/pages/sqlite_wal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/sqlite/pages/sqlite_logs.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

constexpr std::size_t kHeader = 32;
constexpr std::size_t kFrame = 24 + 4096;

// A database and its log as a writer leaves them that is killed after these statements.
class WalOfKilledWriter : public testing::Test {
 protected:
  void write(const std::string& sql) {
    SqliteTestFile made;
    made.run("CREATE TABLE K(a); INSERT INTO K VALUES (1)");
    sqlite3* writer = nullptr;
    ASSERT_EQ(sqlite3_open(made.path().c_str(), &writer), SQLITE_OK);
    const std::string all = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" + sql;
    ASSERT_EQ(sqlite3_exec(writer, all.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    database_ = bytes_of_file(made.path());
    log_ = bytes_of_file(made.path() + "-wal");
    sqlite3_close(writer);
    ASSERT_GT(log_.size(), kHeader);
  }
  // Rows that are found, and whether something may be missing.
  [[nodiscard]] std::pair<std::uint64_t, bool> read(const std::string& log) const {
    SqliteTestFile made;
    write_file(made.path(), database_);
    write_file(made.path() + "-wal", log);
    io::MemorySource unused("");
    const auto file = SqliteFile::open(unused, made.path());
    EXPECT_TRUE(file.ok());
    SqliteScan scan = file.value()->scan("K", {"a"});
    while (scan.next()) {
    }
    return {scan.rows(), file.value()->diagnostics().count_of(kLogNotWhole) > 0};
  }
  [[nodiscard]] static std::pair<std::uint64_t, bool> whole(std::uint64_t rows) {
    return {rows, false};
  }

  std::string database_;
  std::string log_;
};

const char* const kFourChanges =
    "INSERT INTO K VALUES (2); INSERT INTO K VALUES (3); INSERT INTO K VALUES (4);"
    "INSERT INTO K VALUES (5);";

TEST_F(WalOfKilledWriter, IsWholeAfterItsLastChange) {
  write(kFourChanges);
  EXPECT_EQ(read(log_), whole(5));
  ASSERT_EQ(log_.size(), kHeader + 4 * kFrame);
}

TEST_F(WalOfKilledWriter, MayHoldOlderFramesBehindItsLastChange) {
  write(std::string(kFourChanges) +
        "PRAGMA wal_checkpoint(RESTART); INSERT INTO K VALUES (6); PRAGMA wal_checkpoint(RESTART);"
        "INSERT INTO K VALUES (7)");
  ASSERT_EQ(log_.size(), kHeader + 4 * kFrame);
  EXPECT_EQ(read(log_), whole(7));
  EXPECT_EQ(read(log_.substr(0, log_.size() - 100)), whole(7)) << "journal_size_limit";
  EXPECT_EQ(read(log_.substr(0, kHeader + kFrame + 12)), whole(7)) << "inside the first of them";
}

TEST_F(WalOfKilledWriter, MayHoldWhatIsInTheDatabaseAlready) {
  write(std::string(kFourChanges) + "PRAGMA wal_checkpoint(PASSIVE)");
  EXPECT_EQ(read(log_), whole(5));
}

TEST_F(WalOfKilledWriter, SaysWhereverItIsCut) {
  write(kFourChanges);
  for (std::size_t size = 8; size < log_.size(); size += 397) {
    const auto [rows, is_said] = read(log_.substr(0, size));
    const bool is_between = (size - kHeader) % kFrame == 0 && size > kHeader;
    EXPECT_EQ(is_said, !is_between) << size;
    EXPECT_LT(rows, 5U);
  }
}

TEST_F(WalOfKilledWriter, SaysThatALastChangeHasNoEnd) {
  write(std::string(kFourChanges) + "INSERT INTO K VALUES (zeroblob(9000))");
  ASSERT_EQ(log_.size(), kHeader + 8 * kFrame);
  EXPECT_EQ(read(log_), whole(6));
  EXPECT_EQ(read(log_.substr(0, kHeader + 7 * kFrame)), std::pair(std::uint64_t{5}, true));
}

TEST_F(WalOfKilledWriter, SaysThatAByteIsAnother) {
  write(kFourChanges);
  for (std::size_t at = 4; at < log_.size(); at += at < kHeader + 24 ? 1 : 997) {
    std::string changed = log_;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    const auto [rows, is_said] = read(changed);
    EXPECT_TRUE(is_said) << at;
    EXPECT_LT(rows, 5U) << at;
  }
}

TEST_F(WalOfKilledWriter, SaysThatAPageIsZero) {
  write(kFourChanges);
  for (std::size_t frame = 0; frame < 4; ++frame) {
    std::string changed = log_;
    changed.replace(kHeader + frame * kFrame, kFrame, std::string(kFrame, '\0'));
    EXPECT_EQ(read(changed), std::pair(frame + 1, true));
  }
}

// Applying the log makes the file as long as it should be.
TEST_F(WalOfKilledWriter, SaysThatTheDatabaseBesideItWasCut) {
  write(
      "INSERT INTO K SELECT zeroblob(3000) FROM sqlite_schema, (SELECT 1 UNION SELECT 2 UNION "
      "SELECT "
      "3); PRAGMA wal_checkpoint(RESTART); INSERT INTO K VALUES (2)");
  const auto is_said = [&](const std::string& database) {
    SqliteTestFile made;
    write_file(made.path(), database);
    write_file(made.path() + "-wal", log_);
    io::MemorySource unused("");
    const auto file = SqliteFile::open(unused, made.path());
    return !file.ok() || file.value()->diagnostics().count_of(kDamagedDatabase) > 0;
  };
  EXPECT_FALSE(is_said(database_));
  std::string shorter = database_;
  EXPECT_TRUE(is_said(shorter.erase(2 * 4096 + 700, 4096)));
}

// Its writer was killed while it moved pages from there to the database, the first one first.
TEST_F(WalOfKilledWriter, MayHaveThePagesThatTheDatabaseLacks) {
  write("INSERT INTO K SELECT zeroblob(3000) FROM (SELECT 1 UNION SELECT 2 UNION SELECT 3)");
  const std::size_t first = log_.find("SQLite format 3");
  ASSERT_NE(first, std::string::npos);
  database_.replace(0, 4096, log_, first, 4096);
  SqliteTestFile made;
  write_file(made.path(), database_);
  write_file(made.path() + "-wal", log_);
  io::MemorySource unused("");
  const auto file = SqliteFile::open(unused, made.path());
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file.value()->diagnostics().entries().empty());
}

TEST(IsWholeWal, NotOfWhatIsNone) {
  SqliteTestFile made;
  EXPECT_FALSE(is_whole_wal(made.path()));
  write_file(made.path(), "\x37\x7f\x06\x82");
  EXPECT_FALSE(is_whole_wal(made.path()));
}

}  // namespace
}  // namespace lockstep::formats::sqlite
