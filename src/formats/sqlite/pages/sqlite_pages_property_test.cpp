// Databases that anything may have happened to are sound, and what SQLite finds in one of them when
// a page of a table is overwritten by another page is found here.
#include <algorithm>
#include <array>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "formats/sqlite/pages/sqlite_damage_for_test.h"
#include "formats/sqlite/sqlite_file_for_test.h"
#include "formats/sqlite/sqlite_hostile_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

constexpr int kRounds = 30;
constexpr int kCopies = 6;  // of pages, each in a file of its own

// Others with --gtest_random_seed.
unsigned seed_of(int round) {
  return static_cast<unsigned>(GTEST_FLAG_GET(random_seed) * 1000 + round);
}

// The life of a database, as statements.
class RandomLife {
 public:
  explicit RandomLife(unsigned seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }

  // With indexes and pages that map the others, and values of several pages; or without all that.
  std::string statements(bool has_all) {
    page_bytes_ = std::size_t{512} << (below(4) == 0 ? below(8) : below(3));
    longest_ = has_all ? 3 * page_bytes_ : page_bytes_ / 7;
    std::string sql = "PRAGMA page_size = " + std::to_string(page_bytes_) +
                      "; PRAGMA auto_vacuum = " + std::to_string(has_all ? below(3) : 0) +
                      "; PRAGMA secure_delete = " + std::to_string(below(2)) +
                      "; CREATE TABLE A(a, b); CREATE TABLE B(a INTEGER PRIMARY KEY AUTOINCREMENT, "
                      "b); CREATE TABLE C(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID;";
    if (has_all) sql += "CREATE INDEX I ON A(b); CREATE INDEX J ON B(b);";
    for (std::uint64_t i = 5 + below(25); i > 0; --i) sql += step();
    return sql;
  }

 private:
  std::string table() { return std::string(1, static_cast<char>('A' + below(3))); }
  std::string length() {
    return "zeroblob(abs(i * " + std::to_string(1 + below(9999)) + ") % " +
           std::to_string(1 + below(longest_)) + ")";
  }
  std::string insert() {
    constexpr std::array<const char*, 6> kNumbers = {
        "i", "-i", "i * 7919 % 10007", "i * 1000003", "9223372036854775807 - i", "i * 7919 % 97"};
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
           std::to_string(1 + below(400)) + ") INSERT OR REPLACE INTO " +
           (below(3) == 0 ? std::string("C(a, b)") : (below(2) == 0 ? "A(rowid, b)" : "B(a, b)")) +
           " SELECT " + kNumbers[below(kNumbers.size())] + ", " + length() + " FROM n;";
  }
  std::string remove() {
    switch (below(4)) {
      case 0:
        return "DELETE FROM " + table() + " WHERE length(b) % 7 < " + std::to_string(below(7)) +
               ";";
      case 1:
        return "DELETE FROM " + table() + " WHERE a > " + std::to_string(below(300)) + ";";
      case 2:
        return "DELETE FROM A WHERE rowid BETWEEN " + std::to_string(below(200)) + " AND 250;";
      default:
        return below(4) == 0 ? "DELETE FROM " + table() + ";" : std::string();
    }
  }
  std::string step() {
    switch (below(12)) {
      case 0:
        return "UPDATE OR REPLACE " + table() + " SET b = zeroblob(length(b) * " +
               std::to_string(below(30)) + " % " + std::to_string(longest_) + ");";
      case 1:
        return "UPDATE OR REPLACE A SET rowid = rowid + " + std::to_string(below(90)) +
               " WHERE rowid % 5 = 0 AND rowid < 1000000;";
      case 2:
        return "ALTER TABLE " + table() + " ADD COLUMN c" + std::to_string(columns_++) +
               " DEFAULT 7;";
      case 3:
        return below(3) == 0 ? "VACUUM;" : "PRAGMA incremental_vacuum(5);";
      case 4:
        return "CREATE TABLE T" + std::to_string(tables_++) + " AS SELECT * FROM " + table() + ";";
      case 5:
        return tables_ > 0 ? "DROP TABLE IF EXISTS T" + std::to_string(below(tables_)) + ";"
                           : std::string();
      case 6:
      case 7:
      case 8:
        return remove();
      default:
        return insert();
    }
  }

  std::mt19937_64 random_;
  std::size_t page_bytes_ = 0;
  std::size_t longest_ = 0;
  std::uint64_t columns_ = 0;
  std::uint64_t tables_ = 0;
};

TEST(SqlitePages, OfDatabasesThatAnythingHappenedToAreSound) {
  for (int round = 0; round < kRounds; ++round) {
    RandomLife life(seed_of(round));
    SqliteTestFile made;
    const std::string sql = life.statements(true);
    made.run(sql);
    ASSERT_TRUE(is_sound_for_sqlite(made.path())) << sql;
    ASSERT_EQ(damage_in(made.path()), 0U) << sql;
  }
}

// Values lie on the pages of their rows here: that two rows share the pages behind them is not
// looked for.
TEST(SqlitePages, ThatAreOverwrittenByOthersAreFoundWhereSqliteFindsThem) {
  int found = 0;
  for (int round = 0; round < kRounds; ++round) {
    RandomLife life(seed_of(round));
    SqliteTestFile made;
    made.run(life.statements(false));
    const std::string whole = bytes_of_file(made.path());
    const std::size_t page = life.page_bytes();
    const std::size_t pages = whole.size() / page;
    for (int copy = 0; copy < kCopies; ++copy) {
      const std::size_t to = 1 + life.below(pages - 1);
      const std::size_t from = 1 + life.below(pages - 1);
      const char sort = whole[to * page];
      if (sort != 0x0D && sort != 0x05) continue;
      std::string bytes = whole;
      bytes.replace(to * page, page, whole, from * page, page);
      write_file(made.path(), bytes);
      const auto said = texts_of(made.path(), "PRAGMA integrity_check(1)");
      if (said.empty()) continue;  // SQLite refuses to open a table that begins like an index
      const bool is_sound = said[0] == "ok";
      EXPECT_EQ(damage_in(made.path()) == 0, is_sound)
          << "seed " << seed_of(round) << ": page " << from + 1 << " over " << to + 1 << ": "
          << said[0];
      found += is_sound ? 0 : 1;
    }
  }
  EXPECT_GT(found, kRounds) << "else this shows nothing";
}

}  // namespace
}  // namespace lockstep::formats::sqlite
