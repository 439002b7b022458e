// Reading and finding of strings by number.
#include "formats/sqlite/sqlite_strings.h"

namespace lockstep::formats::sqlite {

const DiagnosticKind kUnknownString{
    "unknown_string", Severity::kDataLoss,
    "An event names a string that the database does not have; it was kept under its number."};

namespace {

constexpr std::size_t kLongestString = 0xFFFF'FFFF;

}  // namespace

void SqliteStrings::read(SqliteFile& file, std::string_view table, std::string_view id,
                         std::string_view value) {
  SqliteScan scan = file.scan(table, {id, value});
  while (scan.next() && entries_.size() < shared::IdIndex::kNone) {
    if (scan.is_null(0)) continue;
    const auto position = static_cast<std::uint32_t>(entries_.size());
    if (!positions_.add(scan.integer(0, -1), position)) continue;
    const std::string_view text = scan.text(1).substr(0, kLongestString);
    entries_.push_back({bytes_.size(), static_cast<std::uint32_t>(text.size()), kNotYet});
    bytes_ += text;
  }
}

std::optional<StringId> SqliteStrings::find(std::int64_t id) {
  const std::uint32_t index = positions_.find(id);
  if (index == shared::IdIndex::kNone) return std::nullopt;
  Entry& entry = entries_[index];
  if (entry.interned == kNotYet) {
    const std::string_view text = std::string_view(bytes_).substr(entry.offset, entry.size);
    entry.interned = static_cast<std::uint32_t>(pool_.intern(text));
  }
  return StringId{entry.interned};
}

std::string_view SqliteStrings::text(std::int64_t id) const {
  const std::uint32_t index = positions_.find(id);
  if (index == shared::IdIndex::kNone) return {};
  return std::string_view(bytes_).substr(entries_[index].offset, entries_[index].size);
}

}  // namespace lockstep::formats::sqlite
