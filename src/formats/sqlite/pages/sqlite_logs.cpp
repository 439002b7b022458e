// Taking of logs, and what can go wrong with it.
#include "formats/sqlite/pages/sqlite_logs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>

#include <sqlite3.h>

#include "formats/sqlite/pages/sqlite_journal.h"
#include "formats/sqlite/pages/sqlite_pages.h"
#include "formats/sqlite/pages/sqlite_place.h"
#include "formats/sqlite/pages/sqlite_wal.h"
#include "formats/sqlite/sqlite_connection.h"
#include "formats/sqlite/sqlite_memory.h"
#include "formats/sqlite/sqlite_rows.h"
#include "formats/sqlite/sqlite_sandbox.h"
#include "io/byte_source.h"
#include "io/temporary_folder.h"

namespace lockstep::formats::sqlite {

const DiagnosticKind kLogNotApplied{
    "log_not_applied", Severity::kDataLoss,
    "SQLite did not take what is in the log beside the database; rows may be missing, or there "
    "that were taken back."};

const DiagnosticKind kLogNotWhole{
    "log_not_whole", Severity::kDataLoss,
    "The log beside the database is damaged, cut off or ends inside a change; what stands behind "
    "its last whole change was not taken, and rows may be missing."};

const DiagnosticKind kJournalNotWhole{
    "journal_not_whole", Severity::kDataLoss,
    "The journal beside the database is damaged or cut off; a change that was not finished may "
    "have "
    "been taken back in part only, and rows may be missing or wrong."};

namespace {

namespace fs = std::filesystem;

// SQLite builds the names of logs in rooms of a fixed size.
Status check_length(const std::string& copy) {
  constexpr std::string_view kLongestSuffix = "-journal";
  const std::size_t most = SqliteSandbox::longest_path(SqliteSandbox::Access::kPrivateCopy);
  if (copy.size() + kLongestSuffix.size() <= most) return {};
  return output_error(fs::path(copy).parent_path().parent_path().string(),
                      "has too long a name for the copy of a database with a log",
                      "Name a shorter folder for temporary files with TMPDIR");
}

// Whether something is left that SQLite should have taken. What ends with the change is removed,
// made empty or begins with zeros.
bool is_left(const std::string& log) {
  const auto file = io::FileSource::open_plain(log);
  if (!file.ok()) return false;
  std::array<char, 8> head{};
  const auto got = file.value()->read(head);
  return !got.ok() || std::ranges::any_of(head, [](char c) { return c != 0; });
}

// Reading anything brings a journal back; a -wal is moved into the database. Not the list of
// tables, which may have no end.
int take_logs(const SqliteConnection& connection) {
  SqliteStatement any = prepared(connection, "PRAGMA user_version");
  const int code = any ? sqlite3_step(any.get()) : sqlite3_errcode(connection.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) return code;
  any.reset();
  return sqlite3_wal_checkpoint_v2(connection.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                   nullptr);
}

// Why the disk of a private copy did not do what SQLite asked of it, or zero. The error number may
// be an old one.
int reason_of_disk(const SqliteConnection& connection, int code) {
  if (code == SQLITE_FULL) return ENOSPC;
  if ((code & 0xFF) != SQLITE_IOERR) return 0;
  const int reason = sqlite3_system_errno(connection.get());
  const bool is_of_disks = reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EIO;
  return is_of_disks ? reason : 0;
}

// Whether a database with a -wal is shorter than it was. SQLite makes the file longer when it
// applies the log, and nobody sees any more that it was cut off.
bool is_cut_beside_wal(const std::string& copy) {
  const std::optional<SqliteExtent> extent = extent_of_database(copy);
  const std::optional<SqliteStamp> stamp = SqliteStamp::of(copy);
  if (!extent || !stamp || extent->bytes >= extent->pages * extent->page_bytes) return false;
  return !wal_has_first_page(copy + "-wal", {stamp->header.data(), stamp->header.size()});
}

// For what SQLite would not notice.
void look_at_logs(const std::string& copy, Diagnostics& diagnostics) {
  std::error_code ignored;
  if (fs::exists(copy + "-wal", ignored)) {
    if (!is_whole_wal(copy + "-wal")) diagnostics.add(kLogNotWhole, Place::none(), "-wal");
    // With a journal it may not have been made longer yet.
    const bool has_journal = fs::exists(copy + "-journal", ignored);
    if (!has_journal && is_cut_beside_wal(copy)) diagnostics.add(kDamagedDatabase);
  }
  if (fs::exists(copy + "-journal", ignored) && !is_whole_journal(copy + "-journal")) {
    diagnostics.add(kJournalNotWhole, Place::none(), "-journal");
  }
}

}  // namespace

Status apply_logs(const std::string& copy, Diagnostics& diagnostics) {
  LOCKSTEP_RETURN_IF_ERROR(check_length(copy));
  look_at_logs(copy, diagnostics);
  const SqliteSandbox sandbox(copy, SqliteSandbox::Access::kPrivateCopy);
  {
    SqliteConnection connection;
    int code = connect(sandbox, connection);
    if (code == SQLITE_OK) code = take_logs(connection);
    throw_if_out_of_memory(code);
    if (const int reason = reason_of_disk(connection, code)) {
      return io::temporary_writing_failed(copy, reason);
    }
  }
  for (const char* const suffix : {"-wal", "-journal"}) {
    if (is_left(copy + suffix)) diagnostics.add(kLogNotApplied, Place::none(), suffix);
  }
  return {};
}

}  // namespace lockstep::formats::sqlite
