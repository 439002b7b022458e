// Where databases are read: what lies beside them, and what changes meanwhile.
#include "formats/sqlite/pages/sqlite_place.h"

#include <sys/stat.h>

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

const std::string kWalStart = "\x37\x7f\x06\x82 not much of a log";
const std::string kJournalStart = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 nor this";

class DatabasePlace : public testing::Test {
 protected:
  DatabasePlace() { made_.run("CREATE TABLE K(a); INSERT INTO K VALUES (1)"); }
  [[nodiscard]] SqlitePlace place() {
    auto found = place_of_database(made_.path(), findings_);
    EXPECT_TRUE(found.ok());
    return std::move(found).value();
  }
  [[nodiscard]] static std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  SqliteTestFile made_;
  Diagnostics findings_;
};

TEST_F(DatabasePlace, IsTheFileItselfWhereNothingLiesBesideIt) {
  const SqlitePlace found = place();
  EXPECT_EQ(found.file, fs::canonical(made_.path()).string());
  EXPECT_FALSE(found.folder);
  EXPECT_TRUE(findings_.entries().empty());
}

TEST_F(DatabasePlace, IsAPrivateCopyWhereLogsLieBesideIt) {
  write_file(made_.path() + "-wal", kWalStart);
  write_file(made_.path() + "-journal", kJournalStart);
  write_file(made_.path() + "-shm", "never copied");
  const SqlitePlace found = place();
  EXPECT_TRUE(found.has_logs);
  const fs::path folder = fs::path(found.file).parent_path();
  EXPECT_THAT(names_in(folder),
              UnorderedElementsAre("trace.db", "trace.db-wal", "trace.db-journal"));
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
}

TEST_F(DatabasePlace, GoesAwayWithItsObject) {
  write_file(made_.path() + "-wal", kWalStart);
  fs::path folder;
  {
    const SqlitePlace found = place();
    folder = fs::path(found.file).parent_path();
    EXPECT_TRUE(fs::exists(folder));
  }
  EXPECT_FALSE(fs::exists(folder));
}

// Opening one would wait for a writer.
TEST_F(DatabasePlace, APipeBesideItIsLeftAloneAndSaid) {
  ASSERT_EQ(mkfifo((made_.path() + "-wal").c_str(), 0600), 0);
  const SqlitePlace found = place();
  EXPECT_FALSE(found.folder);
  EXPECT_EQ(findings_.count_of(kLogLeftAlone), 1U);
  EXPECT_EQ(kLogLeftAlone.severity, Severity::kDataLoss);
}

TEST_F(DatabasePlace, ALinkOrFolderBesideItIsLeftAloneAndSaid) {
  SqliteTestFile other;
  write_file(other.path(), "something of the user");
  fs::create_symlink(other.path(), made_.path() + "-journal");
  fs::create_directory(made_.path() + "-wal");
  const SqlitePlace found = place();
  EXPECT_FALSE(found.folder);
  EXPECT_EQ(findings_.count_of(kLogLeftAlone), 2U);
}

// It may be as large as a disk.
TEST_F(DatabasePlace, WhatDoesNotBeginLikeALogIsLeftAloneAndSaid) {
  write_file(made_.path() + "-wal", "x");
  EXPECT_FALSE(place().folder);
  EXPECT_EQ(findings_.count_of(kLogLeftAlone), 1U);
}

// PRAGMA journal_mode = PERSIST
TEST_F(DatabasePlace, AJournalWhoseChangeIsDoneIsNone) {
  made_.run("PRAGMA journal_mode = PERSIST; INSERT INTO K VALUES (2)");
  ASSERT_GT(fs::file_size(made_.path() + "-journal"), 0U);
  EXPECT_FALSE(place().folder);
  EXPECT_TRUE(findings_.entries().empty());
}

// A page of it that something else made zero.
TEST_F(DatabasePlace, AJournalThatBeginsWithMoreZerosIsLeftAloneAndSaid) {
  made_.run("PRAGMA journal_mode = PERSIST; INSERT INTO K VALUES (2)");
  std::string journal = bytes_of_file(made_.path() + "-journal");
  journal.replace(0, 4096, std::string(4096, '\0'));
  write_file(made_.path() + "-journal", journal);
  EXPECT_FALSE(place().folder);
  EXPECT_EQ(findings_.count_of(kLogLeftAlone), 1U);
}

TEST_F(DatabasePlace, AWalOfZerosIsLeftAloneAndSaid) {
  write_file(made_.path() + "-wal", std::string(5000, '\0'));
  EXPECT_FALSE(place().folder);
  EXPECT_EQ(findings_.count_of(kLogLeftAlone), 1U);
}

