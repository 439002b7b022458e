// Where a database is read: as it lies, or from a private copy that holds its logs too.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"
#include "io/temporary_folder.h"

namespace lockstep::formats::sqlite {

inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

extern const DiagnosticKind kLogLeftAlone;
extern const DiagnosticKind kSharedJournal;
extern const DiagnosticKind kChangedDatabase;

// What a database file, or a log, looks like from outside. A writer changes at least one of these.
struct SqliteStamp {
  std::uint64_t device = 0;
  std::uint64_t file = 0;
  std::uint64_t bytes = 0;
  std::int64_t changed_seconds = 0;
  std::int64_t changed_nanoseconds = 0;
  std::array<char, 100> header{};  // with the counter of changes

  // Nothing when it is gone.
  [[nodiscard]] static std::optional<SqliteStamp> of(const std::string& path);
  bool operator==(const SqliteStamp&) const = default;
};

struct SqlitePlace {
  std::unique_ptr<io::TemporaryFolder> folder;  // of a copy; outlives every connection to it
  std::string file;                             // absolute, without links
  bool has_logs = false;                        // copied too: SQLite is to apply them
  std::optional<SqliteStamp> stamp;  // of the user's own file, where that is read in place
};

// A plain file that begins like a database, and not a pipe or a compressed one.
[[nodiscard]] bool is_plain_database(const std::string& path);

// Whether `file`, an absolute path without links, has the name under which SQLite looks for a log
// of the plain database `database`. It need not exist.
[[nodiscard]] bool is_log_of_database(const std::string& file, const std::string& database);

// The file itself, unless a writer that runs or was killed has left a log beside it: then copies of
// both. What lies beside it is looked at only when it is a plain file that begins like a log.
[[nodiscard]] Result<SqlitePlace> place_of_database(const std::string& path,
                                                    Diagnostics& diagnostics);
// Copies of the file and its logs, made again when one of them changes meanwhile. `after_copy` is
// called after each, before the files are looked at again: a test plays the writer there.
[[nodiscard]] Result<SqlitePlace> copy_of_database(const std::string& path,
                                                   Diagnostics& diagnostics,
                                                   const std::function<void()>& after_copy = {});
// What a pipe or a compressed file holds.
[[nodiscard]] Result<SqlitePlace> spooled_database(io::ByteSource& bytes);

}  // namespace lockstep::formats::sqlite
