// Parses the words of `compare`, finds the loops of both traces, compares them, and hands the
// result to the sinks that were asked for.
#include "cli/commands/command_compare.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/compare/compare.h"
#include "analysis/summary/summary.h"
#include "cli/commands/compare_mode.h"
#include "cli/console.h"
#include "cli/options/cycles_options.h"
#include "cli/options/selection_options.h"
#include "cli/options/shared_options.h"
#include "cli/options/value_checks.h"
#include "cli/outputs/extra_output.h"
#include "formats/input/load.h"
#include "report/compare/compare_csv.h"
#include "report/compare/compare_json.h"
#include "report/compare/compare_page.h"
#include "report/compare/compare_view.h"
#include "report/compare/compare_xlsx.h"
#include "report/cycles/cycles_view.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kFailOnDetails =
    "exit with 1 when the iterations of a matched pair got slower by more than this and beyond "
    "noise (any number from 0; 100 is twice as long); the total decides nothing; which, is said on "
    "standard error";
constexpr std::string_view kComparedModeDetails =
    "`prefill` and `decode` compare only the loops and segments of that phase (a single prefill is "
    "a segment); where neither trace has any, the loops without a phase that [cycles](cycles.md) "
    "selects by their place. Only these are in the total, and p is adjusted for them alone. "
    "Default `auto`, all";

// One of the two traces, and its loops.
struct Side {
  formats::input::LoadedTrace loaded;
  Diagnostics diagnostics;
  analysis::cycles::Cycles cycles;
};

class CompareCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "compare"; }
  [[nodiscard]] std::string_view arguments() const override { return "A B [options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "say what changed between two traces, kernel by kernel";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Finds the loops of both traces (see 'lockstep cycles --help') and the stretches "
           "between\n"
           "them, pairs those that do the same, aligns their kernels, also where several became "
           "one,\n"
           "and says for every difference whether it is beyond noise. The rows of a pair add up "
           "to\n"
           "the change of its iteration, to the nanosecond; idle time and overlap are rows too.\n"
           "\n"
           "A and B are traces in any format, of any vendor, or - for standard input.\n"
           "\n"
           "Examples:\n"
           "  lockstep compare before.json.gz after.json.gz\n"
           "  lockstep compare eager.json.gz compiled.json.gz --xlsx changes.xlsx\n"
           "  lockstep compare main.json.gz branch.json.gz --fail-on-regression 3";
  }

  void add_options(OptionTable& table) override {
    table.add({.names = "INPUT",
               .target = &inputs_,
               .help = "two traces",
               .completion = Completion::kFile});
    table.add(json_option(json_, "lockstep.compare/2"));
    csv_.add_to(table);
    xlsx_.add_to(table);
    markdown_.add_to(table);
    table.add({.names = "--fail-on-regression",
               .target = &fail_on_,
               .value = "PCT",
               .help = "exit 1 when iterations got slower by more than this, beyond noise",
               .details = std::string(kFailOnDetails),
               .check = is_any_percentage});
    Option top = top_option(&top_, "rows of each pair to list");
    top.details = "lines of each pair to list, the largest changes first; 0 for all of all pairs";
    table.add(std::move(top));
    table.add({.names = "--pair-phases",
               .target = &pair_phases_,
               .help = "compare prefill with decode, too",
               .details =
                   "let a prefill of one trace be the partner of a decode of the other, which "
                   "are never paired otherwise"});
    add_thresholds(table);
    flags_.add_to(table, kComparedModeDetails);
    table.add(full_names_option(full_names_));
    shared_.add_to(table);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    LOCKSTEP_RETURN_IF_ERROR(check_words());
    LOCKSTEP_ASSIGN_OR_RETURN(const analysis::cycles::CyclesOptions options, flags_.resolve());
    LOCKSTEP_ASSIGN_OR_RETURN(analysis::compare::CompareOptions thresholds, resolve_thresholds());
    LOCKSTEP_RETURN_IF_ERROR(outputs_.open(inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(const Side a, read_side(inputs_[0], options));
    LOCKSTEP_ASSIGN_OR_RETURN(const Side b, read_side(inputs_[1], options));
    thresholds.keep = wanted_by(options.mode, a.cycles, b.cycles);
    const analysis::compare::Comparison comparison =
        analysis::compare::compare(a.loaded.trace, a.cycles, b.loaded.trace, b.cycles, thresholds);
    if (options.mode != analysis::cycles::CycleMode::kAuto) {
      LOCKSTEP_RETURN_IF_ERROR(check_both_there(phase_of(options.mode), comparison));
    }
    const report::compare::ComparedTraces compared{
        comparison,
        {a.cycles, a.loaded.inputs, report::compare::device_names(a.loaded.trace, a.cycles)},
        {b.cycles, b.loaded.inputs, report::compare::device_names(b.loaded.trace, b.cycles)}};
    LOCKSTEP_RETURN_IF_ERROR(write_files(compared));
    LOCKSTEP_RETURN_IF_ERROR(print_report(compared, options));
    return ended(comparison, a, b);
  }

 private:
  void add_thresholds(OptionTable& table) {
    table.add(percentage("--min-similarity", min_similarity_,
                         "pairs that are less alike stay apart",
                         "what is less alike is not paired"));
    table.add(percentage("--false-discovery-rate", false_discovery_rate_,
                         "rows called beyond noise that may be wrong",
                         "how many of the rows that are called beyond noise may be so by chance"));
    table.add(percentage("--min-change", min_change_, "smaller changes are never beyond noise",
                         "smaller changes are never called beyond noise"));
    table.add({.names = "--min-difference",
               .target = &min_difference_,
               .value = "TIME",
               .help = "nor are smaller differences",
               .default_text = min_difference_,
               .details =
                   "nor are smaller differences, by default two ticks of the coarsest device "
                   "timer"});
  }

  [[nodiscard]] Result<analysis::compare::CompareOptions> resolve_thresholds() const {
    analysis::compare::CompareOptions options;
    options.min_similarity = min_similarity_ / 100;
    options.false_discovery_rate = false_discovery_rate_ / 100;
    options.min_change = min_change_ / 100;
    const std::optional<Time> difference = parse_duration(min_difference_);
    if (!difference || difference->ps < 0) {
      return usage_error(fmt::format("--min-difference '{}' is no time", min_difference_),
                         "Give one with its unit, like 64ns or 1.5us");
    }
    options.min_difference = *difference;
    options.pair_phases = pair_phases_;
    return options;
  }

  [[nodiscard]] Status check_words() const {
    const std::string hint = "Try 'lockstep compare --help'";
    if (inputs_.empty()) return usage_error("compare needs two traces", hint);
    if (inputs_.size() == 1) {
      return usage_error(
          fmt::format("compare needs two traces, and only '{}' is given", inputs_.front()), hint);
    }
    if (inputs_.size() > 2) {
      return usage_error(fmt::format("compare takes two traces, and {} are given", inputs_.size()),
                         "Ranks of one run lie in a directory, which is one trace");
    }
    if (json_ && csv_.replaces_report()) return cannot_be_together("--json", "--csv -");
    return check_inputs(inputs_);
  }

  [[nodiscard]] Result<Side> read_side(const std::string& input,
                                       const analysis::cycles::CyclesOptions& options) const {
    Side side;
    LOCKSTEP_ASSIGN_OR_RETURN(side.loaded, formats::input::load({input}, shared_.load_options()));
    // A directory names its files only now.
    LOCKSTEP_RETURN_IF_ERROR(outputs_.check(side.loaded.inputs));
    side.diagnostics = analysis::summary::check(side.loaded.trace);
    side.cycles = analysis::cycles::find_cycles(side.loaded.trace, options);
    if (side.cycles.streams.empty()) {
      return input_error(input, "holds no kernels", no_kernels_remedy(side.diagnostics));
    }
    return side;
  }

  // Of what --mode asks for.
  [[nodiscard]] Status check_both_there(analysis::cycles::PhaseName phase,
                                        const analysis::compare::Comparison& comparison) const {
    const auto is_missing = [&](const std::optional<analysis::compare::PairSide>
                                    analysis::compare::ComparePair::* side) {
      return std::ranges::none_of(
          comparison.pairs,
          [&](const analysis::compare::ComparePair& pair) { return (pair.*side).has_value(); });
    };
    const std::string sentence = fmt::format("no {} was found", name_of(phase));
    const std::string hint = "'lockstep cycles' tells which phases are there";
    if (is_missing(&analysis::compare::ComparePair::a))
      return input_error(inputs_[0], sentence, hint);
    if (is_missing(&analysis::compare::ComparePair::b))
      return input_error(inputs_[1], sentence, hint);
    return {};
  }

  [[nodiscard]] Status write_files(const report::compare::ComparedTraces& compared) {
    if (csv_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(csv_.write(report::compare::compare_csv(compared.comparison)));
    }
    if (xlsx_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(xlsx_.write(report::compare::compare_sheets(compared.comparison)));
    }
    if (!markdown_.is_asked()) return {};
    return markdown_.write(report::compare::compare_markdown(compared, top_));
  }

  // The files appear when all of it is made.
  [[nodiscard]] Status print_report(const report::compare::ComparedTraces& compared,
                                    const analysis::cycles::CyclesOptions& options) {
    if (json_) {
      return print_by([&](io::ByteSink& out) -> Status {
        LOCKSTEP_RETURN_IF_ERROR(
            report::compare::write_compare_json(compared, options, fail_on_, out));
        return outputs_.close();
      });
    }
    const std::string out = csv_.replaces_report()
                                ? report::compare::compare_csv(compared.comparison)
                                : outputs_.with_lines(report::compare::compare_text(
                                      compared, top_, console_style(full_names_)));
    LOCKSTEP_RETURN_IF_ERROR(outputs_.close());
    return print(out);
  }

  // Losses of an input make what was found doubtful: they come before it.
  [[nodiscard]] ExitCode ended(const analysis::compare::Comparison& comparison, const Side& a,
                               const Side& b) const {
    const std::size_t inputs = a.loaded.inputs.size() + b.loaded.inputs.size();
    for (const Side* side : {&a, &b}) {
      warn_about(side->diagnostics, inputs);
      const std::string words = report::cycles::left_out_words(side->cycles);
      if (!words.empty()) complain(side->loaded.inputs.front().path + ": " + words);
    }
    std::vector<std::string> found;
    if (fail_on_) found = report::compare::regressions(comparison, *fail_on_);
    for (const std::string& sentence : found) complain(sentence);
    for (const Side* side : {&a, &b}) {
      const ExitCode code = shared_.exit_code(side->diagnostics);
      if (code != ExitCode::kDone) return code;
    }
    if (const std::string words = report::compare::nothing_compared_words(comparison);
        !words.empty()) {
      complain(words);
      return ExitCode::kUnusable;
    }
    if (fail_on_) complain_of_no_sample(comparison);
    return found.empty() ? ExitCode::kDone : ExitCode::kFinding;
  }

  // Where nothing has a sample nothing can be found slower: that passes, but not silently.
  static void complain_of_no_sample(const analysis::compare::Comparison& comparison) {
    const auto has_sample = [](const analysis::compare::ComparePair& pair) {
      return pair.p.has_value();
    };
    if (std::ranges::none_of(comparison.pairs, has_sample)) {
      complain("no pair has several iterations on both sides, so nothing can be called slower");
    }
  }

  std::vector<std::string> inputs_;
  bool json_ = false;
  bool full_names_ = false;
  ExtraOutput csv_{OutputKind::kTable, "also write all rows as one CSV table; - prints it instead",
                   "also all rows as one table; `-` prints it instead of the text"};
  ExtraOutput xlsx_{OutputKind::kWorkbook, "also write a workbook, one sheet a pair",
                    "also a workbook: a summary, and a coloured sheet for each matched pair"};
  ExtraOutput markdown_{OutputKind::kMarkdown};
  ExtraOutputs outputs_{&csv_, &xlsx_, &markdown_};
  std::optional<double> fail_on_;
  bool pair_phases_ = false;
  std::uint32_t top_ = 10;
  // In percent, as people say them.
  double min_similarity_ = 100 * analysis::compare::CompareOptions().min_similarity;
  double false_discovery_rate_ = 100 * analysis::compare::CompareOptions().false_discovery_rate;
  double min_change_ = 100 * analysis::compare::CompareOptions().min_change;
  std::string min_difference_ =
      fmt::format("{}ns", floor_ns(analysis::compare::CompareOptions().min_difference));
  CyclesFlags flags_;
  SharedOptions shared_;
};

}  // namespace

std::unique_ptr<Subcommand> make_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace lockstep::cli
