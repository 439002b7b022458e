// Names one bit apart, and names that stand in a definition without being columns.
#include "formats/sqlite/pages/sqlite_definition.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/letters.h"
#include "formats/shared/text_damage.h"

namespace lockstep::formats::sqlite {

const DiagnosticKind kDamagedDefinition{
    "damaged_definition", Severity::kDataLoss,
    "The definition of a table of the database is damaged; what its columns hold may be missing."};

namespace {

constexpr std::array<std::string_view, 10> kColumnTypes = {
    "integer", "int", "text", "real", "numeric", "blob", "varchar", "char", "float", "double"};
// What profilers declare a key as that is the number of its row. Damaged, such a key reads as null.
constexpr std::array<std::string_view, 2> kKeys = {"INTEGER", "integer"};
// The same with a word of what follows, which then belongs to the type.
constexpr std::array<std::string_view, 4> kLongerKeys = {
    "INTEGER NOT", "integer NOT", "INTEGER PRIMARY KEY", "integer PRIMARY KEY"};
// Names that profilers do write and that are one bit away from others that are read.
constexpr std::array<std::string_view, 5> kNeighbours = {"globalPid", "globalTid", "globalVid",
                                                         "pid", "tid"};
// Of a definition; no profiler writes a longer one.
constexpr std::size_t kMostLookedAt = 1U << 16;
constexpr std::string_view kQuotesAndSpaces = " \t\r\n\"'`[]";
// What one wrong bit makes of a space, and of a comma, and leaves part of a name.
constexpr std::string_view kWrongSpaces = "0$";
constexpr std::string_view kWrongCommas = "l$";
// What it makes of a line end and leaves text; the next line of a definition is indented.
constexpr std::string_view kWrongLineEnds = "J*";
constexpr std::string_view kIndentation = "  ";

bool is_of_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// In one bit, and not in the case of a letter.
bool differ_in_one_bit(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int bits = 0;
  for (std::size_t i = 0; i < a.size() && bits < 2; ++i) {
    bits += std::popcount(static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return bits == 1 && !is_same_name(a, b);
}

bool is_type(std::string_view word) {
  return std::ranges::any_of(kColumnTypes, [&](auto type) { return is_same_name(word, type); });
}

// The words of a text, which are taken from its front one by one.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  // False after the last one.
  bool next() {
    const auto begin = std::ranges::find_if(rest_, is_of_name);
    const auto end = std::find_if_not(begin, rest_.end(), is_of_name);
    const std::string_view between(rest_.begin(), begin);
    follows_ = between.find_first_not_of(kQuotesAndSpaces) == std::string_view::npos;
    word_ = {begin, end};
    rest_ = {end, rest_.end()};
    return !word_.empty();
  }
  [[nodiscard]] std::string_view word() const { return word_; }
  // Whether nothing but quotes and spaces stands between it and the one in front.
  [[nodiscard]] bool follows() const { return follows_; }

 private:
  std::string_view rest_;
  std::string_view word_;
  bool follows_ = false;
};

// Whether a word is another one with a damaged comma.
bool ends_with_comma(std::string_view word, std::string_view other) {
  return word.size() == other.size() + 1 && is_same_name(word.substr(0, other.size()), other) &&
         kWrongCommas.find(word.back()) != std::string_view::npos;
}

// Whether a type goes on with the next column, which is then none: all behind it would be read
// under the name of the one in front.
bool goes_on(std::string_view type) {
  Words words(type);
  return words.next() && std::ranges::any_of(kColumnTypes, [&](auto known) {
           return ends_with_comma(words.word(), known);
         });
}

// Whether a word is the name of a column and its type, with a damaged space between them.
bool is_glued(std::string_view word, std::string_view column) {
  return word.size() > column.size() && is_same_name(word.substr(0, column.size()), column) &&
         kWrongSpaces.find(word[column.size()]) != std::string_view::npos &&
         is_type(word.substr(column.size() + 1));
}

// Of a comment up to the end of its line. Behind a damaged line end a column may stand.
std::size_t line_comment_bytes(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  for (std::size_t at = 0; (at = line.find_first_of(kWrongLineEnds, at)) != line.npos; ++at) {
    if (line.substr(at + 1).starts_with(kIndentation)) return at + 1;
  }
  return line.size();
}

// A comment, a text or a name in quotes, or one character; all the rest where a quote has no end.
struct Piece {
  std::size_t bytes = 1;
  bool has_columns = true;
};

Piece piece_at(std::string_view text) {
  if (text.starts_with("--")) return {line_comment_bytes(text), false};
  const bool is_comment = text.starts_with("/*");
  constexpr std::string_view kOpening = "'\"`[";
  constexpr std::string_view kClosing = "'\"`]";
  const std::size_t quote = kOpening.find(text[0]);
  if (!is_comment && quote == std::string_view::npos) return {};
  const std::size_t close = is_comment ? text.find("*/", 2) : text.find(kClosing[quote], 1);
  if (close == std::string_view::npos) return {text.size(), true};
  const std::string_view inside = text.substr(1, close - 1);
  const bool is_name = !is_comment && text[0] != '\'' && std::ranges::all_of(inside, is_of_name);
  return {close + (is_comment ? 2 : 1), is_name};
}

// A definition without comments and values, which may speak of columns that are not written.
std::string without_asides(std::string_view definition) {
  std::string out;
  for (std::string_view rest = definition; !rest.empty();) {
    const Piece piece = piece_at(rest);
    out += piece.has_columns ? rest.substr(0, piece.bytes) : " ";
    rest.remove_prefix(piece.bytes);
  }
  return out;
}

// Whether a text gives a column a type.
bool gives_type(std::string_view text, std::string_view column) {
  bool is_column_in_front = false;
  for (Words words(text); words.next();) {
    if (is_column_in_front && words.follows() && is_type(words.word())) return true;
    is_column_in_front = is_same_name(words.word(), column);
    if (is_glued(words.word(), column)) return true;
  }
  return false;
}

// Whether a text has the name of a column with a letter that became a comma or a space.
bool splits(std::string_view text, std::string_view column) {
  for (std::size_t at = 0; at + column.size() <= text.size(); ++at) {
    const std::string_view part = text.substr(at, column.size());
    if (differ_in_one_bit(part, column) && !std::ranges::all_of(part, is_of_name)) return true;
  }
  return false;
}

// Whether the type of a column has swallowed a name: the comma in front of that is damaged.
bool has_swallowed(const SqliteColumn& one, std::string_view column) {
  if (is_type(column)) return false;
  const std::string type = without_asides(one.type);
  for (Words words(type); words.next();) {
    if (is_same_name(words.word(), column)) return true;
  }
  return false;
}

bool is_damaged_key(const SqliteColumn& column) {
  const auto is_almost = [&](auto type) { return differ_in_one_bit(column.type, type); };
  return (column.is_key && std::ranges::any_of(kKeys, is_almost)) ||
         std::ranges::any_of(kLongerKeys, is_almost);
}

}  // namespace

bool SqliteTable::has_column(std::string_view column) const {
  return std::ranges::any_of(columns,
                             [&](const auto& one) { return is_same_name(one.name, column); });
}

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, small_letter, small_letter);
}

