// Asking tables for rows, and the list of parts.
#include "formats/sqlite/sqlite_parts.h"

#include <fmt/format.h>

namespace lockstep::formats::sqlite {
namespace {

using Use = trace::SourcePart::Use;

constexpr std::size_t kMostOtherTables = 24;  // that are named
constexpr std::string_view kNotRead = "not read by lockstep";

}  // namespace

bool has_rows(SqliteFile& file, std::string_view table) {
  SqliteScan scan = file.scan(table, {""});  // no column: the rows alone
  return scan.next();
}

std::uint64_t count_rows(SqliteFile& file, std::string_view table) {
  SqliteScan scan = file.scan(table, {""});
  while (scan.next()) continue;
  return scan.rows();
}

void use_table(shared::RankBuilder& builder, std::string_view table, std::uint64_t rows,
               std::string note) {
  if (rows > 0) builder.add_part(Use::kUsed, std::string(table), rows, std::move(note));
}

void list_missing_tables(SqliteFile& file, std::span<const NeededTable> needed,
                         shared::RankBuilder& builder) {
  for (const NeededTable& one : needed) {
    if (has_rows(file, one.table)) continue;
    builder.add_part(Use::kMissing, std::string(one.table), 0, std::string(one.without));
  }
}

void list_other_tables(SqliteFile& file, const std::function<bool(std::string_view)>& is_read,
                       shared::RankBuilder& builder) {
  std::size_t others = 0;
  for (const std::string& table : file.tables()) {
    if (is_read(table) || table.starts_with("sqlite_") || !has_rows(file, table)) continue;
    if (++others <= kMostOtherTables) {
      builder.add_part(Use::kUnused, table, 0, std::string(kNotRead));
    }
  }
  if (others <= kMostOtherTables) return;
  builder.add_part(Use::kUnused, fmt::format("{} more tables", others - kMostOtherTables), 0,
                   std::string(kNotRead));
}

StringId string_numbered(SqliteStrings& strings, std::int64_t number, std::uint64_t row,
                         shared::RankBuilder& builder) {
  if (const auto known = strings.find(number)) return *known;
  builder.diagnostics().add(kUnknownString, Place::row(row));
  return builder.intern(fmt::format("string {}", number));
}

}  // namespace lockstep::formats::sqlite
