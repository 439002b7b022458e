// One capture in several formats: profilers leave the same run as a database, as JSON and as
// Perfetto side by side, and people keep a compressed copy. Reading all of them would count the run
// as often.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::formats::input {

struct OtherExport {
  std::string file;
  std::string better;  // of the same capture

  friend bool operator==(const OtherExport&, const OtherExport&) = default;
};

// How the name of a file ends that is named like a trace, in small letters and without that of a
// compression: ".json" also for "a.JSON.gz". Nothing for other names.
[[nodiscard]] std::string_view export_suffix(std::string_view path);
[[nodiscard]] inline bool is_named_like_export(std::string_view path) {
  return !export_suffix(path).empty();
}

// Takes out of `files` (sorted paths) those that lie beside a better export of the same name:
// run.trace.json.gz beside run.xplane.pb, 9_results.pftrace beside 9_results.db, a.json.gz beside
// a.json. Returns what was taken out.
std::vector<OtherExport> take_other_exports(std::vector<std::string>& files);

}  // namespace lockstep::formats::input