TEST_F(DatabasePlace, EmptyLogsAreNone) {
  write_file(made_.path() + "-wal", "");
  write_file(made_.path() + "-journal", "");
  EXPECT_FALSE(place().folder);
  EXPECT_TRUE(findings_.entries().empty());
}

TEST_F(DatabasePlace, ACopyIsMadeAgainWhenTheFileChangesMeanwhile) {
  int copies = 0;
  const auto write_once = [&] {
    if (++copies == 1) made_.run("INSERT INTO K VALUES (2)");
  };
  const auto copy = copy_of_database(made_.path(), findings_, write_once);
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copies, 2);
  EXPECT_TRUE(findings_.entries().empty());
  EXPECT_EQ(bytes_of_file(copy.value().file), bytes_of_file(made_.path()));
}

TEST_F(DatabasePlace, ACopyIsMadeAgainWhenALogChangesMeanwhile) {
  for (const auto& [suffix, start] : {std::pair("-wal", kWalStart), {"-journal", kJournalStart}}) {
    const std::string log = made_.path() + suffix;
    for (const bool is_there : {true, false}) {
      if (is_there) write_file(log, start);
      int copies = 0;
      const auto append_once = [&] {
        if (++copies == 1) write_file(log, start + " and more of it");
      };
      Diagnostics findings;
      const auto copy = copy_of_database(made_.path(), findings, append_once);
      ASSERT_TRUE(copy.ok());
      EXPECT_EQ(copies, 2) << suffix;
      EXPECT_TRUE(findings.entries().empty());
      fs::remove(log);
    }
  }
}

TEST_F(DatabasePlace, ALogThatNeverRestsIsSaid) {
  std::string log = kWalStart;
  const auto append = [&] { write_file(made_.path() + "-wal", log += '.'); };
  append();
  ASSERT_TRUE(copy_of_database(made_.path(), findings_, append).ok());
  EXPECT_EQ(findings_.count_of(kChangedDatabase), 1U);
}

TEST_F(DatabasePlace, AWriterThatNeverRestsIsSaid) {
  const auto write_always = [&] { made_.run("INSERT INTO K VALUES (2)"); };
  ASSERT_TRUE(copy_of_database(made_.path(), findings_, write_always).ok());
  EXPECT_EQ(findings_.count_of(kChangedDatabase), 1U);
  EXPECT_EQ(kChangedDatabase.severity, Severity::kDataLoss);
}

TEST_F(DatabasePlace, AStampTellsOfEveryCommit) {
  const auto before = SqliteStamp::of(made_.path());
  EXPECT_EQ(before, SqliteStamp::of(made_.path()));
  made_.run("UPDATE K SET a = 2");
  EXPECT_NE(before, SqliteStamp::of(made_.path()));
}

TEST_F(DatabasePlace, AStampTellsOfAnotherFileUnderTheName) {
  const auto before = SqliteStamp::of(made_.path());
  fs::copy_file(made_.path(), made_.path() + ".new");
  fs::rename(made_.path() + ".new", made_.path());
  EXPECT_NE(before, SqliteStamp::of(made_.path()));
  fs::remove(made_.path());
  EXPECT_EQ(SqliteStamp::of(made_.path()), std::nullopt);
}

TEST_F(DatabasePlace, HasNamesBesideItThatAreItsLogs) {
  const std::string real = fs::canonical(made_.path()).string();
  for (const char* suffix : {"-wal", "-journal", "-shm"}) {
    EXPECT_TRUE(is_log_of_database(real + suffix, made_.path()));
    EXPECT_FALSE(is_log_of_database(real + "2" + suffix, made_.path()));
    EXPECT_FALSE(is_log_of_database(real + suffix, made_.path() + ".none"));
  }
  EXPECT_FALSE(is_log_of_database(real, made_.path()));
  SqliteTestFile elsewhere("link.db");
  fs::create_symlink(made_.path(), elsewhere.path());
  EXPECT_TRUE(is_log_of_database(real + "-wal", elsewhere.path()));
}

TEST(IsPlainDatabase, OnlyOfFilesThatBeginLikeOne) {
  SqliteTestFile made;
  made.run("CREATE TABLE K(a)");
  EXPECT_TRUE(is_plain_database(made.path()));
  const std::string pipe = (made.folder() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(is_plain_database(pipe));
  EXPECT_FALSE(is_plain_database("-"));
  EXPECT_FALSE(is_plain_database((made.folder() / "none").string()));
  write_file(made.path(), "SQLite form");
  EXPECT_FALSE(is_plain_database(made.path()));
}

}  // namespace
}  // namespace lockstep::formats::sqlite
