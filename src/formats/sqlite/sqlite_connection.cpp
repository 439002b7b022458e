// Opening of databases, with all that a hostile file could use switched off.
#include "formats/sqlite/sqlite_connection.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <sqlite3.h>

#include "formats/sqlite/sqlite_sandbox.h"

namespace lockstep::formats::sqlite {
namespace {

constexpr std::uintmax_t kLeastBytes = 1U << 20;
constexpr std::uintmax_t kLongestCellBytes = 512U << 20;

// As a file: address; SQLite reads %, ? and # in it. The path follows an empty host, lest one that
// begins with // be taken for it.
std::string address_of(const SqliteSandbox& sandbox) {
  std::string out = "file://";
  for (const char c : sandbox.database()) {
    if (c == '%' || c == '?' || c == '#') {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  const bool is_copy = sandbox.access() == SqliteSandbox::Access::kPrivateCopy;
  return out + (is_copy ? "?mode=rw" : "?immutable=1");
}

// Reading of tables, and the questions that we ask about them.
int allow_reading_only(void*, int action, const char* first, const char*, const char*,
                       const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
      return SQLITE_OK;
    case SQLITE_PRAGMA: {
      const std::string_view pragma = first;
      const bool is_ours =
          pragma == "table_xinfo" || pragma == "page_size" || pragma == "user_version";
      return is_ours ? SQLITE_OK : SQLITE_DENY;
    }
    default:
      return SQLITE_DENY;
  }
}

void switch_off_what_a_file_could_use(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_drop_modules(database, nullptr);  // of virtual tables
  sqlite3_exec(database, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
  sqlite3_exec(database, "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
  sqlite3_set_authorizer(database, allow_reading_only, nullptr);
}

}  // namespace

void CloseSqlite::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
void CloseSqlite::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

int connect(const SqliteSandbox& sandbox, SqliteConnection& connection) {
  const bool is_copy = sandbox.access() == SqliteSandbox::Access::kPrivateCopy;
  const int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                    (is_copy ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(address_of(sandbox).c_str(), &database, flags, sandbox.name().c_str());
  connection.reset(database);
  if (code != SQLITE_OK) return code;
  switch_off_what_a_file_could_use(database);
  // A damaged page may claim a cell of any size.
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(sandbox.database(), failure);
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

}  // namespace lockstep::formats::sqlite
