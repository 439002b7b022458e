// Parses the words of `info`, summarizes, and hands the result to a sink.
#include "cli/commands/command_info.h"

#include <memory>
#include <optional>
#include <string>

#include "analysis/summary/summary.h"
#include "cli/console.h"
#include "cli/options/shared_options.h"
#include "cli/outputs/extra_output.h"
#include "formats/input/load.h"
#include "report/info/info_csv.h"
#include "report/info/info_json.h"
#include "report/info/info_page.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kCsvDetails =
    "the table of kernels as CSV: `name,count,total_ns,min_ns,max_ns`, quoted as in RFC 4180; a "
    "name that begins with `=`, `+`, `-` or `@`, which spreadsheets would run as a formula, has a "
    "`'` before it";

// Empty when it is; the rest is shown after the option's name.
std::string is_count(const std::string& text) {
  const bool is_number = !text.empty() && text.size() <= 9 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : "'" + text + "' is not a number of kernels";
}

class InfoCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "info"; }
  [[nodiscard]] std::string_view arguments() const override { return "INPUT... [options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "say what is in a trace, and whether it is whole";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Reads traces and prints what they hold: format and sizes, ranks, devices and streams\n"
           "with exact busy time, steps, annotations, collectives, the kernels that take the most\n"
           "time, and everything that was repaired, dropped or looks suspicious.\n"
           "\n"
           "An INPUT is a file, a directory of traces, or - for standard input; gzip and zstd are\n"
           "read as they are. Several inputs are ranks of one run.\n"
           "\n"
           "Examples:\n"
           "  lockstep info trace.json.gz\n"
           "  lockstep info --json rank*.json.gz | jq .device_busy_ns\n"
           "  lockstep info --csv trace.json.gz > kernels.csv";
  }

  void add_options(OptionTable& table) override {
    table.add(inputs_option(inputs_));
    table.add(json_option(json_, "lockstep.info/2"));
    table.add({.names = "--csv",
               .target = &csv_,
               .help = "print the table of kernels as CSV",
               .details = std::string(kCsvDetails)});
    markdown_.add_to(table);
    Option top = top_option(&top_, "kernels to list");
    top.default_text = "10, with --csv all";
    top.check = is_count;
    table.add(std::move(top));
    table.add(full_names_option(full_names_));
    shared_.add_to(table);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    if (inputs_.empty()) return needs_trace(name());
    if (json_ && csv_) return cannot_be_together("--json", "--csv");
    LOCKSTEP_RETURN_IF_ERROR(check_inputs(inputs_));
    LOCKSTEP_RETURN_IF_ERROR(outputs_.open(inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(const formats::input::LoadedTrace loaded,
                              formats::input::load(inputs_, shared_.load_options()));
    LOCKSTEP_RETURN_IF_ERROR(outputs_.check(loaded.inputs));
    const analysis::summary::Summary summary =
        analysis::summary::summarize(loaded.trace, summary_options());
    if (markdown_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(
          markdown_.write(report::info::info_markdown(summary, loaded.inputs)));
    }
    LOCKSTEP_RETURN_IF_ERROR(print_report(summary, loaded));
    // The text has its own section on health; a program that reads the others does not show it.
    if (json_ || csv_) warn_about(summary.diagnostics, loaded.inputs.size());
    return shared_.exit_code(summary.diagnostics);
  }

 private:
  [[nodiscard]] analysis::summary::SummaryOptions summary_options() const {
    analysis::summary::SummaryOptions options;
    if (csv_) options.top = analysis::summary::SummaryOptions::kAllKernels;
    if (top_) options.top = *top_ == 0 ? analysis::summary::SummaryOptions::kAllKernels : *top_;
    return options;
  }

  // A file appears when all of it is made.
  [[nodiscard]] Status print_report(const analysis::summary::Summary& summary,
                                    const formats::input::LoadedTrace& loaded) {
    if (json_) {
      return print_by([&](io::ByteSink& out) -> Status {
        LOCKSTEP_RETURN_IF_ERROR(report::info::write_info_json(summary, loaded.inputs, out));
        return outputs_.close();
      });
    }
    const std::string text = rendered(summary, loaded);
    LOCKSTEP_RETURN_IF_ERROR(outputs_.close());
    return print(text);
  }

  [[nodiscard]] std::string rendered(const analysis::summary::Summary& summary,
                                     const formats::input::LoadedTrace& loaded) const {
    if (csv_) return report::info::info_csv(summary);
    return outputs_.with_lines(
        report::info::info_text(summary, loaded.inputs, console_style(full_names_)));
  }

  std::vector<std::string> inputs_;
  bool json_ = false;
  bool full_names_ = false;
  bool csv_ = false;
  ExtraOutput markdown_{OutputKind::kMarkdown};
  ExtraOutputs outputs_{&markdown_};
  std::optional<std::uint32_t> top_;
  SharedOptions shared_;
};

}  // namespace

std::unique_ptr<Subcommand> make_info_command() { return std::make_unique<InfoCommand>(); }

}  // namespace lockstep::cli
