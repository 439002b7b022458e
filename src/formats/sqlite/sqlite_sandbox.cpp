// A layer over SQLite's own file system that knows few names.
#include "formats/sqlite/sqlite_sandbox.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <fmt/format.h>
#include <sqlite3.h>

namespace lockstep::formats::sqlite {
namespace {

// SQLite's own limit keeps in bounds what it builds of the names of logs; a database that is read
// in place has none.
constexpr std::size_t kLongestPath = 4096;

// The library has none before it has started, which takes memory.
sqlite3_vfs* real_files() {
  const bool is_started = sqlite3_initialize() == SQLITE_OK;
  sqlite3_vfs* const files = is_started ? sqlite3_vfs_find(nullptr) : nullptr;
  if (files == nullptr) throw std::bad_alloc();
  return files;
}

const SqliteSandbox& sandbox_of(const sqlite3_vfs* files) {
  return *static_cast<const SqliteSandbox*>(files->pAppData);
}

int open_file(sqlite3_vfs* files, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if (!sandbox_of(files).may_open(path, flags)) return SQLITE_CANTOPEN;
  return real_files()->xOpen(real_files(), path, file, flags, out_flags);
}

int delete_file(sqlite3_vfs* files, const char* path, int sync) {
  if (!sandbox_of(files).is_log(path)) return SQLITE_IOERR_DELETE;
  return real_files()->xDelete(real_files(), path, sync);
}

int access_file(sqlite3_vfs* files, const char* path, int flags, int* result) {
  const SqliteSandbox& sandbox = sandbox_of(files);
  *result = 0;
  if (sandbox.database() != path && !sandbox.is_log(path)) return SQLITE_OK;
  return real_files()->xAccess(real_files(), path, flags, result);
}

// Paths are whole already, and following links would be reaching out.
int full_path(sqlite3_vfs* files, const char* path, int size, char* out) {
  (void)files;
  const std::size_t length = std::strlen(path);
  if (length >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
  std::memcpy(out, path, length + 1);
  return SQLITE_OK;
}

void* load_nothing(sqlite3_vfs*, const char*) { return nullptr; }
void say_nothing_loads(sqlite3_vfs*, int size, char* out) {
  sqlite3_snprintf(size, out, "extensions are not loaded");
}
using Symbol = void (*)();
Symbol find_nothing(sqlite3_vfs*, void*, const char*) { return nullptr; }
void unload_nothing(sqlite3_vfs*, void*) {}

int randomness(sqlite3_vfs*, int size, char* out) {
  return real_files()->xRandomness(real_files(), size, out);
}
int sleep_for(sqlite3_vfs*, int microseconds) {
  return real_files()->xSleep(real_files(), microseconds);
}
int current_time(sqlite3_vfs*, double* days) {
  return real_files()->xCurrentTime(real_files(), days);
}
int last_error(sqlite3_vfs*, int size, char* out) {
  return real_files()->xGetLastError(real_files(), size, out);
}
int current_time_exact(sqlite3_vfs*, sqlite3_int64* milliseconds) {
  return real_files()->xCurrentTimeInt64(real_files(), milliseconds);
}

std::string next_name() {
  static std::atomic<std::uint64_t> made{0};
  return fmt::format("lockstep-{}", ++made);
}

}  // namespace

SqliteSandbox::SqliteSandbox(std::string database, Access access)
    : database_(std::move(database)),
      access_(access),
      name_(next_name()),
      files_(std::make_unique<sqlite3_vfs>()) {
  if (access == Access::kPrivateCopy) logs_ = {database_ + "-journal", database_ + "-wal"};
  files_->iVersion = 2;
  files_->szOsFile = real_files()->szOsFile;
  files_->mxPathname = static_cast<int>(longest_path(access));
  files_->zName = name_.c_str();
  files_->pAppData = this;
  files_->xOpen = open_file;
  files_->xDelete = delete_file;
  files_->xAccess = access_file;
  files_->xFullPathname = full_path;
  files_->xDlOpen = load_nothing;
  files_->xDlError = say_nothing_loads;
  files_->xDlSym = find_nothing;
  files_->xDlClose = unload_nothing;
  files_->xRandomness = randomness;
  files_->xSleep = sleep_for;
  files_->xCurrentTime = current_time;
  files_->xGetLastError = last_error;
  files_->xCurrentTimeInt64 = current_time_exact;
  sqlite3_vfs_register(files_.get(), 0);
}

std::size_t SqliteSandbox::longest_path(Access access) {
  if (access == Access::kReadOnly) return kLongestPath;
  return static_cast<std::size_t>(real_files()->mxPathname);
}

SqliteSandbox::~SqliteSandbox() { sqlite3_vfs_unregister(files_.get()); }

bool SqliteSandbox::may_open(const char* path, int flags) const {
  if (path == nullptr) return false;  // a temporary file with a name of SQLite's choice
  if (is_log(path)) return (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) != 0;
  const bool is_readable = access_ == Access::kPrivateCopy || (flags & SQLITE_OPEN_READONLY) != 0;
  return database_ == path && (flags & SQLITE_OPEN_MAIN_DB) != 0 && is_readable;
}

bool SqliteSandbox::is_log(const char* path) const {
  return std::ranges::any_of(logs_, [&](const std::string& log) { return log == path; });
}

}  // namespace lockstep::formats::sqlite