std::string damage_of(const SqliteTable& table) {
  if (shared::is_damaged_text(table.name) || shared::is_damaged_text(table.definition)) {
    return "control characters or bytes that are not UTF-8";
  }
  for (const SqliteColumn& column : table.columns) {
    if (is_damaged_key(column)) return "the key " + column.name + " is of type " + column.type;
    if (goes_on(column.type)) return "column " + column.name + " is of type " + column.type;
  }
  return {};
}

std::string damage_of_missing(const SqliteTable& table, std::string_view column,
                              std::span<const std::string_view> known) {
  if (column.empty() || table.has_column(column)) return {};
  const std::string missing = "column " + std::string(column);
  for (const SqliteColumn& one : table.columns) {
    const auto is_it = [&](auto name) { return is_same_name(one.name, name); };
    const bool is_known =
        std::ranges::any_of(known, is_it) || std::ranges::any_of(kNeighbours, is_it);
    if (is_known) continue;
    if (differ_in_one_bit(one.name, column) || ends_with_comma(one.name, column)) {
      return missing + " is named " + one.name;
    }
  }
  const std::string text =
      without_asides(std::string_view(table.definition).substr(0, kMostLookedAt));
  const bool is_written = gives_type(text, column) || splits(text, column) ||
                          std::ranges::any_of(table.columns, [&](const SqliteColumn& one) {
                            return has_swallowed(one, column);
                          });
  return is_written ? missing + " is written and is none" : std::string();
}

}  // namespace lockstep::formats::sqlite
