// What SQLite may reach while it reads one database: that file and, when it is a private copy, the
// logs beside it. A journal can name any file of the user as one to look at and delete; here that
// comes to nothing, as do attached databases and loadable extensions.
//
// docs/design/sqlite.md has the ways out of a database that were thought of, with their tests.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct sqlite3_vfs;

namespace lockstep::formats::sqlite {

// A file system of SQLite's sort, known to SQLite by name() for as long as the object lives.
// Connections that use it must be closed by then.
class SqliteSandbox {
 public:
  enum class Access {
    kReadOnly,     // where the user keeps it: opened for reading, nothing beside it
    kPrivateCopy,  // its -journal and -wal may be opened, made and deleted too
  };

  // `database` is an absolute path without links.
  SqliteSandbox(std::string database, Access access);
  ~SqliteSandbox();
  SqliteSandbox(const SqliteSandbox&) = delete;
  SqliteSandbox& operator=(const SqliteSandbox&) = delete;

  // Of the path of a database, with what SQLite puts behind it.
  [[nodiscard]] static std::size_t longest_path(Access access);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& database() const { return database_; }
  [[nodiscard]] Access access() const { return access_; }

  [[nodiscard]] bool may_open(const char* path, int flags) const;
  [[nodiscard]] bool is_log(const char* path) const;

 private:
  std::string database_;
  Access access_;
  std::vector<std::string> logs_;
  std::string name_;
  std::unique_ptr<sqlite3_vfs> files_;
};

}  // namespace lockstep::formats::sqlite
