// Flags, their defaults in the help, and which make no sense together.
#include "cli/options/cycles_options.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "cli/options/shared_options.h"
#include "cli/options/value_checks.h"

namespace lockstep::cli {
namespace {

constexpr std::array<std::string_view, 2> kMethods = {"repetitions", "anchor"};
constexpr std::array<std::string_view, 3> kModes = {"auto", "prefill", "decode"};
constexpr std::array<std::string_view, 3> kSymbols = {"name", "signature", "role"};
constexpr std::array<std::string_view, 3> kRepetitionFlags = {"--symbol", "--pass-tolerance",
                                                              "--layer-tolerance"};
constexpr std::string_view kAnchorGroup = "the anchor method";

// The place of `word` among `words`, or a usage error that tells them.
Result<std::size_t> place_in(std::span<const std::string_view> words, std::string_view option,
                             std::string_view word) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
  }
  const std::string_view nearest = nearest_word(word, words);
  const std::string question = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  return usage_error(fmt::format("{} '{}' is not known{}", option, word, question),
                     nearest.empty() ? fmt::format("Known are {}", fmt::join(words, ", ")) : "");
}

constexpr std::string_view kModeDetails =
    "`auto` (default); `prefill` and `decode` select a loop of that phase in every stream, also "
    "one inside a request: passes before layers, outermost first, the earliest prefill and the "
    "latest decode; where no loop has the phase, the first or last outermost loop. It is "
    "`selected` in the JSON, and its positions are those that the text lists";
constexpr std::string_view kSymbolDetails =
    "what makes two kernels the same: `name`, `signature` (the name without template parameters "
    "and numbers) or `role` (GEMM, attention, ...). By default names, and the other two where "
    "names find no layers";
constexpr std::string_view kPassToleranceDetails =
    "how many kernels of a pass may differ by name from one other pass, not from what most have: "
    "where all differ by 3 %, two of them differ by 6";

std::vector<std::string> listed_words(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

Option anchor_percentage(std::string_view name, double& value, std::string_view help,
                         std::string_view details) {
  Option option = percentage(name, value, help, details);
  option.group = kAnchorGroup;
  return option;
}

Option anchor_number(std::string_view name, std::uint32_t& value, std::string_view help,
                     std::string_view details) {
  return {.names = std::string(name),
          .target = &value,
          .value = "N",
          .help = std::string(help),
          .default_text = fmt::format("{}", value),
          .details = std::string(details),
          .group = std::string(kAnchorGroup),
          .check = is_whole_number};
}

// The first flag on the command line that belongs to the other method, in the order of the help.
std::string stray_flag(const OptionTable& table, analysis::cycles::CycleMethod method) {
  for (const Option& option : table.options()) {
    const bool is_stray = method == analysis::cycles::CycleMethod::kAnchor
                              ? std::ranges::count(kRepetitionFlags, option.names) > 0
                              : option.group == kAnchorGroup;
    if (is_stray && option.is_given) return option.names;
  }
  return {};
}

}  // namespace

void CyclesFlags::add_to(OptionTable& table, std::string_view mode_details) {
  table_ = &table;
  table.add({.names = "--method",
             .target = &method_,
             .value = "METHOD",
             .help = "repetitions (default) or anchor",
             .details = "`repetitions` (default) or `anchor`, see "
                        "[the anchor method](cycles.md#the-anchor-method)",
             .words = listed_words(kMethods)});
  table.add({.names = "--mode",
             .target = &mode_,
             .value = "MODE",
             .help = "auto (default), prefill or decode: the loop to select",
             .details = std::string(mode_details.empty() ? kModeDetails : mode_details),
             .words = listed_words(kModes)});
  table.add({.names = "--symbol",
             .target = &symbol_,
             .value = "LEVEL",
             .help = "what makes two kernels the same: name, signature or role",
             .details = std::string(kSymbolDetails),
             .words = listed_words(kSymbols)});
  table.add(percentage("--pass-tolerance", pass_tolerance_,
                       "kernels of a pass that may differ by name", kPassToleranceDetails));
  table.add(percentage("--layer-tolerance", layer_tolerance_,
                       "kernels of a layer that may differ by role",
                       "how many kernels of a layer may differ by role"));
  add_anchor_options(table);
}

