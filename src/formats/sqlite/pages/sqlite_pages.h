// Looks at all pages of a database for damage that SQLite reads over: a page that says it has fewer
// rows than lie on it, a branch that leads elsewhere, a page in the place of another. SQLite's own
// integrity check takes longer than reading the trace. It also follows the pages that hold the rest
// of long rows, and compares indexes with their tables; that is not done here.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"

namespace lockstep::formats::sqlite {

extern const DiagnosticKind kDamagedPages;
extern const DiagnosticKind kPagesNotChecked;
extern const DiagnosticKind kDamagedDatabase;

// What the header of a database says of its length.
struct SqliteExtent {
  std::uint64_t bytes = 0;  // of the file
  std::uint64_t page_bytes = 0;
  std::uint64_t pages = 0;  // as counted by its last writer; 0 where that is not known
};
// Nothing where the header cannot be read.
[[nodiscard]] std::optional<SqliteExtent> extent_of_database(const std::string& path);

struct SqlitePageDamage {
  std::uint64_t pages = 0;
  std::uint64_t first = 0;  // the number of one of them, from 1
};

// SQLite's own time is quadratic in the entries of that list, if they are indexes of one table: for
// so many of them, some 2.5 s.
inline constexpr std::uint64_t kMostTables = 16'384;

// The tree that lists the tables and indexes. One that repeats its pages, or whose entries share
// their text, holds more than the file (kEndless), and SQLite would read it for hours; so it would
// one of more than kMostTables entries (kTooLong). A file that cannot be read or is no database is
// not judged.
enum class TableList : std::uint8_t { kFits, kEndless, kTooLong };
[[nodiscard]] TableList list_of_tables(const std::string& path);

// The page that a table begins with. A row has at most as many values as its table has columns.
struct SqliteRoot {
  std::uint32_t page = 0;
  std::uint32_t columns = std::numeric_limits<std::uint32_t>::max();
};

// Of the pages that hold rows of tables. A file that is no database is not looked at; one that
// cannot be read is an error. A table whose only page became one without rows, or with rows of
// another table that has no more columns, looks like a good one. Time and memory are linear in the
// file: some 0.2 s and 5 MB a GB with pages of 4096 bytes.
[[nodiscard]] Result<SqlitePageDamage> damaged_pages(const std::string& path,
                                                     const std::vector<SqliteRoot>& roots);

}  // namespace lockstep::formats::sqlite
