// Parses the words of `cycles`, finds the loops, and hands them to the sinks that were asked for.
#include "cli/commands/command_cycles.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/cycles/cycles.h"
#include "analysis/summary/summary.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/options/cycles_options.h"
#include "cli/options/output_formats.h"
#include "cli/options/selection_options.h"
#include "cli/options/shared_options.h"
#include "cli/outputs/output_checks.h"
#include "formats/input/load.h"
#include "io/byte_sink.h"
#include "report/cycles/cycles_annotate.h"
#include "report/cycles/cycles_csv.h"
#include "report/cycles/cycles_json.h"
#include "report/cycles/cycles_page.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/cycles_xlsx.h"
#include "report/layout/quantities.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kCsvDetails =
    "also one CSV file a loop into this folder, which is made where it is missing. Files of equal "
    "loops end in `_2`, `_3`; the cycle time in their head is kernel time, as scripts for such "
    "files expect";
constexpr std::string_view kXlsxDetails =
    "also a workbook: all loops, all phases, and a sheet for the body of each shown loop, 250 "
    "sheets at most; what is left out is said in the last row";
constexpr std::string_view kAnnotateDetails =
    "also the trace (or the selected part) as Perfetto, with tracks for what was found; "
    "`.pftrace`, `.perfetto-trace`, `.perfetto` or `.pb`, and `.gz` or `.zst` after it";

class CyclesCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "cycles"; }
  [[nodiscard]] std::string_view arguments() const override { return "INPUT... [options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "find the loops that a device runs: steps, forward passes, layers";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Finds what repeats in the kernels of every device stream, without markers or stacks, "
           "also\n"
           "in graph replays: steps, forward passes and layers, with exact iteration times, what\n"
           "phase they belong to (prefill, decode, forward, backward, ...) and on which evidence,\n"
           "regimes, outliers, and the kernels that take the time.\n"
           "\n"
           "An INPUT is a file, a directory of traces, or - for standard input. Several inputs "
           "are\n"
           "ranks of one run.\n"
           "\n"
           "Examples:\n"
           "  lockstep cycles trace.json.gz\n"
           "  lockstep cycles trace.json.gz --mode decode --csv cycles/\n"
           "  lockstep cycles trace.json.gz --annotate with_passes.pftrace\n"
           "  lockstep cycles --json trace.json.gz | jq '.streams[].loops[] | {role, period}'";
  }

  void add_options(OptionTable& table) override {
    table.add(inputs_option(inputs_));
    table.add(json_option(json_, "lockstep.cycles/1"));
    table.add({.names = "--csv",
               .target = &csv_,
               .value = "DIR",
               .help = "also write one CSV file a loop into this folder",
               .details = std::string(kCsvDetails),
               .completion = Completion::kFolder});
    table.add({.names = "--xlsx",
               .target = &xlsx_,
               .value = "FILE",
               .help = "also write a workbook",
               .details = std::string(kXlsxDetails),
               .completion = Completion::kFile});
    table.add({.names = "--annotate",
               .target = &annotate_,
               .value = "OUT",
               .help = "also write the trace as Perfetto, with tracks for what was found",
               .details = std::string(kAnnotateDetails),
               .completion = Completion::kFile});
    Option top = top_option(&top_, "positions to list");
    top.details = "positions of the main loop, and of the layers in it, to list; 0 for all";
    table.add(std::move(top));
    table.add({.names = "--all",
               .target = &all_,
               .help = "show also short loops and quiet streams",
               .details = "show also the loops and streams that the text leaves out"});
    flags_.add_to(table);
    selection_.add_places_to(table);
    shared_.add_to(table);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    if (inputs_.empty()) return needs_trace(name());
    LOCKSTEP_RETURN_IF_ERROR(check_inputs(inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(const analysis::cycles::CyclesOptions options, flags_.resolve());
    LOCKSTEP_RETURN_IF_ERROR(open_outputs());
    LOCKSTEP_ASSIGN_OR_RETURN(formats::input::LoadedTrace loaded,
                              formats::input::load(inputs_, load_options()));
    LOCKSTEP_RETURN_IF_ERROR(check_outputs(loaded.inputs));
    // Of the whole trace: the input is not to blame for what a selection leaves out.
    const Diagnostics diagnostics = analysis::summary::summarize(loaded.trace).diagnostics;
    LOCKSTEP_RETURN_IF_ERROR(selection_.apply(loaded.trace));
    const analysis::cycles::Cycles cycles = analysis::cycles::find_cycles(loaded.trace, options);
    if (cycles.streams.empty()) return no_kernels(inputs_, selection_);
    std::string written;
    LOCKSTEP_RETURN_IF_ERROR(write_files(cycles, loaded.trace, written));
    const std::string out = rendered(cycles, options, loaded.inputs, written);
    if (csv_) LOCKSTEP_RETURN_IF_ERROR(write_folder(*csv_, csv_files_));
    LOCKSTEP_RETURN_IF_ERROR(close_all({xlsx_sink_.get(), annotate_sink_.get()}));
    LOCKSTEP_RETURN_IF_ERROR(print(out));
    warn_about(diagnostics, loaded.inputs.size());
    if (const std::string words = report::cycles::left_out_words(cycles); !words.empty())
      complain(words);
    return shared_.exit_code(diagnostics);
  }

 private:
  [[nodiscard]] formats::input::LoadOptions load_options() const {
    formats::input::LoadOptions options = shared_.load_options();
    // What is written again is written whole.
    if (annotate_) options.keep_arguments = trace::KeepArguments::kAll;
    return options;
  }

  // Before the reading: an output that cannot be written is told at once.
  [[nodiscard]] Status open_outputs() {
    if (xlsx_ && annotate_) {
      LOCKSTEP_RETURN_IF_ERROR(check_two_outputs({"--xlsx", *xlsx_}, {"--annotate", *annotate_}));
    }
    if (csv_) LOCKSTEP_RETURN_IF_ERROR(check_extra_output("--csv", *csv_, inputs_));
    if (xlsx_) {
      LOCKSTEP_RETURN_IF_ERROR(check_extra_output("--xlsx", *xlsx_, inputs_));
      LOCKSTEP_RETURN_IF_ERROR(check_xlsx_name(*xlsx_));
      LOCKSTEP_ASSIGN_OR_RETURN(xlsx_sink_, io::open_output(*xlsx_));
    }
    if (annotate_) {
      LOCKSTEP_RETURN_IF_ERROR(check_extra_output("--annotate", *annotate_, inputs_));
      LOCKSTEP_ASSIGN_OR_RETURN(format_, choose_annotated_format(*annotate_));
      LOCKSTEP_ASSIGN_OR_RETURN(annotate_sink_, io::open_output(*annotate_));
    }
    return {};
  }

  // A directory names its files only after the reading.
  [[nodiscard]] Status check_outputs(const std::vector<formats::input::InputFacts>& inputs) const {
    if (xlsx_) LOCKSTEP_RETURN_IF_ERROR(check_extra_output("--xlsx", *xlsx_, inputs));
    if (annotate_) LOCKSTEP_RETURN_IF_ERROR(check_extra_output("--annotate", *annotate_, inputs));
    return {};
  }

  // Into sinks that are not closed yet. Appends a line on each output to `written`.
  [[nodiscard]] Status write_files(const analysis::cycles::Cycles& cycles, trace::Trace& trace,
                                   std::string& written) {
    if (csv_) {
      csv_files_ = report::cycles::cycles_csv(cycles);
      written += wrote_line(*csv_, counted(csv_files_.size(), "file"));
    }
    if (xlsx_) {
      const std::vector<report::sinks::XlsxSheet> sheets =
          report::cycles::cycles_sheets(cycles, all_);
      LOCKSTEP_RETURN_IF_ERROR(report::sinks::write_xlsx(sheets, *xlsx_sink_));
      written += wrote_line(*xlsx_, counted(sheets.size(), "sheet"));
    }
    if (annotate_) {
      const std::size_t before = trace.events.size();
      report::cycles::annotate_cycles(cycles, trace);
      LOCKSTEP_RETURN_IF_ERROR(format_->write(trace, *annotate_sink_));
      written +=
          wrote_line(*annotate_, fmt::format("{} events and {}", grouped(before),
                                             counted(trace.events.size() - before, "annotation")));
    }
    return {};
  }

  [[nodiscard]] std::string rendered(const analysis::cycles::Cycles& cycles,
                                     const analysis::cycles::CyclesOptions& options,
                                     const std::vector<formats::input::InputFacts>& inputs,
                                     const std::string& written) const {
    if (json_) return report::cycles::cycles_json(cycles, options, inputs);
    const std::string text =
        report::cycles::cycles_text(cycles, inputs, {top_, all_}, console_style());
    return written.empty() ? text : text + "\n" + written;
  }

  std::vector<std::string> inputs_;
  bool json_ = false;
  bool all_ = false;
  std::optional<std::string> csv_;
  std::optional<std::string> xlsx_;
  std::optional<std::string> annotate_;
  std::uint32_t top_ = 10;
  const OutputFormat* format_ = nullptr;
  std::vector<report::cycles::CsvFile> csv_files_;
  std::unique_ptr<io::ByteSink> xlsx_sink_;
  std::unique_ptr<io::ByteSink> annotate_sink_;
  CyclesFlags flags_;
  SelectionOptions selection_;
  SharedOptions shared_;
};

}  // namespace

std::unique_ptr<Subcommand> make_cycles_command() { return std::make_unique<CyclesCommand>(); }

}  // namespace lockstep::cli
