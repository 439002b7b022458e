// Directories: the timeline first, the table of kernels over it, then what the other files say.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/ascend_names.h"
#include "formats/ascend_tasks.h"
#include "formats/ascend_text/ascend_text_reader.h"
#include "formats/ascend_text/bundle_files.h"
#include "formats/ascend_text/communication_json.h"
#include "formats/ascend_text/defects.h"
#include "formats/ascend_text/device_row_mapper.h"
#include "formats/ascend_text/rank_slices.h"
#include "formats/ascend_text/summary_tables.h"
#include "formats/ascend_text/timeline_index.h"
#include "io/input.h"

namespace lockstep {
namespace ascend_text {
namespace {

constexpr std::string_view kFormatWord = "ascend_text";
// Facts longer than this are read but not kept.
constexpr std::size_t kMaxMetadataBytes = std::size_t{1} << 20;

using Use = SourcePart::Use;

class BundleReader {
 public:
  BundleReader(const Bundle& bundle, const ReadOptions& options, const ReadFile& read_file,
               Trace& trace)
      : bundle_(bundle), options_(options), read_file_(read_file), trace_(trace), files_(bundle) {}

  Status run() {
    first_row_ = trace_.events.size();
    const bool has_text = has(FileSort::kTimeline) || has(FileSort::kMsprofTimeline) ||
                          has_kernels() || has(FileSort::kTaskTime) ||
                          has(FileSort::kCommunication);
    if (!has_text && has(FileSort::kDatabase)) return read_database();
    if (!has_text) {
      return input_error(bundle_.root, "is an Ascend profile without analysed data",
                         "Run torch_npu.profiler.profiler.analyse or msprof --export on it");
    }
    return read_text_products();
  }

 private:
  [[nodiscard]] bool has(FileSort sort) const { return files_.has(sort); }
  [[nodiscard]] bool has_kernels() const {
    return has(FileSort::kKernelDetails) || has(FileSort::kOpSummary);
  }
  [[nodiscard]] const std::vector<std::string>& files_of(FileSort sort) const {
    return files_.of(sort);
  }

  void part(Use use, const std::string& file, std::uint64_t records = 0, std::string note = {}) {
    parts_.push_back({use, name_in(bundle_, file), records, std::move(note)});
  }

  // A file that cannot be used, and why.
  void unusable(const std::string& file, const Error& error) {
    diagnostics_.add(kUnusableFile, Place::none(), error.text());
    part(Use::kUnused, file, 0, error.message);
  }

  Status read_text_products() {
    LOCKSTEP_RETURN_IF_ERROR(read_timelines());
    const std::string process = process_of_rank();
    std::optional<RankBuilder> made;
    if (has_timeline_) {
      trace_.ranks.back().source = bundle_.root;
      trace_.ranks.back().format = kFormatWord;
      made.emplace(trace_, options_.keep_arguments);
    } else {
      made.emplace(trace_, bundle_.root, kFormatWord, options_.keep_arguments);
    }
    RankBuilder& rank = *made;
    LOCKSTEP_RETURN_IF_ERROR(read_tables(rank, process));
    LOCKSTEP_RETURN_IF_ERROR(read_communication(rank, process));
    if (trace_.events.size() == first_row_) {
      rank.discard();
      return nothing_read();
    }
    read_sums(rank);
    read_facts(rank);
    list_the_rest();
    rank.diagnostics().absorb(diagnostics_, bundle_.root);
    rank.rank().parts = std::move(parts_);
    rank.finish();
    return {};
  }

  [[nodiscard]] Error nothing_read() const {
    const std::string why = diagnostics_.entries().empty() ? "" : diagnostics_.entries()[0].example;
    return input_error(bundle_.root, "is an Ascend profile in which nothing can be read", why);
  }

  // The process that the timeline has put its device lanes in, else the one in the folder's name.
  [[nodiscard]] std::string process_of_rank() const {
    if (has_timeline_) {
      for (const Track& track : trace_.tracks) {
        const bool is_ours = index_of(trace_.rank_of(track)) + 1 == trace_.ranks.size();
        if (!is_ours || track.side != Track::Side::kDevice) continue;
        return std::string(trace_.text(trace_.processes[index_of(track.process)].id.text));
      }
    }
    return process_in(bundle_.root);
  }

