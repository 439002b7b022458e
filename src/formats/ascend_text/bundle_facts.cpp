// Reading of facts and sums.
#include "formats/ascend_text/bundle_facts.h"

#include <memory>

#include "formats/ascend_text/communication_json.h"
#include "formats/ascend_text/summary_tables.h"
#include "io/input.h"

namespace lockstep::formats::ascend_text {
namespace {

// Facts longer than this are read but not kept.
constexpr std::size_t kMaxMetadataBytes = std::size_t{1} << 20;

void keep(shared::RankBuilder& rank, const std::string& key, std::string json) {
  if (json.empty() || json.size() > kMaxMetadataBytes) return;
  rank.rank().metadata.push_back({key, std::move(json)});
}

// Of a file whose compression is damaged, or that became shorter.
constexpr std::string_view kLossBelow = "cannot be read to its end";

struct Sums {
  FileSort sort;
  const char* key;
};
constexpr std::array kSums = {Sums{FileSort::kStepTraceTime, "step_trace_time"},
                              Sums{FileSort::kOpStatistic, "op_statistic"},
                              Sums{FileSort::kApiStatistic, "api_statistic"}};

Result<SummaryTable> sums_in(const std::string& file, const shared::ReadOptions& options) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::Input> input, io::Input::open(file));
  LOCKSTEP_ASSIGN_OR_RETURN(SummaryTable table, read_summary_table(*input, options));
  if (input->diagnostics().has_loss()) table.damage = kLossBelow;
  return table;
}

}  // namespace

std::optional<std::string> text_of(const std::string& file, BundleReport& report) {
  auto input = io::Input::open(file);
  if (!input.ok()) {
    report.unusable(file, input.error());
    return std::nullopt;
  }
  Result<std::string> text = read_text(*input.value(), file);
  if (!text.ok()) {
    report.unusable(file, text.error());
    return std::nullopt;
  }
  if (input.value()->diagnostics().has_loss()) report.damaged(file, std::string(kLossBelow));
  return std::move(text).value();
}

void BundleFacts::read_links(shared::RankBuilder& rank) {
  for (const std::string& file : files_.of(FileSort::kCommunicationMatrix)) {
    const std::optional<std::string> json = text_of(file, report_);
    if (!json) continue;
    const auto links = count_links(*json);
    if (!links) {
      report_.unusable(file, input_error(file, "is not JSON of the expected shape"));
      continue;
    }
    keep(rank, "communication_matrix", minified(*json).value_or(""));
    report_.used(file, *links, "kept as metadata");
  }
}

void BundleFacts::read_sums(shared::RankBuilder& rank, const std::vector<KernelCount>& kernels) {
  for (const Sums& sums : kSums) {
    for (const std::string& file : files_.of(sums.sort)) {
      const Result<SummaryTable> table = sums_in(file, options_);
      if (!table.ok()) {
        report_.unusable(file, table.error());
        continue;
      }
      keep(rank, sums.key, as_json(table.value(), kMaxMetadataBytes));
      const std::string damage(table.value().damage);
      if (!damage.empty()) report_.damaged(file, damage);
      const bool compares = sums.sort == FileSort::kOpStatistic && !kernels.empty() &&
                            table.value().is_whole && damage.empty();
      if (compares) compare_counts(table.value(), kernels, rank.diagnostics());
      report_.used(file, table.value().rows.size(),
                   compares ? "kept as metadata, compared with the kernels" : "kept as metadata");
    }
  }
}

void BundleFacts::read_info(shared::RankBuilder& rank, const std::string& file) {
  const std::optional<std::string> json = text_of(file, report_);
  if (!json) return;
  ProfilerInfo info = parse_profiler_info(*json);
  if (info.json.empty()) {
    report_.unusable(file, input_error(file, "is not JSON"));
    return;
  }
  if (info.rank) {
    rank.rank().number = info.rank;
    rank.rank().number_from = trace::RankEvidence::kMetadata;
  }
  keep(rank, "profiler_info", std::move(info.json));
  report_.used(file, 0, info.level.empty() ? "rank" : "rank, " + info.level);
}

void BundleFacts::read_settings(shared::RankBuilder& rank) {
  for (const std::string& file : files_.of(FileSort::kProfilerInfo)) read_info(rank, file);
  for (const std::string& file : files_.of(FileSort::kProfilerMetadata)) {
    const std::optional<std::string> json = text_of(file, report_);
    if (!json) continue;
    const auto text = minified(*json);
    if (!text) {
      report_.unusable(file, input_error(file, "is not JSON"));
      continue;
    }
    keep(rank, "profiler_metadata", *text);
    report_.used(file, 0, "kept as metadata");
  }
}

}  // namespace lockstep::formats::ascend_text
