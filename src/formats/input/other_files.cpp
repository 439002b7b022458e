// The looks of other programs' files.
#include "formats/input/other_files.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/utf8.h"
#include "formats/input/other_exports.h"
#include "formats/shared/byte_order_mark.h"
#include "formats/shared/outside_strings.h"
#include "formats/shared/text_damage.h"
#include "formats/sqlite/pages/sqlite_place.h"
#include "io/input.h"

namespace lockstep::formats::input {
namespace {

// Those of JSON, and what stands between records or behind the end of some files.
constexpr std::string_view kBlanks = " \t\r\n\f\x1A\x1E";
// No writer leaves so many in a row, but damaged storage does.
constexpr std::size_t kSectorBytes = 4096;

struct DatabaseMagic {
  std::size_t at = 0;
  std::string_view bytes;
};

constexpr std::array<DatabaseMagic, 12> kOtherDatabases = {{
    {0, "\xD0\xCF\x11\xE0"},  // Thumbs.db, as a desktop leaves it in folders that it showed
    {0, "\xCE\x9A\x57\x13"},  // GDBM
    {0, "\xCF\x9A\x57\x13"},
    {0, "\x13\x57\x9A\xCE"},
    {0, "\x13\x57\x9A\xCF"},
    {0, std::string_view("\0\x06\x15\x61", 4)},  // Berkeley DB, its first versions and its others
    {0, std::string_view("\x61\x15\x06\0", 4)},
    {12, std::string_view("\0\x05\x31\x62", 4)},
    {12, std::string_view("\x62\x31\x05\0", 4)},
    {8, "DUCK"},  // DuckDB
    {0, "H:2,"},  // H2
    {0, "TDB file\n"},
}};

bool is_utf16(std::string_view head) {
  return head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
}

// UTF-16 text without its zeros.
bool speaks_of_events(std::string_view head) {
  std::string letters(head);
  std::erase(letters, '\0');
  return letters.contains("traceEvents") || letters.contains("\"ph\"");
}

bool has_blank_sector(std::string_view text) {
  std::size_t run = 0;
  char last = 'x';
  for (const char c : text) {
    run = c == last ? run + 1 : 1;
    last = c;
    if (run == kSectorBytes && kBlanks.contains(c)) return true;
  }
  return false;
}

bool is_comment(std::string_view text) { return text.starts_with("//") || text.starts_with("/*"); }

// Some settings begin with lines of a shell.
bool begins_with_comment(std::string_view text) {
  return is_comment(text) || text.starts_with('#');
}

// Where a lost quote turns strings inside out, the slashes of an address follow a colon.
bool is_comment_at(std::string_view text, std::size_t at) {
  if (!is_comment(text.substr(at))) return false;
  const bool is_address = text[at + 1] == '/' && at > 0 && text[at - 1] == ':';
  return !is_address;
}

// Whether every bracket is closed by its own kind. Text with comments is never asked further: there
// may be anything in them.
bool is_balanced(std::string_view text) {
  std::string open;
  bool is_nested = true;
  bool has_comment = false;
  const bool is_ended = shared::for_each_outside_strings(text, [&](char c, std::size_t at) {
    has_comment |= is_comment_at(text, at);
    if (shared::is_opening_bracket(c)) open += c;
    if (!shared::is_closing_bracket(c)) return;
    is_nested &= open.ends_with(c == '}' ? '{' : '[');
    if (!open.empty()) open.pop_back();
  });
  return has_comment || (is_ended && is_nested && open.empty());
}

// A value by itself, without brackets.
bool is_scalar(std::string_view text) {
  if (text == "null" || text == "true" || text == "false") return true;
  std::string outside;
  const bool is_ended =
      shared::for_each_outside_strings(text, [&](char c, std::size_t) { outside += c; });
  if (text.starts_with('"')) return is_ended && outside.empty();
  return outside == text && text.find_first_not_of("+-.eE0123456789") == std::string_view::npos;
}

// One, or one a line.
bool are_scalars(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
    const std::string_view value = line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
    if (!value.empty() && !is_scalar(value)) return false;
  }
  return true;
}

bool is_whole_json(std::string_view text) {
  const bool is_nested = text.starts_with('{') || text.starts_with('[');
  return begins_with_comment(text) || (is_nested ? is_balanced(text) : are_scalars(text));
}

// As far as it is known.
bool begins_like_json(std::string_view text) {
  return (begins_with_comment(text) || text.starts_with('{') || text.starts_with('[')) &&
         !has_blank_sector(text);
}

}  // namespace

bool is_other_database(std::string_view head) {
  return std::ranges::any_of(kOtherDatabases, [&](const DatabaseMagic& magic) {
    return head.size() > magic.at && head.substr(magic.at).starts_with(magic.bytes);
  });
}

bool is_of_other_program(std::string_view head, std::string_view path) {
  if (is_other_database(head)) return true;
  if (head.starts_with(kLfsPointer)) return false;
  if (is_utf16(head)) return !speaks_of_events(head);
  const bool is_all = head.size() < io::kSniffBytes;
  std::string_view text = is_all ? head : cut_between_characters(head, head.size() - 4);
  text.remove_prefix(shared::byte_order_mark_size(text));
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (is_all) text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  if (text.empty() || shared::is_damaged_text(text)) return false;
  const std::string_view suffix = export_suffix(path);
  // Only this short ending is one of text too. What is left of a database may be its first letters.
  if (suffix == ".db") return !sqlite::kSqliteMagic.starts_with(head) && !has_blank_sector(text);
  if (!suffix.ends_with(".json")) return false;
  return is_all ? is_whole_json(text) : begins_like_json(text);
}

}  // namespace lockstep::formats::input