  // trace_view.json, or the slices of msprof's timeline.
  Status read_timelines() {
    const bool is_torch = has(FileSort::kTimeline);
    const auto files = files_of(is_torch ? FileSort::kTimeline : FileSort::kMsprofTimeline);
    for (const std::string& file : files) {
      const std::size_t rows = trace_.events.size();
      const std::size_t ranks = trace_.ranks.size();
      const Status status = read_file_(file, trace_);
      if (!status.ok()) {
        if (trace_.ranks.size() != ranks) return status;
        unusable(file, status.error());
        continue;
      }
      const std::uint64_t read = trace_.events.size() - rows;
      if (has_timeline_ && !fold_last_rank(trace_)) {
        return input_error(file, "is a slice of a timeline that lies days away from the first");
      }
      has_timeline_ = true;
      part(Use::kUsed, file, read, "host events, launches, copies, waits");
    }
    if (files.size() > 1 && has_timeline_) join_across_slices(trace_, first_row_);
    if (is_torch) unused(FileSort::kMsprofTimeline, "trace_view.json says the same and more");
    return {};
  }

  void unused(FileSort sort, const std::string& why) {
    for (const std::string& file : files_of(sort)) part(Use::kUnused, file, 0, why);
  }

  Status read_tables(RankBuilder& rank, const std::string& process) {
    std::optional<TimelineIndex> timeline;
    if (has_timeline_) timeline.emplace(trace_, first_row_);
    DeviceRowMapper mapper(rank, timeline ? &*timeline : nullptr, process);
    const bool has_details = has(FileSort::kKernelDetails);
    const FileSort authority = has_details ? FileSort::kKernelDetails : FileSort::kOpSummary;
    for (const std::string& file : files_of(authority)) {
      LOCKSTEP_RETURN_IF_ERROR(read_table(rank, mapper, file, false, "kernels and collectives"));
    }
    const bool kernels_known = mapper.placed() > 0;
    if (has_details) unused(FileSort::kOpSummary, "kernel_details.csv says the same");
    if (timeline && kernels_known) demote_unlisted(*timeline, rank.diagnostics());
    if (has_timeline_) {
      unused(FileSort::kTaskTime, "the timeline says the same");
    } else {
      for (const std::string& file : files_of(FileSort::kTaskTime)) {
        LOCKSTEP_RETURN_IF_ERROR(read_table(rank, mapper, file, kernels_known,
                                            kernels_known ? "copies, waits" : "tasks"));
      }
    }
    const std::size_t steps_before = trace_.steps.size();
    const bool has_steps = std::ranges::any_of(
        trace_.steps, [&](const Step& step) { return step.rank == rank.rank_id(); });
    if (!has_steps) mapper.add_steps();
    steps_from_table_ = trace_.steps.size() > steps_before;
    knows_cores_ = mapper.knows_cores() || !kernels_known;
    counts_ = mapper.counts();
    rank.diagnostics().add(kDuplicateCollective, Place::none(), {},
                           settle_second_records(trace_, first_row_));
    return {};
  }

  Status read_table(RankBuilder& rank, DeviceRowMapper& mapper, const std::string& file,
                    bool kernels_known, std::string note) {
    auto input = Input::open(file);
    if (!input.ok()) {
      unusable(file, input.error());
      return {};
    }
    DeviceTable table(*input.value(), file, options_, rank.diagnostics());
    if (const Status status = table.open(); !status.ok()) {
      unusable(file, status.error());
      return {};
    }
    std::string device = device_in(file);
    if (device.empty()) device = only_device(rank);
    LOCKSTEP_RETURN_IF_ERROR(mapper.read(table, device, kernels_known));
    was_cut_ |= table.was_cut() && table.sort() == TableSort::kKernels;
    rank.diagnostics().absorb(input.value()->diagnostics(), file);
    part(Use::kUsed, file, table.rows(), std::move(note));
    return {};
  }

  // The device of a timeline that has one.
  [[nodiscard]] std::string only_device(RankBuilder& rank) const {
    std::string found;
    for (const Device& device : trace_.devices) {
      if (device.rank != rank.rank_id()) continue;
      if (!found.empty()) return {};
      found = trace_.text(device.id);
    }
    return found;
  }

