// What the files of a profile say about a rank as a whole: its number, settings, and sums, which
// are kept as metadata.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/ascend_text/bundle_files.h"
#include "formats/ascend_text/bundle_report.h"
#include "formats/ascend_text/device_row_mapper.h"

namespace lockstep::formats::ascend_text {

// The whole of a file; nothing, and a word in the report, when it cannot be read.
[[nodiscard]] std::optional<std::string> text_of(const std::string& file, BundleReport& report);

class BundleFacts {
 public:
  BundleFacts(const BundleFiles& files, const shared::ReadOptions& options, BundleReport& report)
      : files_(files), options_(options), report_(report) {}

  // communication_matrix.json
  void read_links(shared::RankBuilder& rank);
  // Tables of sums; op_statistic.csv is compared with `kernels` unless there are none.
  void read_sums(shared::RankBuilder& rank, const std::vector<KernelCount>& kernels);
  // profiler_info*.json and profiler_metadata.json
  void read_settings(shared::RankBuilder& rank);

 private:
  void read_info(shared::RankBuilder& rank, const std::string& file);

  const BundleFiles& files_;
  const shared::ReadOptions& options_;
  BundleReport& report_;
};

}  // namespace lockstep::formats::ascend_text
