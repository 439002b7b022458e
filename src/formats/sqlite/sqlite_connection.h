// Connections to SQLite databases that come from elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace lockstep::formats::sqlite {

class SqliteSandbox;

struct CloseSqlite {
  void operator()(sqlite3* database) const;
  void operator()(sqlite3_stmt* statement) const;
};
using SqliteConnection = std::unique_ptr<sqlite3, CloseSqlite>;
using SqliteStatement = std::unique_ptr<sqlite3_stmt, CloseSqlite>;

// Opens the database of a sandbox in `connection` so that it calls no functions, runs no module and
// believes nothing that its schema says. One that is read only is not locked either. Returns
// SQLite's code.
[[nodiscard]] int connect(const SqliteSandbox& sandbox, SqliteConnection& connection);

// Null when it cannot be prepared.
[[nodiscard]] SqliteStatement prepared(const SqliteConnection& connection,
                                       const std::string& query);

// Pages that were read from the file since the last call.
[[nodiscard]] std::uint64_t pages_read(const SqliteConnection& connection);

}  // namespace lockstep::formats::sqlite
