// The journal of a change that was not finished, looked at without SQLite, which takes back what
// stands in front of the first damage and says nothing of the rest.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::formats::sqlite {

// Each of its segments begins with this, and what names another journal ends with it (SQLite's file
// format, section 3).
inline constexpr std::string_view kJournalStart{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8};

// Whether all pages that the journal says it holds are there. One that cannot be read is not whole.
// Behind it the rest of an older one may lie (PRAGMA journal_mode = PERSIST) where its records are
// not counted (synchronous = OFF) or it is not safe yet; else that looks like damage.
[[nodiscard]] bool is_whole_journal(const std::string& path);

}  // namespace lockstep::formats::sqlite
