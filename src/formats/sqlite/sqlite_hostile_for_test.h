// Databases with journals that mean harm, for tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "formats/sqlite/sqlite_file_for_test.h"

namespace lockstep::formats::sqlite {

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Table K with one row, 1, as a writer leaves it that died while it changed it to many: the journal
// beside it says what there was before.
inline void make_interrupted(const std::string& path) {
  SqliteTestFile made;
  made.run("CREATE TABLE K(a); INSERT INTO K VALUES (1)");
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(made.path().c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer,
                         "PRAGMA cache_size = 1; BEGIN; UPDATE K SET a = 2; WITH RECURSIVE n(i) AS "
                         "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO K "
                         "SELECT i FROM n",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  std::filesystem::copy_file(made.path(), path);
  std::filesystem::copy_file(made.path() + "-journal", path + "-journal");
  sqlite3_close(writer);
  ASSERT_GT(std::filesystem::file_size(path + "-journal"), 0U);
}

// The end of a journal that says: this change is undone only if the file `name` is there, and then
// that file goes away (SQLite's file format, section 3).
inline std::string name_of_other_journal(const std::string& name) {
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
    return bytes;
  };
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<std::uint32_t>(static_cast<signed char>(c));
  constexpr std::uint32_t kLockPageOf4096 = 0x4000'0000 / 4096 + 1;
  return number(kLockPageOf4096) + name + number(static_cast<std::uint32_t>(name.size())) +
         number(sum) + "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
}

}  // namespace lockstep::formats::sqlite
