// The log of SQLite, which has a line for every allocation that failed.
#include "formats/sqlite/sqlite_memory.h"

#include <atomic>
#include <new>
#include <string_view>

#include <sqlite3.h>

namespace lockstep::formats::sqlite {
namespace {

std::atomic<bool> is_watched = false;
// Never taken back: memory that was short once may be short again, and then SQLite is believed.
std::atomic<bool> has_failed = false;

// Two lines of SQLite's allocator begin so. Others with the same code say what ended for the lack.
constexpr std::string_view kFailedAllocation = "failed ";

bool is_of_memory(int code) { return (code & 0xFF) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM; }

// Not even an unnamed namespace would keep a C function inside this file.
extern "C" {
static void hear_sqlite(void*, int code, const char* line) {
  if (is_of_memory(code) && std::string_view(line).starts_with(kFailedAllocation))
    has_failed = true;
}
}

}  // namespace

void watch_sqlite_memory() {
  // A library that has started already may take no more settings.
  if (sqlite3_config(SQLITE_CONFIG_LOG, hear_sqlite, nullptr) == SQLITE_OK) is_watched = true;
}

void throw_if_out_of_memory(int code) {
  if (is_of_memory(code) && (has_failed || !is_watched)) throw std::bad_alloc();
}

std::string sqlite_reason(int code) {
  return is_of_memory(code) ? "a row is longer than any can be" : sqlite3_errstr(code);
}

}  // namespace lockstep::formats::sqlite
