// Parses the words of `kernel decode`, decodes, and hands the answer to the sinks asked for.
#include "cli/commands/command_kernel_decode.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/kernel_profile/figures/kernel_compare.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "cli/commands/kernel_overhead_file.h"
#include "cli/console.h"
#include "cli/options/kernel_options.h"
#include "cli/options/shared_options.h"
#include "cli/outputs/extra_output.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "report/kernel/kernel_json.h"
#include "report/kernel/kernel_page.h"
#include "report/kernel/kernel_perfetto.h"
#include "report/kernel/kernel_svg.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kOverheadDetails =
    "the cost of a marker, taken off every region it lies in; or a file that "
    "[kernel overhead](kernel-overhead.md) wrote, of which the default marker at the nearest "
    "number of warps is taken";

class KernelDecodeCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "kernel decode"; }
  [[nodiscard]] std::string_view arguments() const override { return "FILE [options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "tell where the time goes inside launches, from what markers recorded";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Reads what markers inside a kernel recorded and says where its time goes: regions of "
           "every\n"
           "lane (block and group) on one time axis, statistics of events over lanes, the lanes "
           "that\n"
           "end last, imbalance between blocks, multiprocessors and groups, overlap of groups and\n"
           "gaps, with a drawn timeline; and what is wrong with the recording.\n"
           "\n"
           "FILE is a .lkp file, the JSON of IKET, IKP or Proton, or a buffer of another profiler "
           "as\n"
           ".npy or raw bytes, which needs --format; - is standard input.\n"
           "\n"
           "Examples:\n"
           "  lockstep kernel decode gemm.lkp\n"
           "  lockstep kernel decode prof.npy --format tvm --names load,compute,store\n"
           "  lockstep kernel decode gemm.lkp --perfetto gemm.pftrace --svg gemm.svg\n"
           "  lockstep kernel decode new.lkp --compare old.lkp\n"
           "  lockstep kernel decode gemm.lkp --json | jq '.events[] | {name, p50_ns, lane_share}'";
  }

  void add_options(OptionTable& table) override {
    table.add({.names = "FILE",
               .target = &inputs_,
               .help = "what was recorded, or -",
               .completion = Completion::kFile});
    flags_.add_to(table);
    table.add(json_option(json_, "lockstep.kernel-decode/2"));
    table.add({.names = "--no-regions",
               .target = &no_regions_,
               .help = "leave regions and instants of lanes out of the JSON",
               .details = "the JSON without the regions and instants of lanes: a summary, also of "
                          "a hundred million records"});
    perfetto_.add_to(table);
    svg_.add_to(table);
    markdown_.add_to(table);
    table.add({.names = "--compare",
               .target = &compare_,
               .value = "OTHER",
               .help = "tell what changed since OTHER was recorded",
               .details = "what changed since OTHER was recorded: event by event, with what is "
                          "beyond noise",
               .completion = Completion::kFile});
    Option top = top_option(&top_, "events to list, of other things fewer");
    top.details =
        "events to list, of launches, lanes and gaps fewer; in JSON gaps, 20 by default; 0 for all";
    table.add(std::move(top));
    table.add({.names = "--overhead",
               .target = &overhead_,
               .value = "CYCLES|FILE",
               .help = "cost of a marker to take off: cycles, or what 'kernel overhead -o' wrote",
               .details = std::string(kOverheadDetails),
               .completion = Completion::kFile});
    output_.add_to(table);
    table.add(full_names_option(full_names_));
    shared_.add_to(table);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    LOCKSTEP_RETURN_IF_ERROR(check_words());
    LOCKSTEP_ASSIGN_OR_RETURN(const formats::kernel_profile::KernelDecodeOptions options,
                              flags_.resolve());
    LOCKSTEP_RETURN_IF_ERROR(outputs_.open(all_inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(const Side side, decoded(inputs_.front(), options, keeps_regions()));
    std::optional<Side> other;
    std::optional<analysis::kernel_profile::KernelComparison> comparison;
    Diagnostics findings = side.findings;
    if (compare_) {
      LOCKSTEP_ASSIGN_OR_RETURN(other, decoded(*compare_, options, false));
      findings.absorb(other->findings, *compare_);
      comparison = analysis::kernel_profile::compare_kernels(
          {&other->profile, &other->summary}, {&side.profile, &side.summary}, {}, findings);
    }
    report::kernel::KernelReport report{side.profile,    side.summary,    findings,
                                        inputs_.front(), keeps_regions(), side.overhead_ticks};
    if (comparison) {
      report.compared_with = *compare_;
      report.comparison = &*comparison;
    }
    LOCKSTEP_RETURN_IF_ERROR(write_all(report));
    // The text has its own section on findings; a program that reads the others does not show it.
    if (json_) warn_about(findings, compare_ ? 2 : 1);
    return shared_.exit_code(findings);
  }

 private:
  // One input, decoded.
  struct Side {
    trace::KernelProfile profile;
    analysis::kernel_profile::KernelSummary summary;
    Diagnostics findings;
    double overhead_ticks = 0;
  };

  // The text draws few lanes, which are paired again, and the JSON lists one after the other: they
  // need no memory for all regions.
  [[nodiscard]] bool keeps_regions() const { return perfetto_.is_asked(); }

  [[nodiscard]] std::uint32_t top() const { return top_.value_or(report::kernel::kKernelTop); }

  [[nodiscard]] Status check_words() {
    if (inputs_.empty()) {
      return usage_error("kernel decode needs a file", "Try 'lockstep kernel decode --help'");
    }
    if (inputs_.size() > 1) {
      return usage_error(fmt::format("'{}' is one argument too many", inputs_[1]),
                         "kernel decode reads one file; --compare names a second one");
    }
    all_inputs_ = inputs_;
    if (compare_) all_inputs_.push_back(*compare_);
    LOCKSTEP_RETURN_IF_ERROR(check_inputs(all_inputs_));
    if (!flags_.meta_path().empty()) all_inputs_.push_back(flags_.meta_path());
    if (overhead_) all_inputs_.push_back(*overhead_);  // a number is the name of no output
    return {};
  }

  [[nodiscard]] Result<Side> decoded(const std::string& path,
                                     formats::kernel_profile::KernelDecodeOptions options,
                                     bool keeps_regions) const {
    Side side;
    options.checks =
        formats::kernel_profile::RecordChecks::kWhenRead;  // the summary reads every lane
    LOCKSTEP_ASSIGN_OR_RETURN(
        side.profile, formats::kernel_profile::read_kernel_profile(path, options, side.findings));
    LOCKSTEP_RETURN_IF_ERROR(flags_.apply(side.profile));
    analysis::kernel_profile::KernelSummaryOptions wanted;
    wanted.keep_regions = keeps_regions;
    if (top_) wanted.top_gaps = *top_ == 0 ? std::numeric_limits<std::uint32_t>::max() : *top_;
    if (overhead_) {
      LOCKSTEP_ASSIGN_OR_RETURN(wanted.overhead_ticks, marker_cycles(*overhead_, side.profile));
    }
    side.overhead_ticks = wanted.overhead_ticks;
    Diagnostics of_summary;
    side.summary = analysis::kernel_profile::summarize_kernel(side.profile, wanted, of_summary);
    LOCKSTEP_RETURN_IF_ERROR(side.profile.records->status());
    side.profile.records->report(side.profile, side.findings);
    side.findings.absorb(of_summary, {});
    return side;
  }

  // Nothing appears before all is made: drawing reads lanes again, and a file that has become
  // shorter by then is an error.
  [[nodiscard]] Status write_all(const report::kernel::KernelReport& report) {
    if (perfetto_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(report::kernel::write_kernel_perfetto(report, perfetto_.sink()));
    }
    if (svg_.is_asked()) LOCKSTEP_RETURN_IF_ERROR(svg_.write(report::kernel::kernel_svg(report)));
    if (markdown_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(markdown_.write(report::kernel::kernel_markdown(report, top())));
    }
    if (json_) return output_.is_asked() ? write_json(report, output_.sink()) : print_json(report);
    const std::string text = report::kernel::kernel_text(report, top(), console_style(full_names_));
    LOCKSTEP_RETURN_IF_ERROR(report.profile.records->status());
    if (output_.is_asked()) LOCKSTEP_RETURN_IF_ERROR(output_.write(text));
    LOCKSTEP_RETURN_IF_ERROR(outputs_.close());
    return output_.is_asked() ? Status() : print(outputs_.with_lines(text));
  }

  [[nodiscard]] Status print_json(const report::kernel::KernelReport& report) {
    return print_by([&](io::ByteSink& out) { return write_json(report, out); });
  }

  // As it is made: of a hostile recording it may be long.
  [[nodiscard]] Status write_json(report::kernel::KernelReport report, io::ByteSink& sink) {
    report.lists_regions = !no_regions_;
    LOCKSTEP_RETURN_IF_ERROR(report::kernel::write_kernel_json(report, sink));
    LOCKSTEP_RETURN_IF_ERROR(report.profile.records->status());
    return outputs_.close();
  }

  std::vector<std::string> inputs_;
  std::vector<std::string> all_inputs_;
  bool json_ = false;
  bool no_regions_ = false;
  bool full_names_ = false;
  ExtraOutput perfetto_{
      OutputKind::kTimeline, "also write the timeline of all lanes as Perfetto",
      "also a Perfetto trace: a track for every lane, grouped by cluster or block and launch; "
      "regions nest, those that cross go to a sibling track; asynchronous work is drawn beside "
      "the lane that began it, with an arrow to the lane that ended it"};
  ExtraOutput svg_{OutputKind::kPicture, "also write a picture of the timeline",
                   "also a picture of the timeline, which needs no script and no viewer"};
  ExtraOutput output_{OutputKind::kReport, "write the report here, not to standard output",
                      "the report goes there, not to standard output"};
  ExtraOutput markdown_{OutputKind::kMarkdown};
  ExtraOutputs outputs_{&perfetto_, &svg_, &markdown_, &output_};
  std::optional<std::string> compare_;
  std::optional<std::string> overhead_;
  std::optional<std::uint32_t> top_;
  KernelFlags flags_;
  SharedOptions shared_;
};

}  // namespace

std::unique_ptr<Subcommand> make_kernel_decode_command() {
  return std::make_unique<KernelDecodeCommand>();
}

}  // namespace lockstep::cli