void CyclesFlags::add_anchor_options(OptionTable& table) {
  table.add(anchor_number("--anchor-min-count", anchor_.min_count,
                          "anchor: how often it appears at least",
                          "an anchor appears at least this often"));
  table.add(anchor_percentage("--anchor-max-share", anchor_max_share_,
                              "anchor: share of all kernels that it is at most",
                              "and is at most this share of all kernels"));
  table.add(anchor_number("--anchor-min-length", anchor_.min_length,
                          "anchor: kernels of a cycle, at least", "kernels of a cycle, at least"));
  table.add(anchor_percentage("--anchor-gap-tolerance", anchor_gap_tolerance_,
                              "anchor: how far distances between two may differ",
                              "distances between anchors may differ by this much"));
  table.add(anchor_percentage("--anchor-match", anchor_match_,
                              "anchor: names of a cycle that equal the first one's",
                              "names of a cycle that equal those of the first"));
  table.add(anchor_number("--anchor-min-repetitions", anchor_.min_repetitions,
                          "anchor: cycles that match, the first one among them",
                          "cycles that match, the first one among them"));
  add_sub_cycle_options(table);
}

void CyclesFlags::add_sub_cycle_options(OptionTable& table) {
  table.add(anchor_number("--anchor-min-outer", anchor_.min_outer_for_sub,
                          "anchor: cycles longer than this may have sub-cycles",
                          "only cycles longer than this are searched for sub-cycles"));
  table.add(anchor_number("--anchor-min-sub-length", anchor_.min_sub_length,
                          "anchor: kernels of a sub-cycle, at least",
                          "kernels of a sub-cycle, at least"));
  table.add(
      anchor_number("--anchor-min-sub-count", anchor_.min_sub_count,
                    "anchor: how often a sub-cycle's first kernel appears",
                    "a signature that begins sub-cycles appears at least this often in the cycle"));
  table.add(anchor_percentage("--anchor-sub-gap-tolerance", anchor_sub_gap_tolerance_,
                              "anchor: how far distances of sub-cycles may differ",
                              "distances between sub-cycles may differ by this much"));
  table.add(anchor_percentage("--anchor-sub-match", anchor_sub_match_,
                              "anchor: signatures of a sub-cycle that are equal",
                              "signatures of a sub-cycle that equal those of the next"));
  table.add(anchor_number("--anchor-min-sub-pairs", anchor_.min_sub_pairs,
                          "anchor: neighbouring sub-cycles that match",
                          "neighbouring sub-cycles that match"));
}

Result<analysis::cycles::CyclesOptions> CyclesFlags::resolve() const {
  analysis::cycles::CyclesOptions options;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t method, place_in(kMethods, "--method", method_));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t mode, place_in(kModes, "--mode", mode_));
  options.method = static_cast<analysis::cycles::CycleMethod>(method);
  options.mode = static_cast<analysis::cycles::CycleMode>(mode);
  const std::string stray = stray_flag(*table_, options.method);
  if (!stray.empty()) {
    return usage_error(fmt::format("{} has no meaning with --method {}", stray, method_));
  }
  if (!symbol_.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::size_t symbol, place_in(kSymbols, "--symbol", symbol_));
    options.symbol = static_cast<analysis::cycles::SymbolLevel>(symbol);
  }
  options.pass_tolerance = pass_tolerance_ / 100;
  options.layer_tolerance = layer_tolerance_ / 100;
  options.anchor = anchor_;
  options.anchor.max_share = anchor_max_share_ / 100;
  options.anchor.gap_tolerance = anchor_gap_tolerance_ / 100;
  options.anchor.match = anchor_match_ / 100;
  options.anchor.sub_gap_tolerance = anchor_sub_gap_tolerance_ / 100;
  options.anchor.sub_match = anchor_sub_match_ / 100;
  return options;
}

}  // namespace lockstep::cli
