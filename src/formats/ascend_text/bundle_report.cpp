// Collecting of parts and diagnostics.
#include "formats/ascend_text/bundle_report.h"

#include <filesystem>

#include "formats/ascend_text/defects.h"

namespace lockstep::formats::ascend_text {

using Use = trace::SourcePart::Use;

void BundleReport::part(Use use, const std::string& file, std::uint64_t records, std::string note) {
  parts_.push_back({use, name_in(bundle_, file), records, std::move(note)});
}

void BundleReport::used(const std::string& file, std::uint64_t records, std::string note) {
  part(Use::kUsed, file, records, std::move(note));
}

void BundleReport::unused(const std::string& file, std::string why) {
  part(Use::kUnused, file, 0, std::move(why));
}

void BundleReport::unused(FileSort sort, const std::string& why) {
  for (const std::string& file : files_.of(sort)) unused(file, why);
}

void BundleReport::missing(std::string name, std::string note) {
  parts_.push_back({Use::kMissing, std::move(name), 0, std::move(note)});
}

void BundleReport::other_files() {
  std::uint64_t raw = 0;
  for (const std::string& file : files_.of(FileSort::kRaw)) {
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    if (!failure && size > 0) ++raw;
  }
  if (raw == 0) return;
  parts_.push_back({Use::kUnused, "other files", raw, "raw data of the profiler or unknown"});
}

void BundleReport::unusable(const std::string& file, const Error& error) {
  diagnostics_.add(kUnusableFile, Place::none(), error.text());
  unused(file, error.message);
}

void BundleReport::damaged(const std::string& file, const std::string& what) {
  diagnostics_.add(kDamagedFile, Place::none(), name_in(bundle_, file) + " " + what);
}

void BundleReport::take_over(std::vector<trace::SourcePart>& parts) {
  for (trace::SourcePart& known : parts) parts_.push_back(std::move(known));
}

std::string BundleReport::first_defect() const {
  return diagnostics_.entries().empty() ? "" : diagnostics_.entries()[0].example;
}

void BundleReport::hand_over(shared::RankBuilder& rank) {
  rank.diagnostics().absorb(diagnostics_, bundle_.root);
  rank.rank().parts = std::move(parts_);
}

}  // namespace lockstep::formats::ascend_text
