// What is said of the files of a profile: what was used and for what, what was not and why, what is
// missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/ascend_text/bundle_files.h"
#include "formats/shared/rank_builder.h"

namespace lockstep::formats::ascend_text {

class BundleReport {
 public:
  BundleReport(const shared::Bundle& bundle, const BundleFiles& files)
      : bundle_(bundle), files_(files) {}

  void used(const std::string& file, std::uint64_t records = 0, std::string note = {});
  void unused(const std::string& file, std::string why);
  void unused(FileSort sort, const std::string& why);
  void missing(std::string name, std::string note);
  // What the profiler has not analysed is counted, not named.
  void other_files();
  // A file that cannot be used, and why.
  void unusable(const std::string& file, const Error& error);
  // A file of which only a part can be read.
  void damaged(const std::string& file, const std::string& what);
  // Parts that another reader has listed already.
  void take_over(std::vector<trace::SourcePart>& parts);

  // Of the first file that is unusable; empty when there is none.
  [[nodiscard]] std::string first_defect() const;
  void hand_over(shared::RankBuilder& rank);

 private:
  void part(trace::SourcePart::Use use, const std::string& file, std::uint64_t records,
            std::string note);

  const shared::Bundle& bundle_;
  const BundleFiles& files_;
  std::vector<trace::SourcePart> parts_;
  Diagnostics diagnostics_;
};

}  // namespace lockstep::formats::ascend_text
