// The strings of a database that names things by number: StringIds of Nsight Systems, STRING_IDS
// of Ascend profilers.
//
// Such tables also hold symbols and whole files that no event names, so a string enters the trace
// only when it is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "formats/shared/id_index.h"
#include "formats/sqlite/sqlite_file.h"

namespace lockstep::formats::sqlite {

extern const DiagnosticKind kUnknownString;

class SqliteStrings {
 public:
  explicit SqliteStrings(StringPool& pool) : pool_(pool) {}

  // Takes all rows of a table with these two columns; the first string of an id counts.
  void read(SqliteFile& file, std::string_view table, std::string_view id, std::string_view value);
  [[nodiscard]] std::uint64_t size() const { return entries_.size(); }

  // The string in the trace; nothing when no row has this id.
  [[nodiscard]] std::optional<StringId> find(std::int64_t id);
  // The text as it stands in the table; empty when no row has this id.
  [[nodiscard]] std::string_view text(std::int64_t id) const;

 private:
  struct Entry {
    std::size_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t interned = kNotYet;
  };
  static constexpr std::uint32_t kNotYet = 0xFFFF'FFFF;

  StringPool& pool_;
  std::string bytes_;
  std::vector<Entry> entries_;
  shared::IdIndex positions_;  // in entries_
};

}  // namespace lockstep::formats::sqlite
