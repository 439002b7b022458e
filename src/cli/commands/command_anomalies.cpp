// Parses the words of `anomalies`, finds them, and hands them to the sinks that were asked for.
#include "cli/commands/command_anomalies.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/anomalies/anomalies.h"
#include "analysis/summary/summary.h"
#include "base/threads/on_threads.h"
#include "cli/console.h"
#include "cli/options/anomalies_options.h"
#include "cli/options/selection_options.h"
#include "cli/options/shared_options.h"
#include "cli/outputs/extra_output.h"
#include "formats/input/load.h"
#include "report/anomalies/anomalies_annotate.h"
#include "report/anomalies/anomalies_json.h"
#include "report/anomalies/anomalies_markdown.h"
#include "report/anomalies/anomalies_text.h"

namespace lockstep::cli {
namespace {

class AnomaliesCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "anomalies"; }
  [[nodiscard]] std::string_view arguments() const override { return "INPUT... [options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "find where a device idles or starves, and what may be behind it";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Finds the gaps (bubbles) in the work of every device, step by step: before a step's "
           "first\n"
           "kernel, inside it, behind it and between steps. That a bubble is there is a fact; "
           "what\n"
           "the host did in it, who launched the kernel after it and which part of that came late "
           "is\n"
           "told with it; what may be behind it is a guess with its grade. Steps that stand out "
           "of\n"
           "their group, places that stall again and again, waits that only look like work, and "
           "idle\n"
           "time that is an artefact of the recording are named.\n"
           "\n"
           "An INPUT is a file, a directory of traces, or - for standard input. Several inputs "
           "are\n"
           "ranks of one run.\n"
           "\n"
           "Examples:\n"
           "  lockstep anomalies trace.json.gz\n"
           "  lockstep anomalies trace.json.gz --bubbles 3 --markdown stalls.md\n"
           "  lockstep anomalies trace.json.gz --annotate with_bubbles.pftrace\n"
           "  lockstep anomalies trace.json.gz --threshold heavy_gap_us=500 --fail-on P1\n"
           "  lockstep anomalies --json trace.json.gz | jq '.anomaly_discovery.findings[].text'";
  }

