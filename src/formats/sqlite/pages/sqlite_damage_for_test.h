// What is found of damage in a database, here and by SQLite, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "formats/sqlite/pages/sqlite_pages.h"

namespace lockstep::formats::sqlite {

// The first column of what a query gives.
inline std::vector<std::string> texts_of(const std::string& path, const std::string& query) {
  std::vector<std::string> texts;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    texts.emplace_back(text != nullptr ? text : "");
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return texts;
}

inline std::vector<SqliteRoot> roots_of(const std::string& path) {
  const auto number = [](const std::string& text) {
    return static_cast<std::uint32_t>(std::stoul(text));
  };
  const std::string tables = " FROM sqlite_schema AS s WHERE type = 'table' ORDER BY rootpage";
  const std::vector<std::string> columns =
      texts_of(path, "SELECT (SELECT count(*) FROM pragma_table_xinfo(s.name))" + tables);
  std::vector<SqliteRoot> roots;
  for (const std::string& page : texts_of(path, "SELECT rootpage" + tables)) {
    roots.push_back({number(page), number(columns[roots.size()])});
  }
  return roots;
}

inline std::uint64_t damage_in(const std::string& path) {
  return damaged_pages(path, roots_of(path)).value().pages;
}

inline bool is_sound_for_sqlite(const std::string& path) {
  return texts_of(path, "PRAGMA integrity_check(1)") == std::vector<std::string>{"ok"};
}

}  // namespace lockstep::formats::sqlite
