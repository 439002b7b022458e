// Reading and finding of strings by number.
#include "formats/sqlite_strings.h"

namespace lockstep {

const DiagnosticKind kUnknownString{
    "unknown_string", Severity::kDataLoss,
    "An event names a string that the database does not have; it was kept under its number."};

namespace {

// An id this far above the number of strings so far goes to the hash map.
constexpr std::uint64_t kDenseSlack = 1U << 20;
constexpr std::size_t kLongestString = 0xFFFF'FFFF;

}  // namespace

void SqliteStrings::read(SqliteFile& file, std::string_view table, std::string_view id,
                         std::string_view value) {
  SqliteScan scan = file.scan(table, {id, value});
  while (scan.next() && entries_.size() < kNone) {
    if (scan.is_null(0)) continue;
    const std::int64_t key = scan.integer(0, -1);
    if (index_of_id(key) != kNone) continue;
    const std::string_view text = scan.text(1).substr(0, kLongestString);
    const auto entry = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({bytes_.size(), static_cast<std::uint32_t>(text.size()), kNotYet});
    bytes_ += text;
    const auto at = static_cast<std::uint64_t>(key);
    if (at < dense_.size() || at < 2 * entries_.size() + kDenseSlack) {
      if (dense_.size() <= at) dense_.resize(at + at / 2 + 1, kNone);
      dense_[at] = entry;
    } else {
      sparse_.emplace(key, entry);
    }
  }
}

std::uint32_t SqliteStrings::index_of_id(std::int64_t id) const {
  const auto at = static_cast<std::uint64_t>(id);
  if (at < dense_.size() && dense_[at] != kNone) return dense_[at];
  if (sparse_.empty()) return kNone;
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? kNone : found->second;
}

std::optional<StringId> SqliteStrings::find(std::int64_t id) {
  const std::uint32_t index = index_of_id(id);
  if (index == kNone) return std::nullopt;
  Entry& entry = entries_[index];
  if (entry.interned == kNotYet) {
    const std::string_view text = std::string_view(bytes_).substr(entry.offset, entry.size);
    entry.interned = static_cast<std::uint32_t>(pool_.intern(text));
  }
  return StringId{entry.interned};
}

std::string_view SqliteStrings::text(std::int64_t id) const {
  const std::uint32_t index = index_of_id(id);
  if (index == kNone) return {};
  return std::string_view(bytes_).substr(entries_[index].offset, entries_[index].size);
}

}  // namespace lockstep