  // Kernels of the timeline that the table does not list must not add to those that it does. Behind
  // the cut of a table that was cut, the timeline is all there is.
  void demote_unlisted(const TimelineIndex& timeline, Diagnostics& diagnostics) {
    Time last{INT64_MIN};
    const std::vector<EventId> left = timeline.left();
    if (was_cut_) {
      std::vector<bool> is_left(trace_.events.size() - first_row_);
      for (const EventId event : left) is_left[index_of(event) - first_row_] = true;
      for (std::size_t i = first_row_; i < trace_.events.size(); ++i) {
        const bool is_listed =
            is_kernel(trace_.events.kind[i]) && trace_.on_device(i) && !is_left[i - first_row_];
        if (is_listed) last = std::max(last, trace_.events.start[i]);
      }
    }
    for (const EventId event : left) {
      const std::size_t row = index_of(event);
      if (was_cut_ && trace_.events.start[row] > last) continue;
      if (trace_.events.kind[row] == Kind::kDuplicate) continue;
      trace_.events.kind[row] = Kind::kAnnotation;
      diagnostics.add(kKernelNotInTable, Place::none(), trace_.text(trace_.events.name[row]));
    }
  }

  [[nodiscard]] std::optional<std::string> text_of(const std::string& file) {
    auto input = Input::open(file);
    if (!input.ok()) {
      unusable(file, input.error());
      return std::nullopt;
    }
    Result<std::string> text = read_text(*input.value(), file);
    if (!text.ok()) {
      unusable(file, text.error());
      return std::nullopt;
    }
    return std::move(text).value();
  }

  Status read_communication(RankBuilder& rank, const std::string& process) {
    for (const std::string& file : files_of(FileSort::kCommunication)) {
      const std::optional<std::string> json = text_of(file);
      if (!json) continue;
      const CommunicationFile parsed = parse_communication(*json);
      if (parsed.is_damaged) {
        diagnostics_.add(kUnusableFile, Place::none(),
                         name_in(bundle_, file) + " is cut off or is not JSON");
      }
      const bool is_all = trace_.events.size() == first_row_ && !has_timeline_;
      const std::uint64_t used =
          is_all ? add_as_events(rank, process, parsed.ops)
                 : describe_collectives(trace_, first_row_, parsed.ops, rank.diagnostics());
      name_lanes_by_group(trace_, first_row_);
      part(used == 0 && parsed.is_damaged ? Use::kUnused : Use::kUsed, file, used,
           "groups, bytes, transit, wait and idle time of collectives");
    }
    for (const std::string& file : files_of(FileSort::kCommunicationMatrix)) {
      const std::optional<std::string> json = text_of(file);
      if (!json) continue;
      const auto links = count_links(*json);
      if (!links) {
        unusable(file, input_error(file, "is not JSON of the expected shape"));
        continue;
      }
      keep(rank, "communication_matrix", minified(*json).value_or(""));
      part(Use::kUsed, file, *links, "kept as metadata");
    }
    return {};
  }

  void keep(RankBuilder& rank, const std::string& key, std::string json) {
    if (json.empty() || json.size() > kMaxMetadataBytes) return;
    rank.rank().metadata.push_back({key, std::move(json)});
  }

  void read_sums(RankBuilder& rank) {
    struct Sums {
      FileSort sort;
      const char* key;
    };
    for (const Sums& sums : {Sums{FileSort::kStepTraceTime, "step_trace_time"},
                             Sums{FileSort::kOpStatistic, "op_statistic"},
                             Sums{FileSort::kApiStatistic, "api_statistic"}}) {
      for (const std::string& file : files_of(sums.sort)) {
        auto input = Input::open(file);
        if (!input.ok()) {
          unusable(file, input.error());
          continue;
        }
        const Result<SummaryTable> table = read_summary_table(*input.value(), options_);
        if (!table.ok()) {
          unusable(file, table.error());
          continue;
        }
        keep(rank, sums.key, as_json(table.value()));
        const bool compares = sums.sort == FileSort::kOpStatistic && !counts_.empty();
        if (compares) compare_counts(table.value(), counts_, rank.diagnostics());
        part(Use::kUsed, file, table.value().rows.size(),
             compares ? "kept as metadata, compared with the kernels" : "kept as metadata");
      }
    }
  }

