// Directories: the timeline first, the table of kernels over it, then what the other files say.
#include "formats/ascend_text/ascend_bundle.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "formats/ascend/ascend_names.h"
#include "formats/ascend/ascend_tasks.h"
#include "formats/ascend_text/ascend_text_reader.h"
#include "formats/ascend_text/bundle_facts.h"
#include "formats/ascend_text/bundle_files.h"
#include "formats/ascend_text/bundle_report.h"
#include "formats/ascend_text/communication_json.h"
#include "formats/ascend_text/defects.h"
#include "formats/ascend_text/device_row_mapper.h"
#include "formats/ascend_text/rank_slices.h"
#include "formats/ascend_text/timeline_index.h"
#include "io/input.h"

namespace lockstep::formats::ascend_text {
namespace {

constexpr std::string_view kFormatWord = "ascend_text";
class BundleReader {
 public:
  BundleReader(const shared::Bundle& bundle, const shared::ReadOptions& options,
               const shared::ReadFile& read_file, trace::Trace& trace)
      : bundle_(bundle),
        options_(options),
        read_file_(read_file),
        trace_(trace),
        files_(bundle),
        report_(bundle, files_),
        facts_(files_, options, report_),
        first_(end_of(trace)) {}

  Status run() {
    const bool has_timeline = has(FileSort::kTimeline) || has(FileSort::kMsprofTimeline) ||
                              has_kernels() || has(FileSort::kTaskTime);
    // communication.json knows the collectives only, a database all work.
    if (!has_timeline && has(FileSort::kDatabase)) return read_database();
    if (!has_timeline && !has(FileSort::kCommunication)) {
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

  Status read_text_products() {
    read_timelines();
    const std::string process = process_of_rank();
    std::optional<shared::RankBuilder> made;
    if (has_timeline_) {
      trace_.ranks.back().source = bundle_.root;
      trace_.ranks.back().format = kFormatWord;
      made.emplace(trace_, options_.keep_arguments);
    } else {
      made.emplace(trace_, bundle_.root, kFormatWord, options_.keep_arguments);
    }
    shared::RankBuilder& rank = *made;
    LOCKSTEP_RETURN_IF_ERROR(read_tables(rank, process));
    read_communication(rank, process);
    if (trace_.events.size() == first_.events) {
      rank.discard();
      return has(FileSort::kDatabase) ? read_database() : nothing_read();
    }
    facts_.read_sums(rank, counts_);
    facts_.read_settings(rank);
    list_the_rest();
    report_.hand_over(rank);
    rank.finish();
    return {};
  }

  [[nodiscard]] Error nothing_read() const {
    return input_error(bundle_.root, "is an Ascend profile in which nothing can be read",
                       report_.first_defect());
  }

  // The process that the timeline has put its device lanes in, else the one in the folder's name.
  [[nodiscard]] std::string process_of_rank() const {
    if (has_timeline_) {
      for (const trace::Track& track : trace_.tracks) {
        const bool is_ours = trace::index_of(trace_.rank_of(track)) + 1 == trace_.ranks.size();
        if (!is_ours || track.side != trace::Track::Side::kDevice) continue;
        return std::string(trace_.text(trace_.processes[trace::index_of(track.process)].id.text));
      }
    }
    return process_in(bundle_.root);
  }

  // trace_view.json, or the slices of msprof's timeline.
  void read_timelines() {
    const bool is_torch = has(FileSort::kTimeline);
    const auto& files = files_.of(is_torch ? FileSort::kTimeline : FileSort::kMsprofTimeline);
    for (const std::string& file : files) read_slice(file);
    if (files.size() > 1 && has_timeline_) {
      Diagnostics diagnostics;
      join_across_slices(trace_, first_.events, first_.flows, diagnostics);
      trace_.diagnostics.absorb(diagnostics, bundle_.root);
    }
    if (is_torch)
      report_.unused(FileSort::kMsprofTimeline, "trace_view.json says the same and more");
  }

  // A slice that cannot be read, or that cannot be one of this timeline, leaves the others alone.
  void read_slice(const std::string& file) {
    const TraceEnd before = end_of(trace_);
    const Status status = read_file_(file, trace_);
    const std::uint64_t read = trace_.events.size() - before.events;
    SliceFit fit = SliceFit::kFits;
    if (status.ok() && has_timeline_) fit = fold_last_rank(trace_);
    if (!status.ok()) {
      report_.unusable(file, status.error());
    } else if (fit == SliceFit::kOtherClock) {
      report_.unusable(file, input_error(file, "is a slice of a timeline on another clock"));
    } else if (fit == SliceFit::kFarAway) {
      report_.unusable(file, input_error(file, "is a slice that lies days away from the first"));
    } else {
      has_timeline_ = true;
      report_.used(file, read, "host events, launches, copies, waits");
      return;
    }
    cut_back(trace_, before);
  }

  Status read_tables(shared::RankBuilder& rank, const std::string& process) {
    std::optional<TimelineIndex> timeline;
    if (has_timeline_) timeline.emplace(trace_, first_.events);
    DeviceRowMapper mapper(rank, timeline ? &*timeline : nullptr, process);
    const bool has_details = has(FileSort::kKernelDetails);
    const FileSort authority = has_details ? FileSort::kKernelDetails : FileSort::kOpSummary;
    for (const std::string& file : files_.of(authority)) {
      LOCKSTEP_RETURN_IF_ERROR(read_table(rank, mapper, file, false, "kernels and collectives"));
    }
    const bool kernels_known = mapper.placed() > 0;
    if (has_details) report_.unused(FileSort::kOpSummary, "kernel_details.csv says the same");
    if (timeline && kernels_known) demote_unlisted(*timeline, rank.diagnostics());
    if (has_timeline_) {
      report_.unused(FileSort::kTaskTime, "the timeline says the same");
    } else {
      for (const std::string& file : files_.of(FileSort::kTaskTime)) {
        LOCKSTEP_RETURN_IF_ERROR(read_table(rank, mapper, file, kernels_known,
                                            kernels_known ? "copies, waits" : "tasks"));
      }
    }
    const std::size_t steps_before = trace_.steps.size();
    const bool has_steps = std::ranges::any_of(
        trace_.steps, [&](const trace::Step& step) { return step.rank == rank.rank_id(); });
    if (!has_steps) mapper.add_steps();
    steps_from_table_ = trace_.steps.size() > steps_before;
    knows_cores_ = mapper.knows_cores() || !kernels_known;
    counts_ = mapper.counts();
    rank.diagnostics().add(ascend::kDuplicateCollective, Place::none(), {},
                           ascend::settle_second_records(trace_, first_.events));
    return {};
  }

  Status read_table(shared::RankBuilder& rank, DeviceRowMapper& mapper, const std::string& file,
                    bool kernels_known, std::string note) {
    auto input = io::Input::open(file);
    if (!input.ok()) {
      report_.unusable(file, input.error());
      return {};
    }
    DeviceTable table(*input.value(), file, options_, rank.diagnostics());
    if (const Status status = table.open(); !status.ok()) {
      report_.unusable(file, status.error());
      return {};
    }
    std::string device = device_in(file);
    if (device.empty()) device = only_device(rank);
    LOCKSTEP_RETURN_IF_ERROR(mapper.read(table, device, kernels_known));
    was_cut_ |= table.was_cut() && table.sort() == TableSort::kKernels;
    rank.diagnostics().absorb(input.value()->diagnostics(), file);
    report_.used(file, table.rows(), std::move(note));
    return {};
  }

  // The device of a timeline that has one.
  [[nodiscard]] std::string only_device(shared::RankBuilder& rank) const {
    std::string found;
    for (const trace::Device& device : trace_.devices) {
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
    const std::vector<trace::EventId> left = timeline.left();
    if (was_cut_) {
      std::vector<bool> is_left(trace_.events.size() - first_.events);
      for (const trace::EventId event : left)
        is_left[trace::index_of(event) - first_.events] = true;
      for (std::size_t i = first_.events; i < trace_.events.size(); ++i) {
        const bool is_listed = trace::is_kernel(trace_.events.kind[i]) && trace_.on_device(i) &&
                               !is_left[i - first_.events];
        if (is_listed) last = std::max(last, trace_.events.start[i]);
      }
    }
    for (const trace::EventId event : left) {
      const std::size_t row = trace::index_of(event);
      if (was_cut_ && trace_.events.start[row] > last) continue;
      if (trace_.events.kind[row] == trace::Kind::kDuplicate) continue;
      trace_.events.kind[row] = trace::Kind::kAnnotation;
      diagnostics.add(kKernelNotInTable, Place::none(), trace_.text(trace_.events.name[row]));
    }
  }

  void read_communication(shared::RankBuilder& rank, const std::string& process) {
    for (const std::string& file : files_.of(FileSort::kCommunication)) {
      const std::optional<std::string> json = text_of(file, report_);
      if (!json) continue;
      const CommunicationFile parsed = parse_communication(*json);
      const bool is_all = trace_.events.size() == first_.events && !has_timeline_;
      const std::uint64_t used =
          is_all ? add_as_events(rank, process, parsed.ops)
                 : describe_collectives(trace_, first_.events, parsed.ops, rank.diagnostics());
      name_lanes_by_group(trace_, first_.events);
      if (used == 0 && parsed.is_damaged) {
        report_.unusable(file, input_error(file, "is cut off or is not JSON"));
        continue;
      }
      if (parsed.is_damaged) report_.damaged(file, "is cut off or is not JSON");
      report_.used(file, used, "groups, bytes, transit, wait and idle time of collectives");
    }
    facts_.read_links(rank);
  }

  void list_the_rest() {
    report_.unused(FileSort::kDatabase, "the text products say the same");
    report_.unused(FileSort::kAnalysisDatabase, "the text products say the same");
    report_.unused(FileSort::kOtherProduct, "no timeline in it");
    report_.other_files();
    if (!has_timeline_) {
      const bool has_tasks = has(FileSort::kTaskTime);
      report_.missing("trace_view.json", has_tasks ? "no host events, no launches"
                                                   : "no host events, no copies, no launches");
      if (steps_from_table_) {
        report_.missing("host steps",
                        "steps are the windows of their kernels, from the column Step Id");
      }
    }
    if (!has_kernels()) {
      report_.missing("kernel_details.csv",
                      has_timeline_ ? "kernels are those of the timeline, whose types are coarser"
                                    : "no kernels besides collectives");
    } else if (!has(FileSort::kKernelDetails)) {
      report_.missing("kernel_details.csv", kWithoutKernelDetails);
    }
    if (has_kernels() && !knows_cores_) {
      report_.missing("types of kernels", "Type and Accelerator Core are N/A, as at Level0");
    }
    if (!has(FileSort::kCommunication)) {
      report_.missing("communication.json",
                      "no groups, bytes, transit and wait times of collectives");
    }
    if (!has(FileSort::kProfilerInfo))
      report_.missing("profiler_info.json", "no rank, no settings");
  }

  Status read_database() {
    const std::vector<std::string> databases = files_.of(FileSort::kDatabase);
    // ascend_... of the framework has the host's operators, msprof_... has not.
    const auto best = std::ranges::find_if(databases, [](const std::string& file) {
      return file.find("/ascend_") != std::string::npos || file.starts_with("ascend_");
    });
    const std::string& main = best == databases.end() ? databases.front() : *best;
    LOCKSTEP_RETURN_IF_ERROR(read_file_(main, trace_));
    shared::RankBuilder rank(trace_, options_.keep_arguments);
    rank.rank().source = bundle_.root;
    report_.take_over(rank.rank().parts);
    report_.used(main);
    for (const std::string& file : databases) {
      if (file != main) report_.unused(file, name_in(bundle_, main) + " says the same");
    }
    report_.unused(FileSort::kAnalysisDatabase, "sums, no timeline");
    report_.unused(FileSort::kCommunication, "the database knows the collectives");
    facts_.read_sums(rank, {});
    facts_.read_settings(rank);
    report_.hand_over(rank);
    trace_.diagnostics.absorb(rank.diagnostics(), bundle_.root);
    return {};
  }

  const shared::Bundle& bundle_;
  const shared::ReadOptions& options_;
  const shared::ReadFile& read_file_;
  trace::Trace& trace_;
  BundleFiles files_;
  BundleReport report_;
  BundleFacts facts_;
  TraceEnd first_;  // what lies before is of other ranks
  bool has_timeline_ = false;
  bool was_cut_ = false;
  bool knows_cores_ = true;
  bool steps_from_table_ = false;
  std::vector<KernelCount> counts_;
};

Status read_bundle(const shared::Bundle& bundle, const shared::ReadOptions& options,
                   const shared::ReadFile& read_file, trace::Trace& trace) {
  return BundleReader(bundle, options, read_file, trace).run();
}

}  // namespace

shared::BundleFormat ascend_bundle_format() { return {"ascend_text", claim, read_bundle}; }

}  // namespace lockstep::formats::ascend_text
