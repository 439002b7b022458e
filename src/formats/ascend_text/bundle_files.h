// Which files of a directory tree are one Ascend profile, and what each of them is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/shared/format.h"

namespace lockstep::formats::ascend_text {

// What a file is, by its name. In the order in which they are listed for people.
enum class FileSort : std::uint8_t {
  kTimeline,        // trace_view.json
  kMsprofTimeline,  // msprof_*.json
  kKernelDetails,
  kOpSummary,
  kTaskTime,
  kCommunication,
  kCommunicationMatrix,
  kStepTraceTime,
  kOpStatistic,
  kApiStatistic,
  kProfilerInfo,
  kProfilerMetadata,
  kDatabase,          // one rank's events
  kAnalysisDatabase,  // sums
  kOtherProduct,      // known, and nothing in it is a timeline
  kRaw,               // what the profiler has not analysed, or anything else
};

inline constexpr std::size_t kFileSortCount = 16;

[[nodiscard]] FileSort file_sort(std::string_view path);

// The files of a bundle by what they are.
class BundleFiles {
 public:
  explicit BundleFiles(const shared::Bundle& bundle);
  [[nodiscard]] bool has(FileSort sort) const { return !of(sort).empty(); }
  [[nodiscard]] const std::vector<std::string>& of(FileSort sort) const {
    return by_sort_[static_cast<std::size_t>(sort)];
  }

 private:
  // ASCEND_PROFILER_OUTPUT may have been given alone; who it belongs to stands beside it.
  void find_facts_beside(const std::string& root);

  std::array<std::vector<std::string>, kFileSortCount> by_sort_;
};

// See BundleFormat::claim. Names of folders above the directory count only where the output folder
// of a profile was given itself. Files that no profiler writes are left, wherever they lie.
[[nodiscard]] std::vector<shared::Bundle> claim(std::string_view directory,
                                                std::vector<std::string>& files);

// The name of `path` seen from the root of its bundle.
[[nodiscard]] std::string name_in(const shared::Bundle& bundle, const std::string& path);

// The device that a folder of the path names (device_3), or empty.
[[nodiscard]] std::string device_in(std::string_view path);

// The process id in the name of the root, <host>_<pid>_<time>_ascend_pt; "0" when it has none.
[[nodiscard]] std::string process_in(std::string_view root);

}  // namespace lockstep::formats::ascend_text
