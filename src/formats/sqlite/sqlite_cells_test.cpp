// Rows whose heads end near the end of what lies on their page.
#include "formats/sqlite/sqlite_cells.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "formats/sqlite/pages/sqlite_damage_for_test.h"
#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::sqlite {
namespace {

// A table of so many columns: a value in the first one that is longer with each row, and values of
// one byte in the others. What of the rows lies on their page ends near the end of their heads.
std::string wide_table(std::size_t columns, std::size_t page_bytes) {
  std::string names = "c0";
  std::string values = "zeroblob(w)";
  for (std::size_t i = 1; i < columns; ++i) {
    names += ", c" + std::to_string(i);
    values += i % 3 == 0 ? ", 'x'" : ", 5";
  }
  const std::string table = "T" + std::to_string(columns);
  std::string sql = "CREATE TABLE " + table + "(" + names + ");";
  // A page that has the rest of a row holds all but four bytes of it.
  for (const std::size_t rest : {page_bytes - 4, 2 * (page_bytes - 4)}) {
    const std::size_t middle = std::max(rest, columns + 12) - columns;
    sql += "WITH RECURSIVE n(w) AS (SELECT " + std::to_string(middle - 12) +
           " UNION ALL SELECT w + 1 FROM n WHERE w < " + std::to_string(middle + 12) +
           ") INSERT INTO " + table + " SELECT " + values + " FROM n;";
  }
  return sql;
}

TEST(SqliteCells, OfTablesWithManyColumnsAreNoDamage) {
  for (std::size_t page_bytes = 512; page_bytes <= 65536; page_bytes *= 2) {
    SqliteTestFile made;
    std::string sql = "PRAGMA page_size = " + std::to_string(page_bytes) + "; BEGIN;";
    for (std::size_t columns = 1; columns <= 600; columns += columns < 50 ? 3 : 61) {
      sql += wide_table(columns, page_bytes);
    }
    made.run(sql + "COMMIT");
    EXPECT_TRUE(is_sound_for_sqlite(made.path())) << page_bytes;
    EXPECT_EQ(damage_in(made.path()), 0U) << page_bytes;
  }
}

}  // namespace
}  // namespace lockstep::formats::sqlite