  void add_options(OptionTable& table) override {
    table.add(inputs_option(inputs_));
    table.add(json_option(json_, "lockstep.anomalies/2"));
    table.add({.names = "--brief",
               .target = &brief_,
               .help = "print the five answers and the findings only",
               .details = "of the text, only the five answers and the findings"});
    markdown_.add_to(table);
    annotate_.add_to(table);
    flags_.add_to(table);
    selection_.add_places_to(table);
    table.add(full_names_option(full_names_));
    shared_.add_to(table);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    if (inputs_.empty()) return needs_trace(name());
    LOCKSTEP_RETURN_IF_ERROR(check_inputs(inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(const analysis::anomalies::AnomaliesOptions options,
                              flags_.resolve());
    LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<analysis::anomalies::Priority> fail_on,
                              flags_.fail_on());
    LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<report::anomalies::BubbleLimit> bubbles,
                              flags_.bubbles());
    LOCKSTEP_RETURN_IF_ERROR(outputs_.open(inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(formats::input::LoadedTrace loaded,
                              formats::input::load(inputs_, load_options()));
    LOCKSTEP_RETURN_IF_ERROR(outputs_.check(loaded.inputs));
    // Of the whole trace: the input is not to blame for what a selection leaves out. Beside the
    // search, which only reads, where nothing is left out.
    std::future<Diagnostics> checking =
        run_beside("check", [&] { return analysis::summary::check(loaded.trace); });
    if (selection_.is_given()) checking.wait();
    LOCKSTEP_RETURN_IF_ERROR(selection_.apply(loaded.trace));
    const analysis::anomalies::Anomalies anomalies =
        analysis::anomalies::find_anomalies(loaded.trace, options);
    const Diagnostics diagnostics = checking.get();
    if (anomalies.devices.empty()) return no_kernels(inputs_, selection_, diagnostics);
    const report::anomalies::AnomaliesReport report{anomalies, options, loaded.trace,
                                                    loaded.inputs};
    if (json_ && !outputs_.is_any_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(
          print_json(report, bubbles.value_or(report::anomalies::kBubblesPerGroup)));
      warn_about(diagnostics, loaded.inputs.size());
      return ended(anomalies, fail_on, diagnostics);
    }
    std::string out = rendered(report, bubbles);
    LOCKSTEP_RETURN_IF_ERROR(write_files(report, bubbles, loaded.trace));
    if (!json_) out = outputs_.with_lines(std::move(out));
    LOCKSTEP_RETURN_IF_ERROR(outputs_.close());
    LOCKSTEP_RETURN_IF_ERROR(print(out));
    warn_about(diagnostics, loaded.inputs.size());
    return ended(anomalies, fail_on, diagnostics);
  }

 private:
  [[nodiscard]] formats::input::LoadOptions load_options() const {
    formats::input::LoadOptions options = shared_.load_options();
    // What is written again is written whole.
    options.keep_arguments =
        annotate_.is_asked() ? trace::KeepArguments::kAll : trace::KeepArguments::kEvidence;
    return options;
  }

  [[nodiscard]] std::string rendered(const report::anomalies::AnomaliesReport& report,
                                     std::optional<report::anomalies::BubbleLimit> bubbles) const {
    if (json_)
      return report::anomalies::anomalies_json(
          report, bubbles.value_or(report::anomalies::kBubblesPerGroup));
    return report::anomalies::anomalies_text(report, bubbles, brief_, console_style(full_names_));
  }

  // As it is made: of thousands of devices it is more than what was found.
  [[nodiscard]] static Status print_json(const report::anomalies::AnomaliesReport& report,
                                         report::anomalies::BubbleLimit bubbles) {
    return print_by([&](io::ByteSink& out) {
      return report::anomalies::write_anomalies_json(report, bubbles, out);
    });
  }

  [[nodiscard]] Status write_files(const report::anomalies::AnomaliesReport& report,
                                   std::optional<report::anomalies::BubbleLimit> bubbles,
                                   trace::Trace& trace) {
    if (markdown_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(markdown_.write(report::anomalies::anomalies_markdown(
          report, bubbles.value_or(report::anomalies::kBubblesPerGroup))));
    }
    if (!annotate_.is_asked()) return {};
    const std::size_t before = trace.events.size();
    report::anomalies::annotate_anomalies(report.anomalies, trace);
    return annotate_.write(trace, before);
  }

  // Losses of an input make what was found doubtful: they come before it.
  [[nodiscard]] ExitCode ended(const analysis::anomalies::Anomalies& anomalies,
                               std::optional<analysis::anomalies::Priority> fail_on,
                               const Diagnostics& diagnostics) const {
    const ExitCode code = shared_.exit_code(diagnostics);
    if (code != ExitCode::kDone || !fail_on || !report::anomalies::has_finding(anomalies, *fail_on))
      return code;
    complain(fmt::format("something of priority {} or higher was found", name_of(*fail_on)));
    return ExitCode::kFinding;
  }

  std::vector<std::string> inputs_;
  bool json_ = false;
  bool full_names_ = false;
  bool brief_ = false;
  ExtraOutput markdown_{OutputKind::kMarkdown, "also write a report with all details",
                        "also a report that stands by itself: all devices, steps, findings with "
                        "their evidence, drawings, thresholds"};
  ExtraOutput annotate_ = ExtraOutput::annotated("steps, bubbles and tags");
  ExtraOutputs outputs_{&markdown_, &annotate_};
  AnomaliesFlags flags_;
  SelectionOptions selection_;
  SharedOptions shared_;
};

}  // namespace

std::unique_ptr<Subcommand> make_anomalies_command() {
  return std::make_unique<AnomaliesCommand>();
}

}  // namespace lockstep::cli
