// One capture in several formats: profilers leave the same run as a database, as JSON and as
// Perfetto side by side, and people keep a compressed copy. Reading all of them would count the run
// as often.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct OtherExport {
  std::string file;
  std::string better;  // of the same capture

  friend bool operator==(const OtherExport&, const OtherExport&) = default;
};

// Whether a file is named like a trace.
[[nodiscard]] bool is_named_like_export(std::string_view path);

// Takes out of `files` (sorted paths) those that lie beside a better export of the same name:
// run.trace.json.gz beside run.xplane.pb, 9_results.pftrace beside 9_results.db, a.json.gz beside
// a.json. Returns what was taken out.
std::vector<OtherExport> take_other_exports(std::vector<std::string>& files);

}  // namespace lockstep
