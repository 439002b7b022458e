// The journal of a change that was not finished, looked at without SQLite, which takes back what
// stands in front of the first damage and says nothing of the rest.
#pragma once

#include <string>

namespace lockstep {

// Whether all pages that the journal says it holds are there, and nothing else. One that cannot be
// read is not whole; nor is one behind which an older one lies (PRAGMA journal_mode = PERSIST):
// that looks like damage.
[[nodiscard]] bool is_whole_journal(const std::string& path);

}  // namespace lockstep