  void read_facts(RankBuilder& rank) {
    for (const std::string& file : files_of(FileSort::kProfilerInfo)) {
      const std::optional<std::string> json = text_of(file);
      if (!json) continue;
      ProfilerInfo info = parse_profiler_info(*json);
      if (info.json.empty()) {
        unusable(file, input_error(file, "is not JSON"));
        continue;
      }
      if (info.rank) {
        rank.rank().number = info.rank;
        rank.rank().number_from = RankEvidence::kMetadata;
      }
      level_ = info.level;
      keep(rank, "profiler_info", std::move(info.json));
      part(Use::kUsed, file, 0, level_.empty() ? "rank" : "rank, " + level_);
    }
    for (const std::string& file : files_of(FileSort::kProfilerMetadata)) {
      const std::optional<std::string> json = text_of(file);
      if (!json) continue;
      const auto text = minified(*json);
      if (!text) {
        unusable(file, input_error(file, "is not JSON"));
        continue;
      }
      keep(rank, "profiler_metadata", *text);
      part(Use::kUsed, file, 0, "kept as metadata");
    }
  }

  void missing(const std::string& name, std::string note) {
    parts_.push_back({Use::kMissing, name, 0, std::move(note)});
  }

  void list_the_rest() {
    unused(FileSort::kDatabase, "the text products say the same");
    unused(FileSort::kAnalysisDatabase, "the text products say the same");
    unused(FileSort::kOtherProduct, "no timeline in it");
    std::uint64_t raw = 0;
    for (const std::string& file : files_of(FileSort::kRaw)) {
      std::error_code failure;
      if (std::filesystem::file_size(file, failure) > 0) ++raw;
    }
    if (raw > 0) {
      parts_.push_back({Use::kUnused, "other files", raw, "raw data of the profiler or unknown"});
    }
    if (!has_timeline_) {
      const bool has_tasks = has(FileSort::kTaskTime);
      missing("trace_view.json",
              has_tasks ? "no host events, no launches" : "no host events, no copies, no launches");
      if (steps_from_table_) {
        missing("host steps", "steps are the windows of their kernels, from the column Step Id");
      }
    }
    if (!has_kernels()) {
      missing("kernel_details.csv",
              has_timeline_ ? "kernels are those of the timeline, whose types are coarser"
                            : "no kernels besides collectives");
    } else if (!knows_cores_) {
      missing("types of kernels", "Type and Accelerator Core are N/A, as at Level0");
    }
    if (!has(FileSort::kCommunication)) {
      missing("communication.json", "no groups, bytes, transit and wait times of collectives");
    }
    if (!has(FileSort::kProfilerInfo)) missing("profiler_info.json", "no rank, no settings");
  }

  Status read_database() {
    const std::vector<std::string> databases = files_of(FileSort::kDatabase);
    // ascend_... of the framework has the host's operators, msprof_... has not.
    const auto best = std::ranges::find_if(databases, [](const std::string& file) {
      return file.find("/ascend_") != std::string::npos || file.starts_with("ascend_");
    });
    const std::string& main = best == databases.end() ? databases.front() : *best;
    LOCKSTEP_RETURN_IF_ERROR(read_file_(main, trace_));
    RankBuilder rank(trace_, options_.keep_arguments);
    rank.rank().source = bundle_.root;
    for (SourcePart& known : rank.rank().parts) parts_.push_back(std::move(known));
    part(Use::kUsed, main);
    for (const std::string& file : databases) {
      if (file != main) part(Use::kUnused, file, 0, name_in(bundle_, main) + " says the same");
    }
    unused(FileSort::kAnalysisDatabase, "sums, no timeline");
    read_sums(rank);
    read_facts(rank);
    rank.diagnostics().absorb(diagnostics_, bundle_.root);
    rank.rank().parts = std::move(parts_);
    trace_.diagnostics.absorb(rank.diagnostics(), bundle_.root);
    return {};
  }

  const Bundle& bundle_;
  const ReadOptions& options_;
  const ReadFile& read_file_;
  Trace& trace_;
  BundleFiles files_;
  std::size_t first_row_ = 0;
  bool has_timeline_ = false;
  bool was_cut_ = false;
  bool knows_cores_ = true;
  bool steps_from_table_ = false;
  std::string level_;
  std::vector<KernelCount> counts_;
  std::vector<SourcePart> parts_;
  Diagnostics diagnostics_;
};

Status read_bundle(const Bundle& bundle, const ReadOptions& options, const ReadFile& read_file,
                   Trace& trace) {
  return BundleReader(bundle, options, read_file, trace).run();
}

}  // namespace
}  // namespace ascend_text

BundleFormat ascend_bundle_format() {
  return {"ascend_text", ascend_text::claim, ascend_text::read_bundle};
}

}  // namespace lockstep
