// Journals of killed writers, and what can become of them.
#include "formats/sqlite/pages/sqlite_journal.h"

#include <gtest/gtest.h>

#include "formats/sqlite/pages/sqlite_logs.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

constexpr std::uint64_t kRows = 6000;
constexpr std::size_t kSector = 512;
constexpr std::size_t kRecord = 4096 + 8;

// A database and its journal as a writer leaves them that dies while it deletes rows.
class JournalOfKilledWriter : public testing::Test {
 protected:
  void write(const std::string& settings, const std::string& change) {
    SqliteTestFile made;
    made.run(
        "CREATE TABLE K(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
        "< " +
        std::to_string(kRows) + ") INSERT INTO K SELECT i FROM n");
    sqlite3* writer = nullptr;
    ASSERT_EQ(sqlite3_open(made.path().c_str(), &writer), SQLITE_OK);
    const std::string all = "PRAGMA cache_size = 1;" + settings + "; BEGIN;" + change;
    ASSERT_EQ(sqlite3_exec(writer, all.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    database_ = bytes_of_file(made.path());
    journal_ = bytes_of_file(made.path() + "-journal");
    sqlite3_close(writer);
    ASSERT_GT(journal_.size(), kSector + 2 * kRecord);
  }
  // Rows that are found, and whether that is in doubt.
  [[nodiscard]] std::pair<std::uint64_t, bool> read(const std::string& journal) const {
    SqliteTestFile made;
    write_file(made.path(), database_);
    write_file(made.path() + "-journal", journal);
    io::MemorySource unused("");
    const auto file = SqliteFile::open(unused, made.path());
    if (!file.ok()) return {0, true};
    SqliteScan scan = file.value()->scan("K", {"a"});
    while (scan.next()) {
    }
    return {scan.rows(), file.value()->diagnostics().count_of(kJournalNotWhole) > 0};
  }

  std::string database_;
  std::string journal_;
};

TEST_F(JournalOfKilledWriter, IsWholeHoweverItIsWritten) {
  for (const char* settings :
       {"PRAGMA synchronous = OFF", "PRAGMA synchronous = NORMAL", "PRAGMA synchronous = FULL",
        "PRAGMA journal_mode = TRUNCATE", "PRAGMA journal_mode = PERSIST"}) {
    for (const char* change : {"DELETE FROM K WHERE a % 3 = 0", "DELETE FROM K",
                               "UPDATE K SET a = a + 1", "INSERT INTO K SELECT a FROM K"}) {
      write(settings, change);
      EXPECT_EQ(read(journal_), std::pair(kRows, false)) << settings << change;
    }
  }
}

TEST_F(JournalOfKilledWriter, MayHoldAnOlderOneBehindIt) {
  write("PRAGMA journal_mode = PERSIST; DELETE FROM K WHERE a % 5 = 0",
        "DELETE FROM K WHERE a < 200");
  EXPECT_EQ(read(journal_), std::pair(kRows / 5 * 4, false));
}

// Without waiting for the disk records are not counted: they end where an older journal goes on.
TEST_F(JournalOfKilledWriter, MayGoOnWithAnOlderOneWhoseRecordsAreNotCountedEither) {
  const std::string settings = "PRAGMA synchronous = OFF; PRAGMA journal_mode = PERSIST;";
  for (const char* older : {"DELETE FROM K WHERE a % 5 = 0",
                            "PRAGMA synchronous = FULL; DELETE FROM K WHERE a % 5 = 0; PRAGMA "
                            "synchronous = OFF"}) {
    write(settings + older, "DELETE FROM K WHERE a < 2000");
    EXPECT_EQ(read(journal_), std::pair(kRows / 5 * 4, false)) << older;

    for (const std::size_t at : {std::size_t{3}, 4 + std::size_t{4096} - 200, std::size_t{4100}}) {
      std::string changed = journal_;
      changed[kSector + kRecord + at] ^= 0x40;
      EXPECT_TRUE(read(changed).second) << "the second of its own records, at " << at;
    }
    std::string changed = journal_;
    changed.replace(kSector, kRecord, std::string(kRecord, 'x'));
    EXPECT_TRUE(read(changed).second) << "nothing of it is taken";
  }
}

TEST_F(JournalOfKilledWriter, SaysThatARecordIsDamaged) {
  for (const char* settings : {"PRAGMA synchronous = OFF", "PRAGMA synchronous = FULL"}) {
    write(settings, "DELETE FROM K WHERE a % 3 = 0");
    const std::size_t page = kSector;
    // The number, a byte that is summed, the sum.
    for (const std::size_t at : {page + 3, page + 4 + 4096 - 200, page + 4 + 4096}) {
      std::string changed = journal_;
      changed[at] = static_cast<char>(at == page + 3 ? 0 : changed[at] ^ 1);
      EXPECT_TRUE(read(changed).second) << settings << at;
    }
    std::string changed = journal_;
    changed.replace(4096, 4096, std::string(4096, '\0'));
    EXPECT_TRUE(read(changed).second) << settings;
  }
}

TEST_F(JournalOfKilledWriter, SaysThatOfItsLastRecordZerosAreLeft) {
  write("PRAGMA synchronous = OFF", "DELETE FROM K WHERE a % 3 = 0");
  for (const std::size_t zeros : {std::size_t{512}, std::size_t{4096}, kRecord}) {
    const std::string changed = journal_.substr(0, journal_.size() - zeros);
    EXPECT_TRUE(read(changed + std::string(zeros, '\0')).second) << zeros;
  }
}

// Each time that its records are made safe, another segment begins.
TEST_F(JournalOfKilledWriter, SaysThatALaterSegmentIsDamaged) {
  write("PRAGMA synchronous = FULL", "DELETE FROM K WHERE a % 3 = 0");
  const std::size_t second = journal_.find(journal_.substr(0, 8), 8);
  ASSERT_NE(second, std::string::npos);
  const auto said_with = [&](std::size_t at, char byte) {
    std::string changed = journal_;
    changed[at] = byte;
    return read(changed).second;
  };
  EXPECT_TRUE(said_with(second, 0)) << "its start";
  EXPECT_TRUE(said_with(second + 11, 0)) << "its count";
  EXPECT_TRUE(said_with(second + kSector, 0x7F)) << "the number of a page that is none";
  EXPECT_TRUE(read(journal_.substr(0, second)).second) << "cut in front of it";
  EXPECT_TRUE(read(journal_.substr(0, second - 7)).second);
}

TEST_F(JournalOfKilledWriter, SaysThatItIsCut) {
  write("PRAGMA synchronous = OFF", "DELETE FROM K WHERE a % 3 = 0");
  for (std::size_t size = 8; size < journal_.size(); size += 4001) {
    const bool is_between = size > kSector && (size - kSector) % kRecord == 0;
    EXPECT_EQ(read(journal_.substr(0, size)).second, !is_between) << size;
  }
}

TEST_F(JournalOfKilledWriter, SaysThatItsSizesMakeNoSense) {
  write("PRAGMA synchronous = FULL", "DELETE FROM K WHERE a % 3 = 0");
  for (const std::size_t at : {13U, 22U, 26U}) {  // the first sum, sector, page
    std::string changed = journal_;
    changed[at] = static_cast<char>(changed[at] ^ 0x11);
    EXPECT_TRUE(read(changed).second) << at;
  }
}

TEST(IsWholeJournal, NotOfWhatIsNone) {
  SqliteTestFile made;
  EXPECT_FALSE(is_whole_journal(made.path()));
  write_file(made.path(), "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7");
  EXPECT_FALSE(is_whole_journal(made.path()));
}

}  // namespace
}  // namespace lockstep::formats::sqlite
