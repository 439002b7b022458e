// What is said of the tables of a database: which gave events, which are missing, which are not
// read.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "formats/shared/rank_builder.h"
#include "formats/sqlite/sqlite_file.h"
#include "formats/sqlite/sqlite_strings.h"

namespace lockstep::formats::sqlite {

[[nodiscard]] bool has_rows(SqliteFile& file, std::string_view table);
[[nodiscard]] std::uint64_t count_rows(SqliteFile& file, std::string_view table);

// A table that gave events; an empty one is not named.
void use_table(shared::RankBuilder& builder, std::string_view table, std::uint64_t rows,
               std::string note);

struct NeededTable {
  std::string_view table;
  std::string_view without;  // what is not known when it is missing or empty
};
void list_missing_tables(SqliteFile& file, std::span<const NeededTable> needed,
                         shared::RankBuilder& builder);

// Tables with rows for which `is_read` is false; beyond a few dozen only their number.
void list_other_tables(SqliteFile& file, const std::function<bool(std::string_view)>& is_read,
                       shared::RankBuilder& builder);

// The string with a number; one that is not there is counted and named by its number.
[[nodiscard]] StringId string_numbered(SqliteStrings& strings, std::int64_t number,
                                       std::uint64_t row, shared::RankBuilder& builder);

}  // namespace lockstep::formats::sqlite
