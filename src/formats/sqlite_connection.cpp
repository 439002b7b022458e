// Opening of databases, with all that a hostile file could use switched off.
#include "formats/sqlite_connection.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>

namespace lockstep {
namespace {

constexpr std::uintmax_t kLeastBytes = 1U << 20;
constexpr std::uintmax_t kLongestCellBytes = 512U << 20;

// As a file: address; SQLite reads %, ? and # in it. An absolute path follows an empty host, lest a
// path that begins with // be taken for one.
std::string address_of(const std::string& path, bool immutable) {
  std::error_code failure;
  std::filesystem::path whole = std::filesystem::absolute(path, failure);
  if (failure) whole = path;  // the current folder is gone
  std::string out = whole.is_absolute() ? "file://" : "file:";
  for (const char c : whole.string()) {
    if (c == '%' || c == '?' || c == '#') {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + (immutable ? "?immutable=1" : "?mode=rw");
}

}  // namespace

void CloseSqlite::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
void CloseSqlite::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

int connect(const std::string& file, bool immutable, SqliteConnection& connection) {
  const int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                    (immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(address_of(file, immutable).c_str(), &database, flags, nullptr);
  connection.reset(database);
  if (code != SQLITE_OK) return code;
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_exec(database, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
  // A damaged page may claim a cell of any size.
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
  if (!failure) {
    const std::uintmax_t longest = std::clamp(bytes, kLeastBytes, kLongestCellBytes);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, static_cast<int>(longest));
  }
  return SQLITE_OK;
}

SqliteStatement prepared(const SqliteConnection& connection, const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(connection.get(), query.c_str(), static_cast<int>(query.size()), &statement,
                     nullptr);
  return SqliteStatement(statement);
}

std::uint64_t pages_read(const SqliteConnection& connection) {
  int pages = 0;
  int highest = 0;
  sqlite3_db_status(connection.get(), SQLITE_DBSTATUS_CACHE_MISS, &pages, &highest, 1);
  return static_cast<std::uint64_t>(std::max(pages, 0));
}

}  // namespace lockstep
